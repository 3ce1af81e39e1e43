"""Deleting a project: what of it lies outside the hub store, app by app (HUB-08).

The rows of every app go with the project's own, in one transaction, by their foreign keys. Files go after the commit,
so a crash between the two leaves files without rows only; each app's job removes those, at start too.
"""

from typing import Final

from django.utils.module_loading import import_string

FILES: Final = (
    "sessions_app.brain.remove_files",
    "knowledge.files.remove_files",
)
"""Functions of one slug that remove an app's files of a project; named, since higher apps are not imported here."""


def remove_files(slug: str) -> None:
    """Remove every file of a project whose rows are gone; again is harmless."""
    for name in FILES:
        import_string(name)(slug)
