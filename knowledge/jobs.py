"""Removing knowledge bases whose project is gone, left by a crash while it was deleted."""

from pathlib import Path

from django.core.files.storage import storages

from core.jobs import every
from knowledge.files import remove_files
from projects.models import Project


@every(3600)
def remove_orphans() -> int:
    """Remove knowledge bases without a project; runs first at start. A project's row comes before its file."""
    files = Path(storages["knowledge"].location).glob("*.db*")  # type: ignore[attr-defined]
    slugs = {path.name.rpartition(".db")[0] for path in files}  # a killed process may have left what stands beside
    gone = slugs - set(Project.objects.values_list("slug", flat=True))
    for slug in sorted(gone):
        remove_files(slug)
    return len(gone)
