"""Reading the file tree: names to inodes, directories to rows, chunks to bytes, also of foreign files."""

import sqlite3
import stat
from collections.abc import Iterator
from typing import Final, NamedTuple

from agentfs import failures, paths
from agentfs.entries import EntryType
from agentfs.schema import DEFAULT_CHUNK_BYTES, DIR_MODE, ROOT_INO
from core.errors import HubError, invalid

_TYPES: Final[dict[int, EntryType]] = {stat.S_IFDIR: "dir", stat.S_IFREG: "file", stat.S_IFLNK: "symlink"}
_CHILD: Final = """SELECT d.name, i.ino, i.mode, i.size, i.mtime FROM fs_dentry d JOIN fs_inode i ON i.ino = d.ino
    WHERE d.parent_ino = ? AND d.name = ?"""
_CHILDREN: Final = """SELECT d.name, i.ino, i.mode, i.size, i.mtime FROM fs_dentry d JOIN fs_inode i ON i.ino = d.ino
    WHERE d.parent_ino = ? ORDER BY d.name"""


class Node(NamedTuple):
    """An inode as one directory entry names it; `name` is the stored spelling. A tuple: listings make many."""

    name: str
    ino: int
    mode: int
    size: int
    modified: int | None
    parent: int = 0

    @property
    def type(self) -> EntryType:
        """The type a listing shows."""
        return _TYPES.get(stat.S_IFMT(self.mode), "other")


def find(conn: sqlite3.Connection, parts: list[str]) -> Node | None:
    """Answer the node these names lead to, None where a name is missing.

    Raises `invalid_argument` where a name on the way is no directory.
    """
    node = Node("fs", ROOT_INO, DIR_MODE, 0, None) if parts else _root(conn)
    for name in parts:
        require_dir(node)
        child = child_of(conn, node.ino, name)
        if child is None:
            return None
        node = child
    return node


def require_dir(node: Node) -> None:
    """Refuse with `invalid_argument` to look inside what is no directory."""
    if node.type != "dir":
        raise invalid("path", f"{paths.nfc(node.name)!r} is not a directory.")


def child_of(conn: sqlite3.Connection, parent: int, name: str) -> Node | None:
    """Answer the entry of this canonical name, also where an import stored another normal form."""
    row = conn.execute(_CHILD, (parent, name)).fetchone()
    if row is None and paths.may_be_stored_otherwise(name):
        names = conn.execute("SELECT name FROM fs_dentry WHERE parent_ino = ? ORDER BY name", (parent,))
        stored = next((other for (other,) in names if paths.nfc(other) == name), None)
        row = stored and conn.execute(_CHILD, (parent, stored)).fetchone()
    return _node(row, parent) if row else None


def children(conn: sqlite3.Connection, parent: int) -> Iterator[tuple[str, Node]]:
    """Yield the canonical name and the node of each entry that a path can name, each name once.

    Where two spellings of one name exist, the canonical one is it.
    """
    nodes = [_node(row, parent) for row in conn.execute(_CHILDREN, (parent,))]
    stored = {node.name for node in nodes}
    seen: set[str] = set()
    for node in nodes:
        name = paths.nfc(node.name)
        shadowed = name != node.name and name in stored
        if not shadowed and name not in seen and paths.is_name(name):
            seen.add(name)
            yield name, node


def content(conn: sqlite3.Connection, node: Node, limit: int) -> bytes:
    """Answer the bytes of a file: its chunks in place, holes as zeros, cut at the size its inode states."""
    if node.type != "file":
        raise invalid("path", f"{paths.nfc(node.name)!r} is not a file.", type=node.type)
    if node.size > limit:
        raise HubError("payload_too_large", "The stored file is too large to read.", limit=limit)
    step = chunk_bytes(conn)
    found = bytearray(node.size)
    for index, data in chunks(conn, node.ino).items():
        start = index * step
        kept = data[: min(step, max(0, node.size - start))] if index >= 0 else b""
        found[start : start + len(kept)] = kept
    return bytes(found)


def chunks(conn: sqlite3.Connection, ino: int) -> dict[int, bytes]:
    """Answer the stored chunks of an inode by their index."""
    rows = conn.execute(
        "SELECT chunk_index, CAST(data AS BLOB) FROM fs_data WHERE ino = ? ORDER BY chunk_index", (ino,)
    )
    return dict(rows.fetchall())


def chunk_bytes(conn: sqlite3.Connection) -> int:
    """Answer the chunk size this file was made with."""
    row = conn.execute("SELECT value FROM fs_config WHERE key = 'chunk_size'").fetchone()
    text = str(DEFAULT_CHUNK_BYTES if row is None else row[0])
    if not text.isdecimal() or int(text) == 0:
        raise failures.damaged()
    return int(text)


def _root(conn: sqlite3.Connection) -> Node:
    row = conn.execute("SELECT mtime FROM fs_inode WHERE ino = ?", (ROOT_INO,)).fetchone()
    return Node("fs", ROOT_INO, DIR_MODE, 0, row and row[0])


def _node(row: tuple[str, int, int, int, int | None], parent: int) -> Node:
    name, ino, mode, size, modified = row
    return Node(name, ino, mode, max(0, size), modified, parent)
