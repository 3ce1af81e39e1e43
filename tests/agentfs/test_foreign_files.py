"""What other programs leave: read where it can be, completed on the first write, refused untouched where it cannot."""

import sqlite3
from pathlib import Path

import pytest

import agentfs
from core.errors import HubError
from tests.agentfs import inspection

OLD = """
    CREATE TABLE fs_config (key TEXT PRIMARY KEY, value TEXT NOT NULL);
    INSERT INTO fs_config VALUES ('chunk_size', '4');
    CREATE TABLE fs_inode (ino INTEGER PRIMARY KEY AUTOINCREMENT, mode INTEGER NOT NULL,
        nlink INTEGER NOT NULL DEFAULT 0,
        uid INTEGER NOT NULL DEFAULT 0, gid INTEGER NOT NULL DEFAULT 0, size INTEGER NOT NULL DEFAULT 0,
        atime INTEGER NOT NULL, mtime INTEGER NOT NULL, ctime INTEGER NOT NULL);
    CREATE TABLE fs_dentry (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, parent_ino INTEGER NOT NULL,
        ino INTEGER NOT NULL, UNIQUE(parent_ino, name));
    CREATE TABLE fs_data (ino INTEGER NOT NULL, chunk_index INTEGER NOT NULL, data BLOB NOT NULL,
        PRIMARY KEY (ino, chunk_index));
    CREATE TABLE fs_symlink (ino INTEGER PRIMARY KEY, target TEXT NOT NULL);
    INSERT INTO fs_inode (ino, mode, nlink, size, atime, mtime, ctime) VALUES
        (1, 16877, 2, 0, 5, 5, 5), (2, 33188, 1, 7, 5, 6, 5), (3, 16877, 2, 0, 5, 5, 5), (4, 41471, 1, 0, 5, 5, 5),
        (5, 33188, 1, 3, 5, 5, 5), (6, 33188, 0, 9, 5, 5, 5), (7, 8630, 1, 0, 5, 5, 5);
    INSERT INTO fs_dentry (name, parent_ino, ino) VALUES ('page', 1, 2), ('dir', 1, 3), ('link', 1, 4), ('text', 3, 5),
        ('.', 3, 3), ('..', 3, 1), ('back\\slash', 3, 5), ('again', 3, 1), ('lost', 1, 99), ('device', 1, 7);
    INSERT INTO fs_data VALUES (2, 0, x'61626364'), (2, 1, x'656667'), (5, 0, 'hey');
    INSERT INTO fs_symlink VALUES (4, '/page');
"""
LOG = """
    CREATE TABLE tool_calls (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, parameters TEXT, result TEXT,
        error TEXT, started_at INTEGER NOT NULL, completed_at INTEGER, duration_ms INTEGER);
    INSERT INTO tool_calls (name, parameters, result, error, started_at) VALUES
        ('read', '', '', '', 5), ('bad', '{', 'x', 'it failed', 6), ('list', '[1]', '2', NULL, 7),
        ('write', '{"path": "/fs/page", "actor": "sdk", "more": 1}', '{"version": 3}', NULL, 8);
"""


@pytest.fixture
def old(path: Path) -> Path:
    """Answer a file as the first SDKs wrote it: short tables, small chunks, the published log without `status`."""
    inspection.script(path, OLD + LOG)
    return path


def test_an_old_file_is_read_and_not_touched(old: Path, file: agentfs.AgentFile) -> None:
    before = old.read_bytes()
    with file.reading() as r:
        shown = [(row.name, row.type, row.size) for row in r.list("/fs")]
        assert shown == [("device", "other", 0), ("dir", "dir", 0), ("link", "symlink", 0), ("page", "file", 7)]
        assert [row.name for row in r.list("/fs/dir")] == ["again", "text"]
        assert (r.get("/fs/page").content, r.get("/fs/page").modified) == (b"abcdefg", 6)
        assert r.get("/fs/dir/text").content == b"hey"
        assert r.get("/fs/dir/again/page").content == b"abcdefg"
        assert [row.path for row in r.walk("/fs")] == ["/fs/dir/text", "/fs/page"]
        assert (r.keys(), r.list("/kv")) == ([], [])
        assert r.stat("/fs/link").type == "symlink"
    agentfs.close_all()
    assert old.read_bytes() == before
    assert inspection.names(old.parent) == ["brain.db"]


def test_the_log_of_an_old_file(old: Path, file: agentfs.AgentFile) -> None:
    with file.reading() as r:
        assert r.log(path="/fs/page") == [
            agentfs.LogRow(4, "write", "/fs/page", "sdk", 8, version=None, error=None, note={"more": 1})
        ]
        assert [(row.op, row.error, row.note) for row in r.log(after_id=0, limit=3)] == [
            ("read", None, {}),
            ("bad", "it failed", {}),
            ("list", None, {}),
        ]
        last = r.last_write("/fs/page")
        assert last
        assert last.id == r.last_log_id() == 4
    assert old.exists()


