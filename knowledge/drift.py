"""Pages that documents rest on, and those that moved on since (KNB-06, GOV-09)."""

from typing import Any

from core.errors import HubError
from knowledge.models import CitedPage
from knowledge.queries import get_page
from projects.models import Project


def drifted_pages(project: Project) -> list[dict[str, Any]]:
    """Answer the cited pages whose content is another now, or gone: by page, with the document that cites them."""
    found = []
    for cited in CitedPage.objects.filter(project=project).select_related("document__current").order_by("path"):
        version = _version(project, cited.path)
        if version != cited.version:
            current = cited.document.current
            shown = {"path": cited.path, "cited": cited.version, "version": version}
            found.append(shown | {"document": cited.document_id, "title": current.title if current else None})
    return found


def _version(project: Project, path: str) -> str | None:
    try:
        return get_page(project, path).version
    except HubError:
        return None
