"""One open SQLite connection to one AgentFS file, and the proof that it is the file the path names now."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
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
        # Ready: its tables are known to be whole, so it is worth keeping.
        # Fresh: the file is blank but for this transaction.
        self.ready = False
        self.fresh = False

    def still_named(self, path: Path) -> bool:
        """Tell whether the path names the file this handle opened; its number is not reused while it is open."""
        return identity_of(path) == self._identity

    def begin_write(self, synchronous: str) -> None:
        """Take the write lock, across processes too; raises SQLite's busy error after the wait."""
        self._tune(synchronous)
        self.conn.execute("BEGIN IMMEDIATE")

    def prepare(self) -> None:
        """Make or complete the tables inside the write transaction; refuses with `unavailable` a foreign database."""
        if self.ready:
            return
        if self.is_blank():
            schema.create(self.conn)
            return
        schema.check(self.conn)
        self.ready = schema.is_complete(self.conn)
        if not self.ready:
            schema.complete(self.conn)

    def is_blank(self) -> bool:
        """Tell, under the write lock, whether the file is still as empty as when it was made."""
        self.fresh = not self.ready and schema.is_blank(self.conn)
        return self.fresh

    def begin_read(self, synchronous: str) -> bool:
        """Open a snapshot; False where the file is blank. Refuses with `unavailable` a foreign database."""
        self._tune(synchronous)
        self.conn.execute("BEGIN")
        if self.ready:
            return True
        if schema.is_blank(self.conn):
            return False
        schema.check(self.conn)
        self.ready = schema.is_complete(self.conn)
        if not self.ready:
            # The handle will not be kept: its stand-ins would hide the tables another process may add later.
            schema.stand_in(self.conn)
        return True

    def commit(self) -> None:
        """Make the changes durable; afterwards the file is in WAL mode, as soon as nobody else holds it."""
        self.conn.execute("COMMIT")
        self.ready, self.fresh = True, False
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

    def remove_blank(self, path: Path) -> None:
        """Unlink the file if it is still blank and nobody else has taken it meanwhile."""
        # In memory: a journal beside the path could, after the unlink, be taken for the next file's.
        self.conn.execute("PRAGMA busy_timeout = 0")
        self.conn.execute("PRAGMA journal_mode = MEMORY")
        with suppress(sqlite3.OperationalError):
            self.conn.execute("BEGIN IMMEDIATE")
            if self.still_named(path) and schema.is_blank(self.conn):
                path.unlink()
            self.conn.execute("ROLLBACK")

    def close(self) -> None:
        """Close the connection; as the last one it folds the write-ahead log in."""
        self.conn.close()

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


def open_handle(path: Path, *, create: bool) -> Handle | None:
    """Open the file the path names; None where it names none, or changed hands meanwhile."""
    try:
        if create:
            _make_blank(path)
        with _pinned(path) as identity:
            handle = Handle(connect(path), identity)
            if handle.still_named(path):
                return handle
            handle.close()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise failures.storage() from error
    return None


def _make_blank(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        # Only ever makes: a plain descriptor on a file that is open here would, when closed, drop its locks.
        path.touch(mode=0o600, exist_ok=False)


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


def remove(path: Path, held: Handle | None) -> None:
    """Unlink the file with its journals, so that no other process ever mixes an old journal with a new file.

    The handle that holds its write lock is closed on the way.

    A blank file we hold locked takes the path first: who comes meanwhile waits for it, and then finds it gone.
    """
    tomb = path.with_name(f"{path.name}.{os.getpid()}-{os.urandom(4).hex()}.removed")
    tomb.touch(mode=0o600, exist_ok=False)
    with closing(connect(tomb)) as conn:
        conn.execute("PRAGMA journal_mode = MEMORY")
        conn.execute("BEGIN IMMEDIATE")
        tomb.replace(path)
        if held is not None:
            held.close()
        for suffix in ("-wal", "-shm", "-journal"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        path.unlink()
        conn.execute("ROLLBACK")


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
