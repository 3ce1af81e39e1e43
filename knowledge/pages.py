"""A project's knowledge base in the browser: tree, page, raw, who wrote it and when (KNB-04..06)."""

from typing import Any, Final

from django.http import HttpRequest, HttpResponse

from agentfs import LogRow, Row
from core.actor import Actor
from core.operation import Right
from identity.access import authorized
from identity.models import Agent
from identity.pages import human_page, is_below, newest_event, page, raw
from knowledge.links import backlinks
from knowledge.queries import all_pages, get_page, page_log, trust_of
from projects.models import Project

HISTORY: Final = 20
FRONT_PAGES: Final = ("/fs/README.md", "/fs/index.md", "/fs/readme.md")


@human_page
def knowledge(request: HttpRequest, actor: Actor, slug: str, path: str = "") -> HttpResponse:
    """Show a page beside the tree of all; without a path the front page, if there is one."""
    project = authorized(actor, slug, Right.READ)
    if request.headers.get("Sec-Fetch-Dest") == "image":  # a picture a page shows by its relative address
        return _raw(project, path)
    since = newest_event()
    pages = all_pages(project)
    wanted = _wanted(pages, path)
    return page(
        request,
        "knowledge/knowledge.html",
        parts=("knowledge",),
        place=slug,
        title=f"{wanted.removeprefix('/fs/')} · {project.name}" if wanted else f"Knowledge of {project.name}",
        since=since,
        project=project,
        pages=pages,
        path=wanted or (f"/fs/{path}" if path else ""),
        entry=get_page(project, wanted) if wanted else None,
        trust=trust_of(project, wanted) if wanted else None,
        backlinks=backlinks(project, wanted) if wanted else [],
        **_history(project, wanted),
    )


def _wanted(pages: list[Row], path: str) -> str:
    """Answer the page to show; '' for a directory."""
    if path:
        return "" if is_below(pages, f"/fs/{path}") else f"/fs/{path}"
    there = {row.path for row in pages}
    return next((front for front in FRONT_PAGES if front in there), "")


def _history(project: Project, path: str) -> dict[str, Any]:
    """Answer who wrote the page, or the whole base, newest first."""
    rows = list(page_log(project, path=path or None, limit=HISTORY).rows)
    trusted = dict(Agent.objects.filter(name__in={row.actor for row in rows}).values_list("name", "trusted"))
    history = [(row, _tier(row, trusted)) for row in rows]
    return {"history": history, "last": history[0] if history and path else None}


def _tier(row: LogRow, trusted: dict[str, bool]) -> str:
    """Answer how far the hub trusts a writer: a person, a trusted agent or another."""
    actor = row.actor or ""
    if actor.startswith("human:"):
        return "person"
    return "trusted agent" if trusted.get(actor) else "agent without trust"


@human_page
def knowledge_raw(request: HttpRequest, actor: Actor, slug: str, path: str) -> HttpResponse:
    """Answer a page's bytes."""
    return _raw(authorized(actor, slug, Right.READ), path)


def _raw(project: Project, path: str) -> HttpResponse:
    found = get_page(project, f"/fs/{path}")
    return raw(found.path, found.content)


ROUTES = [
    ("project/<str:slug>/knowledge/", knowledge, "knowledge"),
    ("project/<str:slug>/knowledge/<path:path>", knowledge, "knowledge-page"),
    ("project/<str:slug>/raw/<path:path>", knowledge_raw, "knowledge-raw"),
]
