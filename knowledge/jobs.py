"""Removing knowledge bases whose project is gone, left by a crash while it was deleted."""

from pathlib import Path

from django.core.files.storage import storages

from core.jobs import every
from knowledge.files import remove_files
from projects.models import Project


@every(3600)
def remove_orphans() -> int:
    """Remove knowledge bases without a project; runs first at start. A project's row comes before its file."""
    removed = 0
    for path in sorted(Path(storages["knowledge"].location).glob("*.db")):  # type: ignore[attr-defined]
        if not Project.objects.filter(pk=path.stem).exists():
            remove_files(path.stem)
            removed += 1
    return removed
