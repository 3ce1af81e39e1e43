"""Append events from the threads of a process of its own, whose clock keeps stepping back."""

import itertools
import sys
import threading

import django

django.setup()

from core import ids  # noqa: E402 - Django first
from core.actor import HUB  # noqa: E402
from inbox.operations import post_signal  # noqa: E402

THREADS = 3


def step_back(start_ms: int) -> None:
    """Make the clock lose a second now and then, and be off by minutes from the other processes."""
    readings = itertools.count()
    ids.now_ms = lambda: start_ms + (reading := next(readings)) - 1000 * (reading // 10)


def append(slug: str, writer: str, count: int) -> None:
    """Append `count` events one after the other."""
    for number in range(count):
        post_signal(HUB, slug, summary=f"{writer} {number}")


def main(slug: str, writer: str, count: int, start_ms: int) -> None:
    """Append from several threads at once."""
    step_back(start_ms)
    threads = [threading.Thread(target=append, args=(slug, f"{writer}{number}", count)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
