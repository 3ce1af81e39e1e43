"""Reads of one AgentFS file, all from one snapshot."""

import itertools
import sqlite3
from collections.abc import Iterator

from agentfs import log
from agentfs.entries import Entry, LogRow, Row
from agentfs.keys import Keys
from agentfs.pages import Pages
from agentfs.paths import canonical
from agentfs.versions import version_of
from core.errors import invalid, not_found

# The class below has a method called list.
Rows = list[Row]
LogRows = list[LogRow]
Names = list[str]
_TOP = (Row("fs", "/fs", "dir", 0, None), Row("kv", "/kv", "dir", 0, None))


class Reader:
    """What `AgentFile.reading()` yields; of use only inside that block."""

    def __init__(self, conn: sqlite3.Connection, max_bytes: int) -> None:
        self._conn = conn
        self._pages = Pages(conn, max_bytes)
        self._keys = Keys(conn)

    def get(self, path: str) -> Entry:
        """Answer a file or a key with its content and version.

        Raises `not_found`, and `invalid_argument` (field `path`) for a directory or a symlink.
        """
        path = canonical(path)
        if path == "/":
            raise invalid("path", "This is a directory.", type="dir")
        row, content = self._store(path).stat(path), self._store(path).content(path)
        if row is None:
            raise not_found("path")
        if content is None:
            raise invalid("path", "This is a directory of keys, not a key.", type="dir")
        return Entry(path, row.type, content, version_of(content), len(content), row.modified)

    def stat(self, path: str) -> Entry:
        """Answer a path without its content; raises `not_found`."""
        path = canonical(path)
        row = next((top for top in _TOP if path == top.path), None) or self._row(path)
        if row.type in ("file", "key"):
            version = version_of(self._store(path).content(path) or b"")
            return Entry(path, row.type, b"", version, row.size, row.modified)
        return Entry(path, row.type, b"", "", 0, row.modified)

    def list(self, path: str = "/fs", *, limit: int | None = None, after: str | None = None) -> Rows:
        """Answer one level, ordered by name bytes; `after` is the last name already seen.

        A name that is both a key and a directory of keys gives two rows, and never splits between two pages.
        Raises `not_found`, and `invalid_argument` for what is no directory.
        """
        rows = self._level(canonical(path))
        names = {
            row.name: None for row in rows if after is None or row.name.encode() > after.encode(errors="surrogatepass")
        }
        shown = set(itertools.islice(names, limit))
        return [row for row in rows if row.name in shown]

    def keys(self, prefix: str = "") -> Names:
        """Answer the keys that start with exactly this text, ordered by their bytes."""
        return self._keys.names(prefix)

    def walk(self, path: str = "/fs") -> Iterator[Row]:
        """Yield every file (or key) at and below a path; nothing where there is none."""
        path = canonical(path)
        tops = ("/fs", "/kv") if path == "/" else (path,)
        return itertools.chain.from_iterable(self._store(top).walk(top) for top in tops)

    def log(  # noqa: PLR0913 - each is one column a reader filters by
        self,
        *,
        path: str | None = None,
        actor: str | None = None,
        op: str | None = None,
        before_id: int | None = None,
        after_id: int | None = None,
        limit: int = 50,
    ) -> LogRows:
        """Answer log rows, newest first; with `after_id`, oldest first (KNB-06)."""
        path = None if path is None else canonical(path)
        return log.rows(self._conn, path=path, actor=actor, op=op, before_id=before_id, after_id=after_id, limit=limit)

    def last_write(self, path: str) -> LogRow | None:
        """Answer the newest log row of a path, by an index; None where there is none."""
        return next(iter(self.log(path=path, limit=1)), None)

    def last_log_id(self) -> int:
        """Answer the id of the newest log row, 0 where there is none."""
        return log.last_id(self._conn)

    def _store(self, path: str) -> Pages | Keys:
        return self._keys if path.startswith("/kv") else self._pages

    def _row(self, path: str) -> Row:
        if path == "/":
            return Row("", "/", "dir", 0, None)
        row = self._store(path).stat(path)
        if row is None:
            raise not_found("path")
        return row

    def _level(self, path: str) -> Rows:
        if path == "/":
            return list(_TOP)
        rows = self._store(path).rows(path)
        if rows is not None:
            return rows
        if self._store(path).stat(path):
            raise invalid("path", "This is not a directory.")
        raise not_found("path")
