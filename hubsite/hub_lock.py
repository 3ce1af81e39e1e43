"""One process serves a SQLite data directory (OPS-02): ``hub.lock`` is held while it does, and tells who holds it."""

import fcntl
import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings


class HeldElsewhereError(Exception):
    """Another process serves this data directory; the message names it."""


class HubLock:
    """The lock of one data directory. The kernel drops it with the process, so a kill leaves nothing to clean up."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._handle: int | None = None

    def take(self, address: str | None = None) -> None:
        """Hold the lock; taking it again in the process that holds it only notes the address."""
        handle = self._handle
        if handle is None:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(handle)
                raise HeldElsewhereError(_refusal(self.path)) from None
            self._handle = handle
        elif address is None:
            return
        holder = {"pid": os.getpid(), "address": address, "since": datetime.now(UTC).isoformat(timespec="seconds")}
        os.ftruncate(handle, 0)
        os.pwrite(handle, json.dumps(holder).encode(), 0)

    def release(self) -> None:
        """Let go of the lock. The file stays: removing it would let two processes hold two files of one name."""
        if self._handle is not None:
            os.ftruncate(self._handle, 0)
            os.close(self._handle)
            self._handle = None


def _refusal(path: Path) -> str:
    try:
        holder: dict[str, Any] = json.loads(path.read_text())
    except ValueError:  # between its lock and its note
        holder = {}
    where = f" at {holder['address']}" if holder.get("address") else ""
    return (
        f"Another Muster process serves {path.parent}: pid {holder.get('pid', 'unknown')}{where}, "
        f"since {holder.get('since', 'just now')}. One process owns a SQLite data directory. "
        "Stop that one, or set HUB_DATA_DIR to another directory."
    )


_locks: dict[Path, HubLock] = {}


def hub_lock() -> HubLock:
    """Answer this process's lock of the configured data directory."""
    path = settings.DATA_DIR / "hub.lock"
    return _locks.setdefault(path, HubLock(path))


def needs_lock() -> bool:
    """Whether the hub store is a file of the data directory. On PostgreSQL several processes may serve."""
    return bool(settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"))


def take_or_exit(address: str | None = None) -> None:
    """Take the lock before serving, or end this process with one clear sentence."""
    if not needs_lock():
        return
    try:
        hub_lock().take(address)
    except HeldElsewhereError as refusal:
        sys.stderr.write(f"{refusal}\n")
        sys.stderr.flush()
        os._exit(1)  # also out of the thread in which runserver starts its application
