"""One AgentFS file: who may read and write it when, in this process and across processes (KNB-08)."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from agentfs import drafts, failures
from agentfs.claims import beside, claimed, discard, patience
from agentfs.drafts import Draft, drafted
from agentfs.failures import translated
from agentfs.handle import Handle, identity_of, open_handle
from agentfs.limits import MAX_FILE_BYTES
from agentfs.pool import Pool
from agentfs.reader import Reader
from agentfs.writer import Writer
from core.errors import HubError, not_found

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
        # What the block that is open now works on; its thread holds the lock.
        self._active: Handle | Draft | None = None

    @property
    def handle(self) -> Handle | None:
        """The open handle, for the child of a fork to keep from being closed."""
        return self._handle

    def exists(self) -> bool:
        """Tell whether the file is there; an empty one, which only other programs leave, is not."""
        return _bytes_at(self.path) > 0

    def size_bytes(self) -> int:
        """Answer the bytes on disk, the write-ahead log included; 0 where there is no file."""
        size = _bytes_at(self.path)
        return size and size + _bytes_at(beside(self.path, "-wal"))

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """Hold the write lock, in this process and across processes, and commit at the end of the block.

        An exception rolls everything back. Where nothing was written to a file that was not there, none is left.
        Raises `unavailable` while another process holds the file, and for what is no AgentFS file.
        """
        with self._lock, translated():
            self._check_idle()
            with self._write_lock() as held:
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
            held = self._begun(Handle.begin_read)
            if held is None:
                raise not_found("file")
            with self._using(held):
                yield Reader(held.conn, self.max_bytes)

    def checkpoint(self) -> bool:
        """Fold the write-ahead log in and close: only the file itself remains (SES-07).

        Answers False where a reader in another process held that back.
        """
        with self._lock, translated():
            self._check_idle()
            try:
                held = self._begun(Handle.begin_read)
                if held is not None:
                    held.rollback()
                return held is None or held.fold(self.synchronous)
            finally:
                self._close()

    def remove(self) -> None:
        """Close and unlink the file and its journals, under the write lock; whoever writes next starts a new file."""
        with self._lock, translated():
            self._check_idle()
            if identity_of(self.path) is not None:
                with claimed(self.path):
                    self._lock_whatever_it_is()
                    discard(self.path)
            self._close()

    def copy_to(self, destination: Path) -> None:
        """Copy what is committed to a new file, under the write lock (SES-05).

        Raises `not_found` where there is no file to copy, `conflict` where one is at the destination.
        """
        with self._lock, translated():
            if self._active is not None:
                self._copy_from(self._active, destination)
            elif not self.exists():
                raise not_found("file")
            else:
                with self._write_lock() as held:
                    self._copy_from(held, destination)

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
    def _write_lock(self) -> Iterator[Handle | Draft]:
        """Hold the file's write lock; where there is no file, the claim on its path and a draft."""
        for _ in patience():
            held = self._begun(Handle.begin_write)
            if held is not None:
                with self._using(held):
                    yield held
                return
            with claimed(self.path):
                # Another process may have made it while we waited.
                if not self.exists():
                    with drafted(self.path, self.synchronous) as draft, self._active_is(draft):
                        yield draft
                    return
        raise failures.busy()

    def _begun(self, begin: Callable[[Handle, str], None]) -> Handle | None:
        """Answer the handle on the file the path names, with a transaction begun; None where it names none.

        Looked at again afterwards: while we waited for the lock the file may have been removed, and made anew.
        """
        for _ in patience():
            if not self.exists():
                self._close()
                return None
            try:
                held = self._opened()
                if held is not None and self._is_begun(held, begin):
                    return held
            except BaseException:
                self._close()
                raise
            self._close()
        raise failures.busy()

    def _is_begun(self, held: Handle, begin: Callable[[Handle, str], None]) -> bool:
        try:
            begin(held, self.synchronous)
        except (sqlite3.Error, HubError):
            if held.still_named(self.path):
                raise
        return held.still_named(self.path)

    def _opened(self) -> Handle | None:
        if self._handle is None:
            self._handle = open_handle(self.path)
        return self._handle

    def _lock_whatever_it_is(self) -> None:
        """Take the write lock, but pass over what is no AgentFS file: it has to go as well."""
        try:
            self._begun(Handle.begin_write)
        except sqlite3.DatabaseError as error:
            if not failures.is_damage(error):
                raise
        except HubError as error:
            if error.details.get("reason") != "damaged":
                raise

    @contextmanager
    def _using(self, held: Handle) -> Iterator[None]:
        """Mark the handle as used; at the end roll back what is not committed, and keep it for the next use."""
        try:
            with self._active_is(held):
                yield
        finally:
            try:
                held.rollback()
            except BaseException:
                self._close()
                raise
            if held.ready:
                self._pool.used(self)
            else:
                self._close()

    @contextmanager
    def _active_is(self, held: Handle | Draft) -> Iterator[None]:
        self._active = held
        try:
            yield
        finally:
            self._active = None

    def _copy_from(self, held: Handle | Draft, destination: Path) -> None:
        if isinstance(held, Draft):
            raise not_found("file")
        with claimed(destination):
            drafts.copy(self.path, destination)

    def _check_idle(self) -> None:
        if self._active is not None:
            message = "This thread is inside a reading() or writing() block of the same file."
            raise RuntimeError(message)

    def _close(self) -> None:
        held, self._handle = self._handle, None
        self._pool.forget(self)
        if held is not None:
            held.close()


def _bytes_at(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
