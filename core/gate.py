"""First come, first served before a write.

SQLite's busy handler sleeps and retries, so with many writers one can starve for seconds. Inside a process the
writers of a store queue here instead, a queue for each, and meet an unlocked database. PostgreSQL needs no gate.
"""

import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connection, connections, transaction

from core.errors import HubError

WAIT_SECONDS = 30.0
TOUCH_WAIT_SECONDS = 0.05


class FairLock:
    """A lock that is handed over in the order it was asked for."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._held = False
        self._waiting: deque[threading.Event] = deque()

    def acquire(self, timeout: float) -> bool:
        """Take the lock; False when it was not handed over within `timeout` seconds."""
        with self._guard:
            if not self._held:
                self._held = True
                return True
            turn = threading.Event()
            self._waiting.append(turn)
        if turn.wait(timeout):
            return True
        with self._guard:
            if turn.is_set():  # handed over while the wait ran out
                return True
            self._waiting.remove(turn)
            return False

    def release(self) -> None:
        """Hand the lock to the one who waited longest."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._held = False


_queues: dict[str, FairLock] = defaultdict(FairLock)
_writers = _queues[DEFAULT_DB_ALIAS]


@contextmanager
def write_gate(store: str = DEFAULT_DB_ALIAS) -> Iterator[None]:
    """Hold the process's turn to write to a store, the hub's own if not said; `unavailable` when it comes too late."""
    if connections[store].vendor != "sqlite":
        yield
        return
    turns = _queues[store]
    if not turns.acquire(WAIT_SECONDS):
        raise HubError("unavailable", "The hub is busy. Try again.")
    try:
        yield
    finally:
        turns.release()


def write_if_free(write: Callable[[], object]) -> None:
    """Do a bit of bookkeeping if the store is free; a busy store never delays or fails the call behind it (IDN-07)."""
    if connection.vendor == "sqlite" and not _writers.acquire(TOUCH_WAIT_SECONDS):
        return
    try:
        with _impatient():
            write()
    except DatabaseError:
        return
    finally:
        if connection.vendor == "sqlite":
            _writers.release()


@contextmanager
def _impatient() -> Iterator[None]:
    """Let the store refuse at once what another process, or another transaction, is in the way of."""
    milliseconds = int(TOUCH_WAIT_SECONDS * 1000)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with transaction.atomic():
                cursor.execute(f"SET LOCAL lock_timeout = {milliseconds}")
                yield
            return
        usual = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
        cursor.execute(f"PRAGMA busy_timeout = {milliseconds}")
        try:
            yield
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {usual}")
