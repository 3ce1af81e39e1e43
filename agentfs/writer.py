"""Writes to one AgentFS file: each is a change and its log row in the same transaction (KNB-03, KNB-05)."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from agentfs import failures, log, memos
from agentfs.entries import Row, Written
from agentfs.paths import canonical
from agentfs.reader import Reader
from agentfs.versions import ABSENT, check_token, compare, version_of
from core.errors import HubError, invalid, not_found


class Writer(Reader):
    """What `AgentFile.writing()` yields; nothing it does is seen elsewhere before the block ends."""

    def __init__(self, conn: sqlite3.Connection, max_bytes: int) -> None:
        super().__init__(conn, max_bytes)
        self._max_file_bytes = max_bytes
        self.changed = False

    def put(  # noqa: PLR0913 - the content, and what the log keeps of it
        self,
        path: str,
        data: bytes,
        *,
        actor: str,
        if_version: str | None = None,
        op: str = "put",
        max_bytes: int | None = None,
        note: dict[str, Any] | None = None,
    ) -> Written:
        """Store a file or a key, with the directories it needs.

        Raises `version_mismatch` (with `current`) where `if_version` no longer holds, `payload_too_large` (with
        `limit`), and `invalid_argument` for a path no file can have, a key's content that is no JSON, or a bad token.
        """
        path = self._writable(path, if_version)
        if if_version is not None:
            compare(if_version, self._store(path).content(path))
        return self._stored(path, data, op=op, actor=actor, max_bytes=max_bytes, note=note)

    def append(  # noqa: PLR0913 - as put
        self,
        path: str,
        data: bytes,
        *,
        actor: str,
        if_version: str | None = None,
        max_bytes: int | None = None,
        note: dict[str, Any] | None = None,
    ) -> Written:
        """Add bytes to the end of a file, making it where it is absent; raises what `put` raises."""
        path = self._writable(path, if_version)
        if path.startswith("/kv"):
            raise invalid("path", "A key holds one JSON value: put it as a whole.")
        content = self._store(path).content(path)
        if if_version is not None:
            compare(if_version, content)
        return self._stored(path, (content or b"") + data, op="append", actor=actor, max_bytes=max_bytes, note=note)

    def delete(
        self, path: str, *, actor: str, if_version: str | None = None, note: dict[str, Any] | None = None
    ) -> None:
        """Remove a file, a key, a symlink or an empty directory.

        Raises `not_found`, `version_mismatch`, and `invalid_argument` for a directory that is not empty.
        """
        path = self._writable(path, if_version)
        if self._store(path).stat(path) is None:
            raise not_found("path")
        if if_version is not None:
            compare(if_version, self._store(path).content(path))
        with self._step():
            self._store(path).remove(path)
            log.append(self._conn, "delete", path=path, actor=actor, result={"version": ABSENT, "size": 0}, note=note)

    def memo(self, key: str) -> str | None:
        """Answer a memo kept with `keep_memo`; None where there is none, or its time is over."""
        return memos.read(self._conn, key)

    def keep_memo(self, key: str, value: str, *, seconds: int) -> None:
        """Keep a note beside what this block wrote, for some seconds; it is no entry and no log row."""
        memos.keep(self._conn, key, value, seconds)

    def _writable(self, path: str, if_version: str | None) -> str:
        check_token(if_version)
        path = canonical(path)
        if path in ("/", "/fs", "/kv"):
            raise invalid("path", "This directory always stands; name something below it.", type="dir")
        return path

    def _stored(  # noqa: PLR0913 - as put
        self,
        path: str,
        data: bytes,
        *,
        op: str,
        actor: str,
        max_bytes: int | None,
        note: dict[str, Any] | None,
    ) -> Written:
        before = self._store(path).stat(path)
        self._check_size(len(data), before, max_bytes)
        version = version_of(data)
        result = {"version": version, "size": len(data)}
        with self._step():
            self._store(path).write(path, data)
            row_id = log.append(self._conn, op, path=path, actor=actor, result=result, note=note)
        return Written(path, version, len(data), before is None or before.type == "dir", row_id)

    @contextmanager
    def _step(self) -> Iterator[None]:
        """Undo a write that fails half way, for a caller who catches that and goes on."""
        if not self._conn.in_transaction:
            # SQLite itself rolled back (a full disk); from here on each statement would commit alone.
            raise failures.storage()
        self._conn.execute("SAVEPOINT step")
        try:
            yield
        except BaseException:
            if self._conn.in_transaction:
                self._conn.execute("ROLLBACK TO step")
                self._conn.execute("RELEASE step")
            raise
        self._conn.execute("RELEASE step")
        self.changed = True

    def _check_size(self, size: int, before: Row | None, max_bytes: int | None) -> None:
        if max_bytes is not None and size > max_bytes:
            raise HubError("payload_too_large", "The content is too large.", limit=max_bytes, size=size)
        growth = size - (before.size if before else 0)
        if growth > 0 and self._used_bytes() + growth > self._max_file_bytes:
            raise HubError("payload_too_large", "The file is full; delete something first.", limit=self._max_file_bytes)

    def _used_bytes(self) -> int:
        (pages,), (free,), (size,) = (
            self._conn.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "freelist_count", "page_size")
        )
        return int((pages - free) * size)
