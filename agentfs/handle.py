"""One open SQLite connection to one AgentFS file, and the proof that it is the file the path names now."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final
from urllib.parse import quote

from agentfs import failures, schema
from agentfs.limits import JOURNAL_BYTES, limits

_PIN: Final[int | None] = getattr(os, "O_PATH", None)
Identity = tuple[int, int]


class Handle:
    """A connection that knows which inode it opened. Used by one thread at a time, under its file's lock."""

    def __init__(self, conn: sqlite3.Connection, identity: Identity) -> None:
        self.conn = conn
        self._identity = identity
        self._tuned: tuple[str, float] | None = None
        self._wal = False
        # Its tables are known to be whole; only then is the handle worth keeping.
        self.ready = False

    def still_named(self, path: Path) -> bool:
        """Tell whether the path names the file this handle opened; its number is not reused while it is open."""
        return identity_of(path) == self._identity

    def begin_write(self, synchronous: str) -> None:
        """Take the write lock, across processes too, and complete the tables of a file from elsewhere.

        Raises SQLite's busy error after the wait, `unavailable` for a foreign database.
        """
        self._tune(synchronous)
        self.conn.execute("BEGIN IMMEDIATE")
        if not self._is_whole():
            schema.complete(self.conn)

    def begin_read(self, synchronous: str) -> None:
        """Open a snapshot. Refuses with `unavailable` a foreign database."""
        self._tune(synchronous)
        self.conn.execute("BEGIN")
        # SQLite takes the snapshot, and opens the journal that stands beside the path, at the first look.
        self.conn.execute("SELECT 1 FROM main.sqlite_master LIMIT 1").fetchone()
        if not self._is_whole():
            # The handle will not be kept: its stand-ins would hide the tables another process may add later.
            schema.stand_in(self.conn)

    def commit(self) -> None:
        """Make the changes durable; afterwards the file is in WAL mode, as soon as nobody else holds it."""
        self.conn.execute("COMMIT")
        self.ready = True
        if not self._wal:
            self._wal = self._to_wal()

    def rollback(self) -> None:
        """Give up the transaction, if one is open."""
        if self.conn.in_transaction:
            self.conn.execute("ROLLBACK")

    def fold(self, synchronous: str) -> bool:
        """Fold the write-ahead log into the file and truncate it; False where a reader elsewhere held it back."""
        self._tune(synchronous)
        blocked = self.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        return not blocked

    def close(self) -> None:
        """Close the connection; as the last one it folds the write-ahead log in."""
        self.conn.close()

    def _is_whole(self) -> bool:
        if not self.ready:
            schema.check(self.conn)
            self.ready = schema.is_complete(self.conn)
        return self.ready

    def _tune(self, synchronous: str) -> None:
        wanted = (synchronous, limits.busy_seconds)
        if wanted != self._tuned:
            self.conn.execute(f"PRAGMA busy_timeout = {int(limits.busy_seconds * 1000)}")
            self.conn.execute(f"PRAGMA synchronous = {synchronous}")
            self._tuned = wanted

    def _to_wal(self) -> bool:
        # Not worth a wait: the next write tries again.
        self._tuned = None
        self.conn.execute("PRAGMA busy_timeout = 0")
        with suppress(sqlite3.OperationalError):
            return bool(self.conn.execute("PRAGMA journal_mode = WAL").fetchone()[0] == "wal")
        return False


def identity_of(path: Path) -> Identity | None:
    """Answer device and inode of what the path names, None where it names nothing."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def open_handle(path: Path) -> Handle | None:
    """Open the file the path names; None where it names none, or changed hands meanwhile."""
    try:
        with _pinned(path) as identity:
            return _opened(path, identity)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise failures.storage() from error


def _opened(path: Path, identity: Identity) -> Handle | None:
    try:
        handle = Handle(connect(path), identity)
    except sqlite3.OperationalError:
        if identity_of(path) == identity:
            raise
        return None
    if handle.still_named(path):
        return handle
    handle.close()
    return None


def connect(path: Path) -> sqlite3.Connection:
    """Open a connection that creates no file, runs no trigger or view of the file, and overwrites what it deletes."""
    # Not mode=ro: that would leave -wal and -shm behind.
    uri = f"file:{quote(str(path))}?mode=rw"
    conn = sqlite3.connect(uri, uri=True, timeout=limits.busy_seconds, isolation_level=None, check_same_thread=False)
    conn.text_factory = _text
    conn.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)  # noqa: FBT003 - the module's own signature
    conn.setconfig(sqlite3.SQLITE_DBCONFIG_ENABLE_TRIGGER, False)  # noqa: FBT003 - as above
    conn.setconfig(sqlite3.SQLITE_DBCONFIG_ENABLE_VIEW, False)  # noqa: FBT003 - as above
    for pragma in ("trusted_schema = OFF", "temp_store = MEMORY", "cell_size_check = ON", "secure_delete = ON"):
        conn.execute(f"PRAGMA {pragma}")
    conn.execute(f"PRAGMA journal_size_limit = {JOURNAL_BYTES}")
    return conn


@contextmanager
def _pinned(path: Path) -> Iterator[Identity]:
    """Keep the inode the path names from being freed, and its number from being used again, while we open it."""
    if _PIN is None:
        found = path.stat()
        yield found.st_dev, found.st_ino
        return
    # Closing an O_PATH descriptor, unlike any other, leaves SQLite's POSIX locks on the file alone.
    descriptor = os.open(path, _PIN | os.O_CLOEXEC)
    try:
        found = os.fstat(descriptor)
        yield found.st_dev, found.st_ino
    finally:
        os.close(descriptor)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
