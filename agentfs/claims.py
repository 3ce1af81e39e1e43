"""The right to make or remove the file of a path, and putting a finished file there.

SQLite alone cannot give it. A connection that waits for an empty or removed file deletes, once it gets the lock, the
journal that stands beside the path by then: another file's (seen). So no file is ever empty at its path: it is made
whole under another name, by the one process that holds the claim, and renamed.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from agentfs import failures
from agentfs.limits import limits

_POLL_SECONDS: Final = 0.005
_JOURNALS: Final = ("-wal", "-shm", "-journal")


@contextmanager
def claimed(path: Path, *, wait: bool = True) -> Iterator[None]:
    """Hold the claim on a path against other threads and processes, in a file that is there only meanwhile.

    Raises `unavailable` where it is not free within the busy time (at once, unless it is to ``wait``), and where the
    directory cannot be written.
    """
    claim = beside(path, ".claim")
    with failures.on_disk():
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = _taken(claim, wait=wait)
    try:
        yield
    finally:
        # Unlinked while held: who waits for this inode finds it gone, and takes the next.
        claim.unlink(missing_ok=True)
        os.close(descriptor)


def beside(path: Path, suffix: str) -> Path:
    """Answer the path with something added to its name."""
    return path.with_name(path.name + suffix)


def discard(path: Path) -> None:
    """Unlink a file and its journals, under the claim on its path; the file first, never read without them."""
    for suffix in ("", *_JOURNALS):
        beside(path, suffix).unlink(missing_ok=True)


def publish(draft: Path, path: Path) -> None:
    """Give a finished file, closed and on the disk, its path, under the claim on it."""
    for suffix in _JOURNALS:
        # A connection to a file removed earlier may have left these.
        beside(path, suffix).unlink(missing_ok=True)
    draft.replace(path)
    sync(path.parent)


def sync(path: Path) -> None:
    """Force a directory, or a file no connection has open, to the disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def patience() -> Iterator[None]:
    """Yield at least once, and on until the busy time is over."""
    deadline = time.monotonic() + limits.busy_seconds
    yield
    while time.monotonic() < deadline:
        yield


def _taken(claim: Path, *, wait: bool) -> int:
    for _ in patience() if wait else [None]:
        descriptor = os.open(claim, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        if _locked(descriptor) and _names(claim, descriptor):
            return descriptor
        os.close(descriptor)
        time.sleep(_POLL_SECONDS)
    raise failures.busy()


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _names(claim: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(claim.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
