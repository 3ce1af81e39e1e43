"""A new file while its first transaction is open: under another name, until it is whole."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from agentfs import schema
from agentfs.claims import beside, discard, publish, sync
from agentfs.failures import on_disk
from agentfs.handle import connect
from core.errors import HubError


class Draft:
    """The file to be; its one transaction is open from the start."""

    def __init__(self, conn: sqlite3.Connection, path: Path) -> None:
        self.conn = conn
        self._path = path

    def commit(self) -> None:
        """Make the changes durable and the file appear at its path."""
        self.conn.execute("COMMIT")
        self.conn.execute("PRAGMA journal_mode = WAL")
        self.conn.close()
        with on_disk():
            publish(_draft_of(self._path), self._path)


@contextmanager
def drafted(path: Path, synchronous: str) -> Iterator[Draft]:
    """Make a new file, under the claim on its path; without a commit nothing is left of it."""
    with _emptied(path) as draft, closing(connect(draft)) as conn:
        conn.execute(f"PRAGMA synchronous = {synchronous}")
        # Nobody sees the draft, so a kill may break it; the commit itself still waits for the disk.
        conn.execute("PRAGMA journal_mode = MEMORY")
        conn.execute("BEGIN IMMEDIATE")
        schema.create(conn)
        yield Draft(conn, path)


def copy(source: Path, destination: Path) -> None:
    """Copy what is committed, under the source's write lock and the claim on the destination.

    A second connection does it: the first is inside the transaction that is the lock, where VACUUM cannot run.
    Raises `conflict` where a file is there.
    """
    if destination.exists():
        raise HubError("conflict", "The destination is there already.")
    with _emptied(destination) as draft:
        with closing(connect(source)) as conn:
            conn.execute("VACUUM INTO ?", (str(draft),))
        with closing(connect(draft)) as conn:
            conn.execute("PRAGMA journal_mode = WAL")
        with on_disk():
            sync(draft)
            publish(draft, destination)


@contextmanager
def _emptied(path: Path) -> Iterator[Path]:
    """Give the name of the draft, empty (a killed process may have left one) and gone afterwards."""
    draft = _draft_of(path)
    try:
        with on_disk():
            discard(draft)
            draft.touch(mode=0o600)
        yield draft
    finally:
        discard(draft)


def _draft_of(path: Path) -> Path:
    return beside(path, ".new")
