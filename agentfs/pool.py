"""The files this process holds open, least recently used first."""

import threading
from collections import OrderedDict
from typing import Protocol

from agentfs.limits import limits


class Closable(Protocol):
    """What the pool holds."""

    def close_if_idle(self) -> bool:
        """Close the handle and leave the pool, unless some thread is using it."""

    def close(self) -> None:
        """Close the handle and leave the pool, after whoever uses it."""


class Pool:
    """Keeps the number of open handles near the limit; a handle in use is passed over, so it may go above it."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._open: OrderedDict[Closable, None] = OrderedDict()

    def used(self, file: Closable) -> None:
        """Note that a file has just been used, and close the oldest ones above the limit."""
        with self._mutex:
            self._open[file] = None
            self._open.move_to_end(file)
            surplus = len(self._open) - limits.open_files
            oldest = list(self._open)[:-1] if surplus > 0 else []
        # Outside the mutex: closing takes the file's own lock, which comes before this one.
        for other in oldest:
            if surplus > 0 and other.close_if_idle():
                surplus -= 1

    def forget(self, file: Closable) -> None:
        """Drop a file whose handle is closed."""
        with self._mutex:
            self._open.pop(file, None)

    def all(self) -> list[Closable]:
        """Answer the files that are open now."""
        with self._mutex:
            return list(self._open)

    def start_over_after_fork(self) -> None:
        """Forget everything, in a child whose parent may have held the mutex."""
        self._mutex = threading.Lock()
        self._open = OrderedDict()
