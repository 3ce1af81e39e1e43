"""The keys under `/kv` of one AgentFS file: JSON text by exact, case-sensitive key."""

import itertools
import json
import sqlite3
from collections.abc import Iterator
from typing import Never

from agentfs import paths
from agentfs.entries import Row
from core.errors import invalid


class Keys:
    """Reads and writes of `/kv/...`; every path given is canonical."""

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn

    def stat(self, path: str) -> Row | None:
        """Answer the row of a key; where only longer keys are there, the row of a directory."""
        row = self._conn.execute(
            "SELECT length(CAST(value AS BLOB)), updated_at FROM kv_store WHERE key = ?", (self._stored(path),)
        ).fetchone()
        name = path.rpartition("/")[2]
        if row is not None:
            return Row(name, path, "key", *row)
        return Row(name, path, "dir", 0, None) if path == "/kv" or self.rows(path) else None

    def content(self, path: str) -> bytes | None:
        """Answer the stored bytes, None where no such key is there."""
        row = self._conn.execute(
            "SELECT CAST(value AS BLOB) FROM kv_store WHERE key = ?", (self._stored(path),)
        ).fetchone()
        return row and bytes(row[0])

    def rows(self, path: str) -> list[Row] | None:
        """Answer one level: keys, and a directory for each first name of the longer ones."""
        level: dict[tuple[str, str], Row] = {}
        for row in self._below(path):
            name, slash, _ = row.path[len(path) + 1 :].partition("/")
            kind = "dir" if slash else "key"
            found = Row(name, f"{path}/{name}", "dir", 0, None) if slash else row
            level.setdefault((name, kind), found)
        ordered = sorted(level.values(), key=lambda row: (row.name.encode(), row.type == "dir"))
        return ordered if ordered or path == "/kv" else None

    def walk(self, path: str) -> Iterator[Row]:
        """Yield the key at a path, then every key below it."""
        row = self.stat(path)
        if row is not None and row.type == "key":
            yield row
        yield from self._below(path)

    def names(self, prefix: str) -> list[str]:
        """Answer the keys that start with exactly this text."""
        start = prefix.encode(errors="ignore").decode()
        rows = self._conn.execute("SELECT key FROM kv_store WHERE key >= ? ORDER BY key", (start,))
        return list(itertools.takewhile(lambda key: key.startswith(prefix), (key for (key,) in rows)))

    def write(self, path: str, data: bytes) -> None:
        """Store JSON text as it is; `invalid_argument` (field `content`) for anything else."""
        if not paths.key_of(path):
            raise invalid("path", "A key needs a name below /kv.")
        self._conn.execute(
            """INSERT INTO kv_store (key, value, updated_at) VALUES (?, ?, unixepoch())
            ON CONFLICT(key) DO UPDATE SET value = excluded.value, updated_at = unixepoch()""",
            (self._stored(path), json_text(data)),
        )

    def remove(self, path: str) -> None:
        """Remove a key; `invalid_argument` where only longer keys are there."""
        if not self._conn.execute("DELETE FROM kv_store WHERE key = ?", (self._stored(path),)).rowcount:
            raise invalid("path", "This is a directory of keys, not a key.", type="dir")

    def _below(self, path: str) -> Iterator[Row]:
        prefix = paths.key_of(path + "/")
        for key, size, modified in self._from(prefix):
            name = paths.nfc(key)
            if name.startswith(prefix) and all(paths.is_name(part) for part in name.split("/")):
                yield Row(name.rpartition("/")[2], f"/kv/{name}", "key", size, modified)

    def _from(self, prefix: str) -> Iterator[tuple[str, int, int | None]]:
        """Yield the rows under a prefix by the index, or every row where another normal form may hide one."""
        exact = not paths.may_be_stored_otherwise(prefix)
        rows: Iterator[tuple[str, int, int | None]] = self._conn.execute(
            "SELECT key, length(CAST(value AS BLOB)), updated_at FROM kv_store WHERE key >= ? ORDER BY key",
            (prefix if exact else "",),
        )
        return itertools.takewhile(lambda row: row[0].startswith(prefix), rows) if exact else rows

    def _stored(self, path: str) -> str:
        """Answer the spelling a key is stored under: its own unless a foreign file holds another normal form."""
        key = paths.key_of(path)
        found = self._conn.execute("SELECT 1 FROM kv_store WHERE key = ?", (key,)).fetchone()
        if found or not paths.may_be_stored_otherwise(key):
            return key
        keys = self._conn.execute("SELECT key FROM kv_store ORDER BY key")
        return next((other for (other,) in keys if paths.nfc(other) == key), key)


def json_text(data: bytes) -> str:
    """Answer the text of a JSON value in UTF-8; `invalid_argument` (field `content`) for what is none."""
    try:
        text = data.decode()
        json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise invalid("content", "A key holds JSON text in UTF-8.") from error
    return text


def _no_constant(name: str) -> Never:
    raise ValueError(name)
