"""One object and one connection for each file of a process; the oldest are closed, one in use never."""

import gc
import os
import threading
from pathlib import Path

import pytest

import agentfs
from tests.agentfs import child, inspection

FORK = """
    import os, pathlib, sys
    import agentfs

    file = agentfs.open_file(pathlib.Path(sys.argv[1]))
    for _ in range(2):
        with file.writing() as w:
            w.put('/fs/page', b'parent', actor='ada')
    child = os.fork()
    if not child:
        with file.reading() as r:
            assert r.get('/fs/page').content == b'parent'
        with file.writing() as w:
            w.put('/fs/page', b'child', actor='ben')
        agentfs.close_all()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert [name for name in os.listdir(file.path.parent) if name.endswith('-wal')]
    with file.writing() as w:
        assert w.get('/fs/page').content == b'child'
        w.put('/fs/page', b'parent again', actor='ada')
    agentfs.close_all()
"""


def open_descriptors(directory: Path) -> list[str]:
    found = []
    for descriptor in Path("/proc/self/fd").iterdir():
        try:
            target = os.readlink(descriptor)  # noqa: PTH115 - may be gone: the listing's own
        except FileNotFoundError:
            continue
        if target.startswith(str(directory)) and target.endswith(".db"):
            found.append(target)
    return found


def test_one_object_for_each_path(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = agentfs.open_file(path)
    monkeypatch.chdir(path.parents[1])
    assert agentfs.open_file(Path("store/../store/brain.db"), max_bytes=5) is file
    assert (file.path, file.max_bytes) == (path, 5)
    assert not path.parent.exists()


def test_files_nobody_uses_are_forgotten(tmp_path: Path) -> None:
    for number in range(100):
        agentfs.open_file(tmp_path / f"{number}.db")
    gc.collect()
    assert not [
        found for found in gc.get_objects() if type(found) is agentfs.AgentFile and found.path.parent == tmp_path
    ]


def test_the_oldest_handles_are_closed(path: Path) -> None:
    agentfs.limits.open_files = 4
    for number in range(12):
        with agentfs.open_file(path.parent / f"{number}.db").writing() as w:
            w.put("/fs/page", str(number).encode(), actor="ada")
    for number in range(12):
        with agentfs.open_file(path.parent / f"{number}.db").reading() as r:
            assert r.get("/fs/page").content == str(number).encode()
        assert len(open_descriptors(path.parent)) == min(number + 1, 4)
    agentfs.close_all()
    assert open_descriptors(path.parent) == []
    assert inspection.names(path.parent) == sorted(f"{number}.db" for number in range(12))


def test_a_handle_in_use_is_not_closed(tmp_path: Path) -> None:
    agentfs.limits.open_files = 1
    names = ["held", "0", "1", "2"]
    for name in names:
        with agentfs.open_file(tmp_path / f"{name}.db").writing() as w:
            w.put("/fs/page", b"1", actor="ada")
    with agentfs.open_file(tmp_path / "held.db").writing() as held:
        for name in names[1:]:
            with agentfs.open_file(tmp_path / f"{name}.db").writing() as w:
                w.append("/fs/page", b"1", actor="ada")
            assert len(open_descriptors(tmp_path)) == 2
        held.put("/fs/page", b"2", actor="ada")
    assert len(open_descriptors(tmp_path)) == 1
    with agentfs.open_file(tmp_path / "held.db").reading() as r:
        assert r.get("/fs/page").content == b"2"


def test_many_threads_over_few_handles(tmp_path: Path) -> None:
    agentfs.limits.open_files = 3
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for step in range(40):
                file = agentfs.open_file(tmp_path / f"{(number + step) % 8}.db", synchronous="NORMAL")
                with file.writing() as w:
                    w.append("/fs/page", b"x", actor="ada")
                with file.reading() as r:
                    assert r.get("/fs/page").size == r.last_log_id()
        except BaseException as error:  # noqa: BLE001 - told by the test
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    sizes = []
    for number in range(8):
        with agentfs.open_file(tmp_path / f"{number}.db").reading() as r:
            sizes.append(r.get("/fs/page").size)
    assert sum(sizes) == 240


def test_a_failed_file_keeps_no_handle(tmp_path: Path) -> None:
    bad = tmp_path / "bad.db"
    bad.write_bytes(b"no database " * 1000)
    file = agentfs.open_file(bad)
    for block in (file.reading, file.writing):
        with pytest.raises(Exception, match="not a readable"):
            block().__enter__()
    assert open_descriptors(tmp_path) == []


def test_a_forked_child_opens_its_own(path: Path) -> None:
    child.run(FORK, path)
    with agentfs.open_file(path).reading() as r:
        assert [row.actor for row in r.log()] == ["ada", "ben", "ada", "ada"]
    agentfs.close_all()
    inspection.check(path)


def test_durability_as_asked(path: Path) -> None:
    for setting, number in {"FULL": 2, "NORMAL": 1}.items():
        file = agentfs.open_file(path, synchronous=setting)  # type: ignore[arg-type]
        with file.writing() as w:
            w.put("/fs/page", b"1", actor="ada")
            assert w._conn.execute("PRAGMA synchronous").fetchone() == (number,)
            assert w._conn.execute("PRAGMA secure_delete").fetchone() == (1,)
            assert w._conn.execute("PRAGMA auto_vacuum").fetchone() == (0,)
        with file.reading() as r:
            assert r._conn.execute("PRAGMA journal_mode").fetchone() == ("wal",)
