"""The bytes of artifacts: taken in, promoted just before their row commits, never left behind (ART-02).

`receiving` is the way in. Bytes are counted, hashed and synced under a temporary name; the operation promotes them to
their own name as its last step before the commit. Whatever then fails, the block takes them back; what a killed process
left is pruned by `artifacts.jobs`. As long as the block lasts it holds a lock on the file, under either name: by that
the job tells what is about to be committed from what was left.
"""

import fcntl
import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final, Self

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import Storage, storages
from django.db import DatabaseError, transaction

from artifacts.models import ArtifactVersion
from core import ids, limits
from core.errors import HubError

INCOMING: Final = ".incoming"


def store() -> Storage:
    """Answer where blobs lie."""
    return storages["artifacts"]


def incoming_directory() -> Path:
    """Answer where bytes wait for their name, on the file system of the data directory."""
    return Path(settings.DATA_DIR) / "artifacts" / INCOMING


class Incoming:
    """Bytes on their way in: `payload_too_large` as soon as they pass the limit.

    ``str()`` is their hash, so an idempotency key tells a retry from other content.
    """

    def __init__(self, limit: int = limits.ARTIFACT_BYTES) -> None:
        directory = incoming_directory()
        directory.mkdir(parents=True, exist_ok=True)
        self._file = _begun(directory)
        self.path = Path(self._file.name)
        self.size = 0
        self.blob: str | None = None
        self._limit = limit
        self._hash = hashlib.sha256()

    def write(self, chunk: bytes) -> None:
        """Take the next bytes."""
        self.size += len(chunk)
        if self.size > self._limit:
            message = f"content must be at most {self._limit} bytes."
            raise HubError("payload_too_large", message, field="content", limit=self._limit)
        self._hash.update(chunk)
        self._file.write(chunk)

    def finish(self) -> Self:
        """Make what was written last, before anything refers to it."""
        self._file.flush()
        os.fsync(self._file.fileno())
        return self

    @property
    def sha256(self) -> str:
        """The hash of what was written, in hex."""
        return self._hash.hexdigest()

    def __str__(self) -> str:
        """Answer what the bytes are, whatever they are called."""
        return f"sha256:{self.sha256}"

    def promote(self, project: str) -> str:
        """Give the bytes their own name in the project's directory; answers it."""
        self.blob = f"{project}/{ids.fresh()}"  # known before the rename: what fails after it is taken back too
        self.blob = store().save(self.blob, _Waiting(self.path))
        return self.blob

    def discard(self) -> None:
        """Remove what is left under the temporary name."""
        self._file.close()
        self.path.unlink(missing_ok=True)

    def take_back(self) -> None:
        """Remove the promoted bytes, unless their version was stored after all; unsure, they are left to the job."""
        if self.blob is None:
            return
        try:
            is_kept = ArtifactVersion.objects.filter(blob=self.blob).exists()
        except DatabaseError:
            return
        if not is_kept:
            store().delete(self.blob)


class _Waiting(File):  # type: ignore[type-arg]
    """A file Django's storage renames into place rather than copies."""

    def __init__(self, path: Path) -> None:
        super().__init__(None, str(path))
        self._path = path

    def temporary_file_path(self) -> str:
        """Answer where it lies now."""
        return str(self._path)

    def chunks(self, chunk_size: int | None = None) -> Iterator[bytes]:
        """Answer the bytes, for a storage that cannot rename."""
        with self._path.open("rb") as file:
            yield from iter(lambda: file.read(chunk_size or self.DEFAULT_CHUNK_SIZE), b"")


@contextmanager
def receiving() -> Iterator[Incoming]:
    """Take bytes in for the length of the block; nothing of them stays unless a version was stored."""
    content = Incoming()
    try:
        yield content
    except BaseException:
        content.take_back()
        raise
    finally:
        content.discard()


def _begun(directory: Path) -> IO[bytes]:
    """Begin a file and hold it."""
    while True:
        file = (directory / str(ids.fresh())).open("xb")
        fcntl.flock(file, fcntl.LOCK_EX)
        if os.fstat(file.fileno()).st_nlink:
            return file
        file.close()  # the job was quicker, and took it for one that was left


@contextmanager
def unless_held(path: Path) -> Iterator[bool]:
    """Hold a file for the length of the block, to remove it; False when somebody takes its bytes in or commits them."""
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


def open_blob(version: ArtifactVersion) -> IO[bytes]:
    """Open a version's bytes; `FileNotFoundError` when they are gone."""
    return store().open(version.blob, "rb")


def is_missing(version: ArtifactVersion) -> bool:
    """Tell whether a version's bytes are gone: never by the hub's own hand."""
    return not store().exists(version.blob)


def remove_after_commit(blobs: Iterable[str]) -> None:
    """Remove blobs once the transaction that forgets them has committed; a failure is left to the job."""
    for blob in list(blobs):
        transaction.on_commit(lambda blob=blob: store().delete(blob), robust=True)  # type: ignore[misc]
