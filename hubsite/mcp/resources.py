"""Resources: the guide, and the knowledge pages of the projects the caller may read."""

import base64
from collections.abc import Iterator
from itertools import islice
from typing import Final
from urllib.parse import quote, unquote

from core.actor import Actor
from core.calls import Json
from core.errors import HubError, invalid, not_found
from core.operation import Right
from core.page import fitting
from hubsite.skill import guide
from identity.access import authorized, visible_projects
from knowledge.queries import all_pages, get_page
from tasks.queries import readable_snapshot, running_tasks, task_of

GUIDE_URI: Final = "hub://guide"
PAGE_PREFIX: Final = "hub://kb/"
TASK_PREFIX: Final = "hub://task/"
PAGES_LISTED: Final = 100

_GUIDE: Final[Json] = {
    "uri": GUIDE_URI,
    "name": "guide",
    "title": "How to work with this hub",
    "mimeType": "text/markdown",
}
_TEMPLATE: Final[Json] = {
    "uriTemplate": PAGE_PREFIX + "{project}/{+path}",
    "name": "page",
    "title": "Knowledge page",
    "description": "A page of a project's knowledge base, such as hub://kb/atlas/fs/notes.md.",
}


_SNAPSHOT: Final[Json] = {
    "uriTemplate": TASK_PREFIX + "{task}/snapshot",
    "name": "snapshot",
    "title": "Snapshot of a task",
    "description": "What your task knows of the person it is for, as it was frozen.",
}


def listed(actor: Actor, cursor: str | None) -> Json:
    """Answer ``resources/list``: the guide, then the pages of one project after the other."""
    rows = list(islice(_after(actor, cursor), PAGES_LISTED + 1))
    shown = rows[: min(PAGES_LISTED, fitting(rows))]
    more = {"nextCursor": shown[-1]["uri"]} if len(shown) < len(rows) else {}
    return {"resources": shown, **more}


def _after(actor: Actor, cursor: str | None) -> Iterator[Json]:
    if cursor is None:
        yield _GUIDE
        for task in running_tasks(actor):
            yield {"uri": f"{TASK_PREFIX}{task.pk}/snapshot", "name": "snapshot", "title": f"Snapshot: {task.title}"}
    after_project, after_path = _place(cursor)
    for project in visible_projects(actor).filter(slug__gte=after_project).order_by("slug"):
        for page in sorted(all_pages(project), key=lambda row: row.path):
            if project.slug != after_project or page.path > after_path:
                uri = f"{PAGE_PREFIX}{quote(project.slug, safe='~')}{quote(page.path)}"
                yield {"uri": uri, "name": page.path, "title": f"{project.name}: {page.path}", "size": page.size}


def _place(cursor: str | None) -> tuple[str, str]:
    """Answer the project and path a cursor stands behind; a cursor is the last address shown."""
    if cursor is None or cursor == GUIDE_URI or cursor.startswith(TASK_PREFIX):
        return "", ""
    try:
        return _page_of(cursor)
    except HubError:
        raise invalid("cursor", "cursor must be one that a page before answered as nextCursor.") from None


def templates() -> Json:
    """Answer ``resources/templates/list``."""
    return {"resourceTemplates": [_TEMPLATE, _SNAPSHOT]}


def read(actor: Actor, uri: str, hub_url: str) -> Json:
    """Answer ``resources/read``; what the caller may not read answers like what is not there."""
    if uri == GUIDE_URI:
        return {"contents": [{"uri": uri, "mimeType": "text/markdown", "text": guide(hub_url)}]}
    if uri.startswith(TASK_PREFIX):
        return {"contents": _snapshot_of(actor, uri)}
    slug, path = _page_of(uri)
    content = get_page(authorized(actor, slug, Right.READ), path).content
    try:
        shown = {"mimeType": _text_type(path), "text": content.decode()}
    except UnicodeDecodeError:
        shown = {"mimeType": "application/octet-stream", "blob": base64.b64encode(content).decode()}
    return {"contents": [{"uri": uri, **shown}]}


def _snapshot_of(actor: Actor, uri: str) -> list[Json]:
    """Answer a task's snapshot twice: to read, and the canonical bytes that its hash is of."""
    task, slash, rest = uri.removeprefix(TASK_PREFIX).partition("/")
    if not slash or rest != "snapshot":
        raise not_found("resource")
    row = readable_snapshot(actor, task_of(actor, task))
    text = bytes(row.content).decode()
    return [
        {"uri": uri, "mimeType": "text/markdown", "text": row.markdown},
        {"uri": uri, "mimeType": "application/json", "text": text, "_meta": {"hub/sha256": row.sha256}},
    ]


def _page_of(uri: str) -> tuple[str, str]:
    slug, slash, path = uri.removeprefix(PAGE_PREFIX).partition("/")
    place = unquote(slug), f"/{unquote(path)}"
    if not uri.startswith(PAGE_PREFIX) or not slash or "\0" in "".join(place):
        raise not_found("resource")
    return place


def _text_type(path: str) -> str:
    return "text/markdown" if path.endswith((".md", ".markdown")) else "text/plain"
