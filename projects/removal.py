"""Deleting a project: its rows, and what of it lies outside the hub store, app by app (HUB-08).

The rows of every app go with the project's own, in one transaction, by their foreign keys. Files go after the commit,
so a crash between the two leaves files without rows only; each app's job removes those, at start too.
"""

from typing import Final

from django.utils.module_loading import import_string

from projects.models import Project

FILES: Final = (
    "sessions_app.removal.remove_files",
    "artifacts.removal.remove_files",
    "knowledge.files.remove_files",
)
"""Functions of one slug that remove an app's files of a project; named, since higher apps are not imported here."""


def remove_rows(project: Project) -> None:
    """Delete a project and every row that hangs on it, in the caller's transaction.

    On PostgreSQL others write meanwhile: first the rows go, waiting for the transactions that hold them; then the
    project is locked, so that a commit which adds a row waits, and fails; then what was added before that goes.
    """
    for relation in Project._meta.related_objects:  # noqa: SLF001 - documented, in spite of its name
        rows = relation.related_model._default_manager.filter(**{relation.field.name: project.pk})  # noqa: SLF001 - so too
        rows.delete()
    Project.objects.select_for_update().get(pk=project.pk)
    Project.objects.filter(pk=project.pk).delete()


def remove_files(slug: str) -> None:
    """Remove every file of a project whose rows are gone; again is harmless."""
    for name in FILES:
        import_string(name)(slug)
