"""SES-01: the AgentFS SDK reads a file made here, and a file it wrote is read here."""

import json
from pathlib import Path

import agentfs
from tests.agentfs import child, inspection

SDK = """
    import asyncio, json, sys
    from agentfs_sdk import AgentFS, AgentFSOptions

    async def main():
        hub = await AgentFS.open(AgentFSOptions(path=sys.argv[1]))
        answer = await work(hub)
        await hub.close()
        print(json.dumps(answer))
"""
READ = (
    SDK
    + """
    async def work(hub):
        stat = await hub.fs.stat('/notes/long.md')
        calls = await hub.tools.get_by_name('put')
        return {
            'tree': [await hub.fs.readdir('/'), await hub.fs.readdir('/notes')],
            'empty': await hub.fs.read_file('/empty'),
            'long': await hub.fs.read_file('/notes/long.md'),
            'stat': [stat.size, stat.is_file(), stat.nlink],
            'keys': await hub.kv.list('user:'),
            'calls': [[c.parameters['path'], c.parameters['actor'], c.result['size'], c.status, c.started_at > 1e9]
                      for c in calls],
            'stats': [[s.name, s.total_calls, s.successful] for s in await hub.tools.get_stats()],
        }
    asyncio.run(main())
"""
)
WRITE = (
    SDK
    + """
    async def work(hub):
        await hub.fs.write_file('/sdk/page.md', 'from the SDK ' * 2000)
        await hub.fs.write_file('/sdk/gone.md', 'x')
        await hub.fs.unlink('/sdk/gone.md')
        await hub.kv.set('sdk', {'n': [1, None, 'é']})
        await hub.kv.set('nothing', None)
        call = await hub.tools.start('search', {'query': 'x'})
        await hub.tools.error(call, 'it failed')
        return await hub.tools.record('read', 1700000000, 1700000001, {'path': '/fs/sdk/page.md', 'actor': 'sdk'})
    asyncio.run(main())
"""
)


def write_here(file: agentfs.AgentFile) -> None:
    with file.writing() as w:
        w.put("/fs/empty", b"", actor="ada")
        w.put("/fs/notes/long.md", "é".encode() * 40_000, actor="ada")
        w.put("/kv/user:1", b'{"name": "Ada"}', actor="ada")
        w.append("/fs/notes/long.md", b"end", actor="ben")
        w.put("/fs/notes/gone.md", b"x", actor="ada")
        w.delete("/fs/notes/gone.md", actor="ben")


def read_there(path: Path) -> dict[str, object]:
    agentfs.close_all()
    answer: dict[str, object] = json.loads(child.run(READ, path))
    return answer


def test_the_sdk_reads_what_is_written_here(file: agentfs.AgentFile, path: Path) -> None:
    write_here(file)
    assert read_there(path) == {
        "tree": [["empty", "notes"], ["long.md"]],
        "empty": "",
        "long": "é" * 40_000 + "end",
        "stat": [80_003, True, 1],
        "keys": [{"key": "user:1", "value": {"name": "Ada"}}],
        "calls": [
            ["/fs/empty", "ada", 0, "success", True],
            ["/fs/notes/long.md", "ada", 80_000, "success", True],
            ["/kv/user:1", "ada", 15, "success", True],
            ["/fs/notes/gone.md", "ada", 1, "success", True],
        ],
        "stats": [["put", 4, 4], ["append", 1, 1], ["delete", 1, 1]],
    }


def test_what_the_sdk_writes_is_read_here(file: agentfs.AgentFile, path: Path) -> None:
    path.parent.mkdir()
    child.run(WRITE, path)
    with file.reading() as r:
        assert r.get("/fs/sdk/page.md").content == b"from the SDK " * 2000
        assert [row.name for row in r.list("/fs/sdk")] == ["page.md"]
        assert r.keys() == ["nothing", "sdk"]
        assert json.loads(r.get("/kv/sdk").content) == {"n": [1, None, "é"]}
        assert r.get("/kv/nothing").content == b"null"
        assert [(row.op, row.error, row.actor) for row in r.log()] == [
            ("read", None, "sdk"),
            ("search", "it failed", None),
        ]
        last = r.last_write("/fs/sdk/page.md")
    assert last
    assert (last.op, last.actor, last.at) == ("read", "sdk", 1_700_000_000)


def test_both_write_in_turn(file: agentfs.AgentFile, path: Path) -> None:
    for _ in range(2):
        write_here(file)
        file.checkpoint()
        child.run(WRITE, path)
    with file.writing() as w:
        w.append("/fs/sdk/page.md", b"and us", actor="ada")
        assert w.get("/fs/notes/long.md").size == 80_003
        assert w.last_log_id() == 17
        assert [row.actor for row in w.log(path="/fs/sdk/page.md")] == ["ada", "sdk", "sdk"]
    agentfs.close_all()
    inspection.check(path)
    assert read_there(path)["tree"] == [["empty", "notes", "sdk"], ["long.md"]]
