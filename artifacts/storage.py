"""The storage backend of blobs: files that survive a power cut once they were saved (ART-02)."""

import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import FileSystemStorage


class BlobStorage(FileSystemStorage):
    """Django's file storage in ``<data>/artifacts``, one directory per project.

    A file that comes with a temporary path (see `artifacts.blobs`) is renamed into place; the rename is synced.
    """

    def __init__(self, location: str | Path | None = None, **options: Any) -> None:  # noqa: ANN401 - Django's
        super().__init__(location, **{"file_permissions_mode": 0o600} | options)
        self._given = location

    @property
    def base_location(self) -> str:
        """The directory, looked up at each use as the knowledge bases' is."""
        return str(self._given or Path(settings.DATA_DIR) / "artifacts")

    @property
    def location(self) -> str:
        """The directory, absolute."""
        return str(Path(self.base_location).resolve())

    def _save(self, name: str, content: File) -> str:  # type: ignore[type-arg]
        directory = Path(self.path(name)).parent
        is_new = not directory.exists()
        try:
            saved: str = super()._save(name, content)  # type: ignore[misc]
        except FileNotFoundError:  # the job removed the directory in between: it was empty
            saved = super()._save(name, content)  # type: ignore[misc]
        sync_directory(directory)
        if is_new:
            sync_directory(directory.parent)
        return saved


def sync_directory(directory: Path) -> None:
    """Make the names in a directory last."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
