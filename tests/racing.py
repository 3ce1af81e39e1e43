"""Calls made at the same moment, each on a thread and a database connection of its own."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Self

from django.db import connections


def on_own_connection[R](call: Callable[[], R]) -> R:
    """Make a call, and close the thread's connections after it."""
    try:
        return call()
    finally:
        connections.close_all()


def together[R](calls: Sequence[Callable[[], R]]) -> list[R]:
    """Answer what the calls answer, all begun at once."""
    start = threading.Barrier(len(calls))

    def begin(call: Callable[[], R]) -> R:
        start.wait(30)
        return on_own_connection(call)

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(begin, calls))


class Meanwhile:
    """Calls that threads repeat until the block ends; a call that answers False ends its own thread."""

    def __init__(self, *calls: Callable[[], bool]) -> None:
        self._done = threading.Event()
        self._failures: list[BaseException] = []
        self._threads = [threading.Thread(target=self._repeat, args=(call,)) for call in calls]

    def _repeat(self, call: Callable[[], bool]) -> None:
        def until_done() -> None:
            while not self._done.is_set() and call():
                pass

        try:
            on_own_connection(until_done)
        except BaseException as failure:  # noqa: BLE001 - raised again in the test's thread
            self._failures.append(failure)

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def wait(self) -> None:
        """Wait until every call has answered False."""
        for thread in self._threads:
            thread.join(60)

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self.wait()
        if self._failures:
            raise self._failures[0]
