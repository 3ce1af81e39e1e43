"""One AgentFS file: who may read and write it when, in this process and across processes (KNB-08)."""

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from agentfs import failures, handle
from agentfs.copies import copy
from agentfs.failures import translated
from agentfs.handle import Handle
from agentfs.limits import MAX_FILE_BYTES, limits
from agentfs.pool import Pool
from agentfs.reader import Reader
from agentfs.writer import Writer
from core.errors import not_found

Synchronous = Literal["FULL", "NORMAL"]


class AgentFile:
    """A file by its path, there or not: one object, one lock and at most one connection in a process."""

    def __init__(self, path: Path, pool: Pool) -> None:
        self.path = path
        self.synchronous: Synchronous = "FULL"
        self.max_bytes = MAX_FILE_BYTES
        self._pool = pool
        self.forget_handle()

    def forget_handle(self) -> None:
        """Start over without a handle: at first, and in a forked child, where the parent's is not ours to close."""
        self._lock = threading.RLock()
        self._handle: Handle | None = None
        # The handle of the block that is open now; its thread holds the lock.
        self._active: Handle | None = None

    @property
    def handle(self) -> Handle | None:
        """The open handle, for the child of a fork to keep from being closed."""
        return self._handle

    def exists(self) -> bool:
        """Tell whether the file is there; one that was locked and never written is not."""
        return self._bytes_at(self.path) > 0

    def size_bytes(self) -> int:
        """Answer the bytes on disk, the write-ahead log included; 0 where there is no file."""
        size = self._bytes_at(self.path)
        return size and size + self._bytes_at(self.path.with_name(self.path.name + "-wal"))

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """Hold the write lock, in this process and across processes, and commit at the end of the block.

        An exception rolls everything back. Where nothing was written to a file that was not there, none is left.
        Raises `unavailable` while another process holds the file, and for what is no AgentFS file.
        """
        with self._lock, translated():
            self._check_idle()
            held = self._locked()
            with self._use(held):
                held.prepare()
                writer = Writer(held.conn, self.max_bytes)
                yield writer
                if writer.changed:
                    held.commit()

    @contextmanager
    def reading(self) -> Iterator[Reader]:
        """Hold one snapshot of the file; never creates it. Inside `writing()` it sees the writes so far.

        Raises `not_found` where there is no file, `unavailable` for what is no AgentFS file.
        """
        with self._lock, translated():
            if self._active is not None:
                yield Reader(self._active.conn, self.max_bytes)
                return
            held = self._current()
            with self._use(held):
                if not held.begin_read(self.synchronous):
                    raise not_found("file")
                yield Reader(held.conn, self.max_bytes)

    def checkpoint(self) -> bool:
        """Fold the write-ahead log in and close: only the file itself remains (SES-07).

        Answers False where a reader in another process held that back.
        """
        with self._lock, translated():
            self._check_idle()
            if not self.exists():
                return True
            try:
                return self._current().fold(self.synchronous)
            finally:
                self._close()

    def remove(self) -> None:
        """Close and unlink the file and its journals, under the write lock; whoever writes next starts a new file."""
        with self._lock, translated():
            self._check_idle()
            if handle.identity_of(self.path) is None:
                self._close()
                return
            try:
                handle.remove(self.path, self._locked_whatever_it_is())
            finally:
                self._close()

    def copy_to(self, destination: Path) -> None:
        """Copy what is committed to a new file, under the write lock (SES-05). Raises `conflict` where one is there."""
        with self._lock, translated():
            if self._active is not None and not self._active.fresh:
                copy(self.path, destination)
                return
            if not self.exists():
                raise not_found("file")
            held = self._locked()
            with self._use(held):
                if held.is_blank():
                    raise not_found("file")
                copy(self.path, destination)

    def close_if_idle(self) -> bool:
        """Close the handle unless a thread is using it; tells whether it is closed."""
        if not self._lock.acquire(blocking=False):
            return False
        try:
            if self._active is None:
                self._close()
            return self._active is None
        finally:
            self._lock.release()

    def close(self) -> None:
        """Close the handle, after whoever uses it."""
        with self._lock:
            self._check_idle()
            self._close()

    @contextmanager
    def _use(self, held: Handle) -> Iterator[None]:
        """Mark the handle as used; at the end roll back what is not committed and leave no blank file."""
        self._active = held
        try:
            yield
        finally:
            self._active = None
            with self._closed_on_failure():
                held.rollback()
                if held.fresh:
                    held.remove_blank(self.path)
            if held.ready:
                self._pool.used(self)
            else:
                self._close()

    @contextmanager
    def _closed_on_failure(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self._close()
            raise

    def _check_idle(self) -> None:
        if self._active is not None:
            message = "This thread is inside a reading() or writing() block of the same file."
            raise RuntimeError(message)

    def _current(self) -> Handle:
        """Answer an open handle on the file the path names now; raises `not_found` where it names none."""
        for held in self._attempts(create=False):
            if not self.exists():
                self._close()
                raise not_found("file")
            if held is not None:
                return held
        raise failures.busy()

    def _locked(self) -> Handle:
        """Answer a handle that holds the write lock on the file the path names now, made where it is absent.

        The lock may be on a file that was removed while we waited for it: then it is taken again.
        """
        with self._closed_on_failure():
            for held in self._attempts(create=True):
                if held is not None and self._lock_is_good(held):
                    return held
                self._close()
            raise failures.busy()

    def _locked_whatever_it_is(self) -> Handle | None:
        """Answer a handle as `_locked` does, None for a file that is no database and so cannot be locked."""
        try:
            return self._locked()
        except sqlite3.DatabaseError as error:
            if failures.is_damage(error):
                return None
            raise

    def _lock_is_good(self, held: Handle) -> bool:
        try:
            held.begin_write(self.synchronous)
        except sqlite3.OperationalError as error:
            if failures.is_moved(error):
                return False
            raise
        return held.still_named(self.path)

    def _attempts(self, *, create: bool) -> Iterator[Handle | None]:
        """Yield the open handle, opened anew where the path names another file, until the busy time is over."""
        deadline = time.monotonic() + limits.busy_seconds
        while True:
            if self._handle is not None and not self._handle.still_named(self.path):
                self._close()
            if self._handle is None:
                self._handle = handle.open_handle(self.path, create=create)
            yield self._handle
            if time.monotonic() > deadline:
                return

    def _close(self) -> None:
        held, self._handle = self._handle, None
        self._pool.forget(self)
        if held is not None:
            held.close()

    @staticmethod
    def _bytes_at(path: Path) -> int:
        try:
            return path.stat().st_size
        except FileNotFoundError:
            return 0