def test_an_old_file_is_completed_by_the_first_write(old: Path, file: agentfs.AgentFile) -> None:
    with file.writing() as w:
        w.append("/fs/page", b"hi", actor="ada")
        w.put("/kv/key", b"1", actor="ada")
        w.put("/fs/lost", b"found", actor="ada")
        w.delete("/fs/link", actor="ada")
        assert [row.actor for row in w.log(path="/fs/page")] == ["ada", "sdk"]
    agentfs.close_all()
    assert inspection.query(old, "SELECT chunk_index, data FROM fs_data WHERE ino = 2") == [
        (0, b"abcd"),
        (1, b"efgh"),
        (2, b"i"),
    ]
    assert inspection.query(old, "SELECT value FROM fs_config WHERE key = 'schema_version'") == [("0.4",)]
    assert inspection.query(old, "SELECT count(rdev), count(ctime_nsec) FROM fs_inode") == [(7, 7)]
    assert inspection.query(old, "SELECT id, status FROM tool_calls WHERE id < 5") == [
        (1, "success"),
        (2, "error"),
        (3, "success"),
        (4, "success"),
    ]
    columns = [row[1] for row in inspection.query(old, "PRAGMA table_info(tool_calls)")]
    assert columns[5:7] == ["status", "started_at"]
    assert inspection.query(old, "SELECT target FROM fs_symlink") == []
    assert inspection.query(old, "PRAGMA integrity_check") == [("ok",)]


def test_a_lock_without_a_write_completes_nothing(old: Path, file: agentfs.AgentFile) -> None:
    before = old.read_bytes()
    with file.writing() as w:
        assert w.get("/fs/page").content == b"abcdefg"
    agentfs.close_all()
    assert old.read_bytes() == before


@pytest.mark.parametrize("target", ["/fs/link", "/fs/device", "/fs/link/x"])
def test_what_is_no_file_is_not_read(old: Path, file: agentfs.AgentFile, target: str) -> None:
    with file.reading() as r, pytest.raises(HubError) as refused:
        r.get(target)
    assert (refused.value.code, refused.value.details["field"]) == ("invalid_argument", "path")
    with pytest.raises(HubError), file.writing() as w:
        w.put(target, b"1", actor="ada")
    assert old.exists()


@pytest.mark.parametrize(
    ("change", "content"),
    [
        ("UPDATE fs_inode SET size = 10 WHERE ino = 2", b"abcdefg\0\0\0"),
        ("UPDATE fs_inode SET size = 3 WHERE ino = 2", b"abc"),
        ("UPDATE fs_inode SET size = -1 WHERE ino = 2", b""),
        ("DELETE FROM fs_data WHERE ino = 2 AND chunk_index = 0", b"\0\0\0\0efg"),
        ("UPDATE fs_data SET chunk_index = 9 WHERE ino = 2 AND chunk_index = 1", b"abcd\0\0\0"),
        ("INSERT INTO fs_data VALUES (2, -1, x'00')", b"abcdefg"),
        ("UPDATE fs_data SET data = x'6162636465' WHERE ino = 2 AND chunk_index = 0", b"abcdefg"),
    ],
)
def test_holes_are_zeros_and_the_inode_states_the_size(old: Path, change: str, content: bytes) -> None:
    inspection.script(old, change)
    file = agentfs.open_file(old)
    with file.reading() as r:
        entry = r.get("/fs/page")
    assert (entry.content, entry.version) == (content, agentfs.version_of(content))
    with file.writing() as w:
        w.append("/fs/page", b"+", actor="ada", if_version=entry.version)
        assert w.get("/fs/page").content == content + b"+"
    agentfs.close_all()
    ours = "SELECT sum(length(data)) FROM fs_data WHERE ino = 2"
    assert inspection.query(old, ours) == [(len(content) + 1,)]


def test_a_size_beyond_reason_is_refused(old: Path, file: agentfs.AgentFile) -> None:
    inspection.script(old, "UPDATE fs_inode SET size = 1000000000000 WHERE ino = 2")
    with file.reading() as r, pytest.raises(HubError) as refused:
        r.get("/fs/page")
    assert refused.value.code == "payload_too_large"


def test_two_names_of_one_inode(old: Path, file: agentfs.AgentFile) -> None:
    inspection.script(old, "INSERT INTO fs_dentry (name, parent_ino, ino) VALUES ('other', 1, 2)")
    with file.writing() as w:
        w.put("/fs/other", b"both", actor="ada")
        w.delete("/fs/page", actor="ada")
        assert w.get("/fs/other").content == b"both"
        w.delete("/fs/other", actor="ada")
    agentfs.close_all()
    assert inspection.query(old, "SELECT count(*) FROM fs_data WHERE ino = 2") == [(0,)]


