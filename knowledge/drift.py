"""Pages that documents rest on, and those that moved on since (KNB-06, GOV-09)."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from agentfs import Reader
from core.errors import HubError
from knowledge.files import knowledge_of
from knowledge.models import CitedPage
from projects.models import Project


def drifted_pages(project: Project) -> list[dict[str, Any]]:
    """Answer the cited pages whose content is another now, or gone: by page, with the document that cites them."""
    cited = list(CitedPage.objects.filter(project=project).select_related("document__current").order_by("path", "pk"))
    now = _versions(project, {row.path for row in cited})
    found = []
    for row in cited:
        if now[row.path] != row.version:
            current = row.document.current
            shown = {"path": row.path, "cited": row.version, "version": now[row.path]}
            found.append(shown | {"document": row.document_id, "title": current.title if current else None})
    return found


def drifted_documents(project: Project, documents: Iterable[str]) -> set[str]:
    """Answer which of some documents rest on a page that is another now, or gone."""
    cited = list(CitedPage.objects.filter(project=project, document__in=list(documents)))
    now = _versions(project, {row.path for row in cited})
    return {row.document_id for row in cited if now[row.path] != row.version}


def _versions(project: Project, paths: Collection[str]) -> Mapping[str, str | None]:
    """Answer, in one reading of the file, the version each page has now; None for one that is gone."""
    file = knowledge_of(project)
    if not paths or not file.exists():
        return dict.fromkeys(paths)
    with file.reading() as pages:
        return {path: _version(pages, path) for path in paths}


def _version(pages: Reader, path: str) -> str | None:
    try:
        return pages.get(path).version
    except HubError:
        return None
