"""A listing is one level, in the order of the names' bytes, and costs the same few statements whatever its length."""

from pathlib import Path

import pytest

import agentfs
from agentfs.reader import Reader
from core.errors import HubError


def test_2000_pages_take_three_statements(path: Path) -> None:
    file = agentfs.open_file(path, synchronous="NORMAL")
    names = [f"{'Zz'[n % 2]}{n}" for n in range(1998)] + ["é", "\U0001f600"]
    with file.writing() as w:
        for name in names:
            w.put(f"/fs/dir/{name}", name.encode(), actor="ada")
    with file.reading() as r:
        rows, statements = traced(r, "/fs/dir")
    assert statements <= 3
    assert [row.name for row in rows] == sorted(names, key=str.encode)
    assert all(row.size == len(row.name.encode()) and row.modified and row.type == "file" for row in rows)


def traced(reader: Reader, path: str) -> tuple[list[agentfs.Row], int]:
    statements: list[str] = []
    reader._conn.set_trace_callback(statements.append)
    rows = reader.list(path)
    reader._conn.set_trace_callback(None)
    return rows, len(statements)


@pytest.fixture
def filled(file: agentfs.AgentFile) -> agentfs.AgentFile:
    with file.writing() as w:
        for target in ("/fs/b/x", "/fs/b/c/y", "/fs/a", "/fs/c"):
            w.put(target, b"12", actor="ada")
        for key in ("a", "a/b", "a/c/d", "B"):
            w.put(f"/kv/{key}", b"123", actor="ada")
    return file


def shown(rows: list[agentfs.Row]) -> list[tuple[str, str, int]]:
    return [(row.path, row.type, row.size) for row in rows]


def test_one_level_at_a_time(filled: agentfs.AgentFile) -> None:
    with filled.reading() as r:
        assert shown(r.list("/")) == [("/fs", "dir", 0), ("/kv", "dir", 0)]
        assert shown(r.list()) == [("/fs/a", "file", 2), ("/fs/b", "dir", 0), ("/fs/c", "file", 2)]
        assert shown(r.list("/fs/b/")) == [("/fs/b/c", "dir", 0), ("/fs/b/x", "file", 2)]
        assert shown(r.list("/kv")) == [("/kv/B", "key", 3), ("/kv/a", "key", 3), ("/kv/a", "dir", 0)]
        assert shown(r.list("/kv/a")) == [("/kv/a/b", "key", 3), ("/kv/a/c", "dir", 0)]


def test_pages_of_a_listing_leave_nothing_out(filled: agentfs.AgentFile) -> None:
    with filled.reading() as r:
        assert [row.name for row in r.list("/fs", limit=2)] == ["a", "b"]
        assert [row.name for row in r.list("/fs", limit=2, after="b")] == ["c"]
        assert [row.name for row in r.list("/fs", after="aa")] == ["b", "c"]
        assert [row.type for row in r.list("/kv", limit=1, after="B")] == ["key", "dir"]
        assert r.list("/fs", limit=0) == r.list("/fs", after="\udcff") == []


def test_walk_finds_every_file(filled: agentfs.AgentFile) -> None:
    with filled.reading() as r:
        assert [row.path for row in r.walk("/fs")] == ["/fs/a", "/fs/b/c/y", "/fs/b/x", "/fs/c"]
        assert [row.path for row in r.walk("/fs/b/c")] == ["/fs/b/c/y"]
        assert [row.path for row in r.walk("/kv/a")] == ["/kv/a", "/kv/a/b", "/kv/a/c/d"]
        assert len(list(r.walk("/"))) == 8
        assert list(r.walk("/fs/none")) == []


def test_stat_says_what_is_there(filled: agentfs.AgentFile) -> None:
    with filled.reading() as r:
        for target, kind in {"/": "dir", "/fs": "dir", "/kv": "dir", "/fs/b": "dir", "/kv/a/c": "dir"}.items():
            assert (r.stat(target).type, r.stat(target).version) == (kind, "")
        assert r.stat("/fs/a") == agentfs.Entry(
            "/fs/a", "file", b"", agentfs.version_of(b"12"), 2, r.list("/fs", limit=1)[0].modified
        )
        assert (r.stat("/kv/a").type, r.stat("/kv/a").version) == ("key", agentfs.version_of(b"123"))


@pytest.mark.parametrize(
    ("method", "target", "code"),
    [
        ("list", "/fs/none", "not_found"),
        ("list", "/kv/none", "not_found"),
        ("list", "/fs/a", "invalid_argument"),
        ("list", "/kv/B", "invalid_argument"),
        ("list", "/fs/a/x", "invalid_argument"),
        ("get", "/fs/b", "invalid_argument"),
        ("get", "/fs", "invalid_argument"),
        ("get", "/kv", "invalid_argument"),
        ("get", "/", "invalid_argument"),
        ("get", "/kv/a/c", "invalid_argument"),
        ("get", "/fs/none", "not_found"),
        ("get", "/kv/none", "not_found"),
        ("get", "/fs/a/x", "invalid_argument"),
        ("stat", "/fs/b/none", "not_found"),
    ],
)
def test_refusals(filled: agentfs.AgentFile, method: str, target: str, code: str) -> None:
    with filled.reading() as r, pytest.raises(HubError) as refused:
        getattr(r, method)(target)
    assert refused.value.code == code


def test_a_file_is_not_used_as_a_directory(filled: agentfs.AgentFile) -> None:
    with filled.writing() as w:
        for target in ("/fs/a/x", "/fs/b"):
            with pytest.raises(HubError) as refused:
                w.put(target, b"1", actor="ada")
            assert refused.value.details["field"] == "path"
        assert len(w.log()) == 8
