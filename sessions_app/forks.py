"""Forks on their way: a copy that has no row yet is no orphan (see ``sessions_app/jobs.py``)."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agentfs.claims import claimed
from sessions_app.brain import brain_path

_MARK = ".fork"


@contextmanager
def underway(project: str, session: str) -> Iterator[None]:
    """Say to every process that a session's file is being made; the end of this process says that it is not."""
    with claimed(brain_path(project, session).with_suffix(_MARK)):
        yield


def is_underway(brain: Path) -> bool:
    """Tell whether some process is making the session of this brain."""
    mark = brain.with_suffix(f"{_MARK}.claim")
    try:
        descriptor = os.open(mark, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
