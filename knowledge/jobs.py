"""Periodic work on what a project knows: bases whose project is gone, and what waits for a retrieval plane."""

from pathlib import Path

from django.core.files.storage import storages

from core.actor import HUB
from core.errors import HubError
from core.jobs import every
from knowledge.files import remove_files
from knowledge.models import DocumentVersion
from knowledge.operations import finish_publishing
from knowledge.retrieval.planes import unavailable
from knowledge.retrieval.upkeep import tend
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


@every(5)
def finish_waiting() -> int:
    """Publish what waited for the retrieval plane, once it answers or none is configured; answers how many are."""
    waiting = DocumentVersion.objects.filter(state=DocumentVersion.State.INDEXING).order_by("pk")
    rows = list(waiting.values_list("document__project", "document")[:200])
    if not rows or unavailable() is not None:
        return 0
    finished = 0
    for project, document in rows:
        try:
            finished += finish_publishing(HUB, project, document=document) == DocumentVersion.State.PUBLISHED
        except HubError as refusal:  # deleted meanwhile
            if refusal.code != "not_found":
                raise
    return finished


@every(60)
def tend_plane() -> int:
    """Build the retrieval plane if it is not built yet, and keep it in step; answers how many documents that took."""
    return tend()
