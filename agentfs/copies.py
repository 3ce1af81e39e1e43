"""Copying one AgentFS file to a new path, whole or not at all."""

import os
from contextlib import closing
from pathlib import Path

from agentfs import failures
from agentfs.handle import connect
from core.errors import HubError


def copy(source: Path, destination: Path) -> None:
    """Copy what is committed, while the caller holds the source's write lock. Raises `conflict` where a file is there.

    A second connection does it: the first is inside the transaction that is the lock, where VACUUM cannot run.
    """
    destination.parent.mkdir(parents=True, exist_ok=True)
    partial = destination.with_name(f"{destination.name}.{os.getpid()}-{os.urandom(4).hex()}.partial")
    try:
        with closing(connect(source)) as conn:
            conn.execute("VACUUM INTO ?", (str(partial),))
        partial.chmod(0o600)
        _sync(partial)
        # A link, unlike a rename, never replaces a file somebody made meanwhile.
        os.link(partial, destination)
    except FileExistsError as error:
        raise HubError("conflict", "The destination is there already.") from error
    except OSError as error:
        raise failures.storage() from error
    finally:
        partial.unlink(missing_ok=True)
    _sync(destination.parent)


def _sync(path: Path) -> None:
    """Force a file nobody has open in SQLite, or a directory, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
