"""The files under `/fs` of one AgentFS file."""

import sqlite3
import time
from collections.abc import Iterator

from agentfs import inode_writes, inodes, paths
from agentfs.entries import Row
from agentfs.inodes import Node
from core.errors import invalid


class Pages:
    """Reads and writes of `/fs/...`; every path given is canonical."""

    def __init__(self, conn: sqlite3.Connection, max_bytes: int) -> None:
        self._conn = conn
        self._max_bytes = max_bytes

    def stat(self, path: str) -> Row | None:
        """Answer the row of a path, None where nothing is there."""
        node = self._find(path)
        return None if node is None else _row(path, node)

    def content(self, path: str) -> bytes | None:
        """Answer the bytes of a file, None where nothing is there, `invalid_argument` where it is no file."""
        node = self._find(path)
        return None if node is None else inodes.content(self._conn, node, self._max_bytes)

    def rows(self, path: str) -> list[Row] | None:
        """Answer one level of a directory, ordered by the bytes of the names."""
        node = self._find(path)
        if node is None:
            return None
        inodes.require_dir(node)
        found = [_row(f"{path}/{name}", child) for name, child in inodes.children(self._conn, node.ino)]
        return sorted(found, key=lambda row: row.name.encode())

    def walk(self, path: str) -> Iterator[Row]:
        """Yield every file below a path, each directory once however a foreign file links them."""
        node = self._find(path)
        seen: set[int] = set()
        pending = [] if node is None else [(path, node)]
        while pending:
            at, node = pending.pop()
            if node.type == "file":
                yield _row(at, node)
            elif node.type == "dir" and node.ino not in seen:
                seen.add(node.ino)
                below = [(f"{at}/{name}", child) for name, child in inodes.children(self._conn, node.ino)]
                pending.extend(sorted(below, key=lambda pair: pair[0].encode(), reverse=True))

    def write(self, path: str, data: bytes) -> None:
        """Store a file, with the directories it needs."""
        now = time.time_ns()
        *above, name = paths.parts_of(path) or [""]
        if not name:
            raise invalid("path", "A file needs a name below /fs.")
        parent = inode_writes.make_dirs(self._conn, above, now)
        node = inodes.child_of(self._conn, parent, name)
        node = node or inode_writes.make(self._conn, parent, name, inode_writes.FILE_MODE, now)
        inode_writes.store(self._conn, node, data, now)

    def remove(self, path: str) -> None:
        """Remove a file, a symlink or an empty directory; `invalid_argument` for any other directory."""
        node = self._find(path)
        if node is None:
            return
        if node.type == "dir" and (not node.parent or next(inodes.children(self._conn, node.ino), None)):
            raise invalid("path", "The directory is not empty.", type="dir")
        inode_writes.unlink(self._conn, node, time.time_ns())

    def _find(self, path: str) -> Node | None:
        return inodes.find(self._conn, paths.parts_of(path))


def _row(path: str, node: Node) -> Row:
    size = node.size if node.type == "file" else 0
    return Row(path.rpartition("/")[2], path, node.type, size, node.modified)
