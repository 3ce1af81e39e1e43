"""What changed, told after the commit: identifiers only.

`announce` sends once the surrounding transaction has committed. Whoever listens re-reads under its own rights, so
nothing leaks through a group. Inside a process one `Board` fans out to bounded queues (a slow listener is cut off
and catches up by id); between processes a relay set by the server carries the same note (see ``hubsite/live.py``).
"""

import asyncio
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from django.db import transaction

QUEUE_LENGTH: Final = 256
STOPPING: Final = "stopping"
"""The group that is told when the server is about to stop: whoever waits answers what is known so far."""
type Note = dict[str, Any]


class Subscription:
    """One listener's queue, filled from any thread, read on the event loop that made it."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._notes: asyncio.Queue[Note] = asyncio.Queue(QUEUE_LENGTH)
        self._overflowed = asyncio.Event()

    @property
    def overflowed(self) -> bool:
        """Whether a note was lost; the listener must catch up by id."""
        return self._overflowed.is_set()

    async def next(self) -> Note:
        """Wait for the next note."""
        return await self._notes.get()

    def offer(self, note: Note) -> None:
        """Queue a note from any thread; a loop that has closed is ignored."""
        try:
            self._loop.call_soon_threadsafe(self._put, note)
        except RuntimeError:  # the loop is closed: nobody is left to listen
            return

    def _put(self, note: Note) -> None:
        try:
            self._notes.put_nowait(note)
        except asyncio.QueueFull:
            self._overflowed.set()


class Board:
    """Who listens to which group, in this process."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._listeners: dict[str, set[Subscription]] = defaultdict(set)

    @contextmanager
    def listen(self, *groups: str) -> Iterator[Subscription]:
        """Subscribe the running event loop to `groups` until the block ends."""
        subscription = Subscription()
        with self._guard:
            for group in groups:
                self._listeners[group].add(subscription)
        try:
            yield subscription
        finally:
            with self._guard:
                for group in groups:
                    self._listeners[group].discard(subscription)
                    if not self._listeners[group]:
                        del self._listeners[group]

    def post(self, note: Note) -> None:
        """Hand `note` to everyone who listens to its group."""
        with self._guard:
            listeners = list(self._listeners.get(note["group"], ()))
        for subscription in listeners:
            subscription.offer(note)


board: Final = Board()
_relays: list[Callable[[Note], None]] = []


def relay_with(relay: Callable[[Note], None] | None) -> None:
    """Set how notes reach the other processes; None for one process."""
    _relays[:] = [relay] if relay else []


def announce(group: str, **ids: str) -> None:
    """Tell `group` about `ids` once the current transaction has committed, and never if it does not."""
    transaction.on_commit(lambda: _send({"group": group, **ids}), robust=True)


def _send(note: Note) -> None:
    board.post(note)
    for relay in _relays:
        relay(note)
