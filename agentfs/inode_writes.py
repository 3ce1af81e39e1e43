"""Changing the file tree, always inside the caller's transaction."""

import sqlite3
from typing import Final

from agentfs import inodes
from agentfs.inodes import Node
from agentfs.schema import DIR_MODE
from core.errors import invalid

FILE_MODE: Final = 0o100644
_NANO: Final = 1_000_000_000


def make_dirs(conn: sqlite3.Connection, parts: list[str], now_ns: int) -> int:
    """Answer the inode of the directory these names lead to, making what is missing on the way."""
    at = inodes.find(conn, [])
    for name in parts:
        assert at is not None  # noqa: S101 - for the type checker: a root always stands
        inodes.require_dir(at)
        parent = at.ino
        at = inodes.child_of(conn, parent, name) or make(conn, parent, name, DIR_MODE, now_ns)
    assert at is not None  # noqa: S101 - as above
    inodes.require_dir(at)
    return at.ino


def make(conn: sqlite3.Connection, parent: int, name: str, mode: int, now_ns: int) -> Node:
    """Add an empty inode under this name, with one link (the SDK's own count, also for directories)."""
    seconds, nanos = divmod(now_ns, _NANO)
    ino = conn.execute(
        """INSERT INTO fs_inode (mode, nlink, atime, mtime, ctime, atime_nsec, mtime_nsec, ctime_nsec)
        VALUES (?, 1, ?, ?, ?, ?, ?, ?)""",
        (mode, seconds, seconds, seconds, nanos, nanos, nanos),
    ).lastrowid
    # OR REPLACE: a foreign entry whose inode is gone counts as absent, and its name is free.
    conn.execute("INSERT OR REPLACE INTO fs_dentry (name, parent_ino, ino) VALUES (?, ?, ?)", (name, parent, ino))
    _touch(conn, parent, now_ns)
    return Node(name, ino or 0, mode, 0, seconds, parent)


def store(conn: sqlite3.Connection, node: Node, data: bytes, now_ns: int) -> None:
    """Replace the content of a file; a chunk that is the same already stays, so an append writes little."""
    if node.type != "file":
        raise invalid("path", f"{node.name!r} is not a file.", type=node.type)
    step = inodes.chunk_bytes(conn)
    stored = inodes.chunks(conn, node.ino)
    parts = {index: data[start : start + step] for index, start in enumerate(range(0, len(data), step))}
    conn.executemany(
        "INSERT OR REPLACE INTO fs_data (ino, chunk_index, data) VALUES (?, ?, ?)",
        [(node.ino, index, part) for index, part in parts.items() if stored.get(index) != part],
    )
    conn.executemany(
        "DELETE FROM fs_data WHERE ino = ? AND chunk_index = ?",
        [(node.ino, index) for index in stored if index not in parts],
    )
    _touch(conn, node.ino, now_ns, len(data))


def unlink(conn: sqlite3.Connection, node: Node, now_ns: int) -> None:
    """Remove the entry, and with its last entry the inode and every chunk of it."""
    conn.execute("DELETE FROM fs_dentry WHERE parent_ino = ? AND name = ?", (node.parent, node.name))
    _touch(conn, node.parent, now_ns)
    # Counted, not read from nlink: foreign files keep that number in more than one way.
    links = conn.execute("SELECT count(*) FROM fs_dentry WHERE ino = ?", (node.ino,)).fetchone()[0]
    if links:
        conn.execute("UPDATE fs_inode SET nlink = ? WHERE ino = ?", (links, node.ino))
        return
    for statement in (
        "DELETE FROM fs_data WHERE ino = ?",
        "DELETE FROM fs_symlink WHERE ino = ?",
        "DELETE FROM fs_inode WHERE ino = ?",
    ):
        conn.execute(statement, (node.ino,))


def _touch(conn: sqlite3.Connection, ino: int, now_ns: int, size: int | None = None) -> None:
    seconds, nanos = divmod(now_ns, _NANO)
    conn.execute(
        """UPDATE fs_inode SET size = coalesce(?, size), mtime = ?, ctime = ?, mtime_nsec = ?, ctime_nsec = ?
        WHERE ino = ?""",
        (size, seconds, seconds, nanos, nanos, ino),
    )
