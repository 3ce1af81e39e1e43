"""Forks on their way: a copy that has no row yet is no orphan (see ``sessions_app/jobs.py``)."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

_guard = threading.Lock()
_ids: set[str] = set()


@contextmanager
def underway(session: str) -> Iterator[None]:
    """Say that a session's file is being made in this process."""
    with _guard:
        _ids.add(session)
    try:
        yield
    finally:
        with _guard:
            _ids.discard(session)


def is_underway(session: str) -> bool:
    """Tell whether a session's file is being made in this process."""
    with _guard:
        return session in _ids