@pytest.mark.parametrize("version", ["0.2", "0.3", "0.4"])
def test_readable_versions(old: Path, version: str) -> None:
    inspection.query(old, "INSERT INTO fs_config VALUES ('schema_version', ?)", version)
    with agentfs.open_file(old).reading() as r:
        assert r.get("/fs/page").size == 7


def refusals(file: agentfs.AgentFile) -> list[HubError]:
    found = []
    with pytest.raises(HubError) as refused, file.reading():
        pass
    found.append(refused.value)
    with pytest.raises(HubError) as refused, file.writing() as w:
        w.put("/fs/page", b"1", actor="ada")
    found.append(refused.value)
    return found


@pytest.mark.parametrize(
    "change",
    [
        "INSERT INTO fs_config VALUES ('schema_version', '0.5')",
        "INSERT INTO fs_config VALUES ('schema_version', '')",
        "ALTER TABLE fs_inode DROP COLUMN nlink",
        "DROP TABLE fs_data",
    ],
)
def test_what_is_not_our_format_is_refused_untouched(old: Path, file: agentfs.AgentFile, change: str) -> None:
    inspection.script(old, change)
    before = old.read_bytes()
    for error in refusals(file):
        assert (error.code, error.details) == ("unavailable", {"reason": "damaged"})
    agentfs.close_all()
    assert old.read_bytes() == before
    assert inspection.names(old.parent) == ["brain.db"]


@pytest.mark.parametrize("content", [b"x", b"not a database\n" * 1000, b"SQLite format 3\x00" + b"\xff" * 5000])
def test_what_is_no_database_is_refused_untouched(path: Path, file: agentfs.AgentFile, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    for error in refusals(file):
        assert (error.code, error.retryable) == ("unavailable", True)
        assert str(path) not in error.message
    with pytest.raises(HubError):
        file.copy_to(path.with_name("copy.db"))
    agentfs.close_all()
    assert path.read_bytes() == content
    assert inspection.names(path.parent) == ["brain.db"]
    file.remove()
    assert inspection.names(path.parent) == []


def test_a_directory_in_its_place_is_refused(path: Path, file: agentfs.AgentFile) -> None:
    path.mkdir(parents=True)
    for error in refusals(file):
        assert error.code == "unavailable"
    assert inspection.names(path) == []


def test_a_broken_page_is_refused(path: Path, file: agentfs.AgentFile) -> None:
    with file.writing() as w:
        w.put("/fs/page", b"x" * 200_000, actor="ada")
    file.checkpoint()
    content = path.read_bytes()
    path.write_bytes(content[:8192] + b"\xff" * (len(content) - 8192))
    with pytest.raises(HubError) as refused, file.reading() as r:
        r.get("/fs/page")
    assert refused.value.details == {"reason": "damaged"}


def test_triggers_and_views_of_a_file_do_not_run(old: Path, file: agentfs.AgentFile) -> None:
    inspection.script(old, "CREATE TRIGGER evil AFTER UPDATE ON fs_inode BEGIN DELETE FROM fs_data; END")
    with file.writing() as w:
        w.put("/fs/new", b"1", actor="ada")
        assert w.get("/fs/page").content == b"abcdefg"


@pytest.mark.parametrize("key", ["a//b", "/a", "a\\b", "..", "a\nb"])
def test_keys_no_path_can_name_are_listed_as_keys_only(path: Path, file: agentfs.AgentFile, key: str) -> None:
    with file.writing() as w:
        w.put("/kv/a", b"1", actor="ada")
    file.close()
    inspection.query(path, "INSERT INTO kv_store (key, value) VALUES (?, '2')", key)
    with file.reading() as r:
        assert sorted(r.keys()) == sorted(["a", key])
        assert [row.path for row in r.list("/kv")] == [row.path for row in r.walk("/kv")] == ["/kv/a"]


def test_text_that_is_no_utf_8(path: Path, file: agentfs.AgentFile) -> None:
    with file.writing() as w:
        w.put("/fs/page", b"1", actor="ada")
        w.put("/kv/key", b"1", actor="ada")
    file.close()
    inspection.script(path, "INSERT INTO fs_dentry (name, parent_ino, ino) VALUES (CAST(x'ff' AS TEXT), 1, 2)")
    inspection.script(path, "UPDATE kv_store SET value = CAST(x'ff' AS TEXT)")
    inspection.script(path, "UPDATE tool_calls SET error = CAST(x'ff' AS TEXT)")
    with file.reading() as r:
        assert [row.name for row in r.list("/fs")] == ["page"]
        assert r.get("/kv/key").content == b"\xff"
        assert [row.error for row in r.log()] == ["?", "?"]


def test_the_engine_needs_no_newer_sqlite_than_it_says() -> None:
    assert sqlite3.sqlite_version_info >= (3, 38)
