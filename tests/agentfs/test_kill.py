"""A put is one transaction: a kill leaves whole pages, each with its log row."""

import random
import time
from pathlib import Path

import pytest

import agentfs
from tests.agentfs import child, inspection

WRITERS = """
    import pathlib, random, sys, threading
    import agentfs

    file = agentfs.open_file(pathlib.Path(sys.argv[1]))

    def write(name):
        chance = random.Random(name)
        for number in range(50):
            with file.writing() as w:
                target = f'/fs/{name}/page-{number % 7}'
                data = bytes([number]) * chance.choice([0, 10, 16384, 50_000])
                kind = chance.choice(['put', 'append', 'key', 'delete'])
                if kind == 'key':
                    written = w.put(f'/kv/{name}/{number}', b'[1]', actor=name)
                elif kind == 'delete' and number:
                    written = w.put(target, data, actor=name)
                    w.delete(target, actor=name)
                else:
                    written = (w.append if kind == 'append' else w.put)(target, data, actor=name)
            sys.stdout.write(f'{written.log_id}\\n')
            sys.stdout.flush()

    threads = [threading.Thread(target=write, args=(f'agent-{n}',)) for n in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
"""


@pytest.mark.parametrize("wait", [0.0, 0.05, 0.2, None])
def test_a_kill_leaves_pages_and_log_in_step(path: Path, wait: float | None) -> None:
    process = child.start(WRITERS, path)
    child.hear(process)
    time.sleep(random.uniform(0, 0.4) if wait is None else wait)  # noqa: S311 - any moment will do
    process.kill()
    output, _ = process.communicate()
    told = [int(line) for line in output.splitlines(keepends=True) if line.endswith("\n")]

    with agentfs.open_file(path).reading() as r:
        log = r.log(after_id=0, limit=10_000)
        logged = {row.path: row.version for row in log}
        stored = {row.path: r.get(row.path).version for row in r.walk("/")}
    assert {target: version for target, version in logged.items() if version != agentfs.ABSENT} == stored
    assert [row.id for row in log] == list(range(1, len(log) + 1))
    assert max(told, default=1) <= len(log)
    agentfs.close_all()
    inspection.check(path)
