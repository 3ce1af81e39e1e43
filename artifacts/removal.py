"""Removing blobs, and their directories."""

from contextlib import suppress
from pathlib import Path

from artifacts.blobs import INCOMING, store


def directories() -> list[str]:
    """Answer the projects that have a directory of blobs."""
    try:
        return sorted(set(store().listdir("")[0]) - {INCOMING})
    except FileNotFoundError:  # nobody has published anything
        return []


def blobs_on_disk() -> set[str]:
    """Answer the names of all stored blobs; bytes on their way in are none."""
    return {blob for project in directories() for blob in _blobs_of(project)}


def _blobs_of(project: str) -> list[str]:
    try:
        return [f"{project}/{name}" for name in store().listdir(project)[1]]
    except FileNotFoundError:  # removed meanwhile, or never made
        return []


def remove_files(project: str) -> None:
    """Remove a project's blobs and their directory; again is harmless."""
    for blob in _blobs_of(project):
        store().delete(blob)
    remove_directory(project)


def remove_directory(project: str) -> None:
    """Remove a project's directory, if nothing is in it. A storage without directories has none to remove."""
    with suppress(OSError, NotImplementedError):
        Path(store().path(project)).rmdir()
