"""Forks on their way: a copy that has no row yet is no orphan (see ``sessions_app/jobs.py``)."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agentfs.claims import beside, claimed
from sessions_app.brain import brain_path


def _mark(brain: Path) -> Path:
    return brain.with_suffix(".fork")


@contextmanager
def underway(project: str, session: str) -> Iterator[None]:
    """Say to every process that a session's file is being made; the end of this process says that it is not."""
    with claimed(_mark(brain_path(project, session))):
        yield


def is_underway(brain: Path) -> bool:
    """Tell whether some process is making the session of this brain."""
    try:
        descriptor = os.open(beside(_mark(brain), ".claim"), os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def unmark(brain: Path) -> None:
    """Remove the mark that a fork has left which was killed when it had its row."""
    beside(_mark(brain), ".claim").unlink(missing_ok=True)
