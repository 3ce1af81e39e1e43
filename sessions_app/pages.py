"""A project's sessions, and one session with its brain (SES-02, SES-04..06)."""

from typing import Any, Final

from django.http import HttpRequest, HttpResponse

from agentfs import Entry, Row
from core.actor import Actor
from core.operation import Right
from identity.access import authorized
from identity.pages import human_page, newest_event, page
from projects.models import Event
from sessions_app.brain import brain_of
from sessions_app.models import Session
from sessions_app.queries import brain_get, brain_list, page_of, produced, session_of, sessions_of

PAGE: Final = 50
LEVEL: Final = 500
NEWEST: Final = 10
SHOWN_BYTES: Final = 200_000


@human_page
def sessions(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    """List a project's sessions, newest first."""
    project = authorized(actor, slug, Right.READ)
    since = newest_event()
    rows = page_of(sessions_of(actor, project=slug), cursor=request.GET.get("before"), limit=PAGE)
    return page(
        request,
        "sessions_app/sessions.html",
        parts=("sessions",),
        place=slug,
        title=f"Sessions of {project.name}",
        since=since,
        project=project,
        sessions=rows.rows,
        older=rows.next_cursor,
    )


@human_page
def session(request: HttpRequest, actor: Actor, session_id: str, path: str = "") -> HttpResponse:
    """Show a session: its facts, what it produced, its brain, and one entry of it."""
    row = session_of(actor, session_id)
    since = newest_event()
    return page(
        request,
        "sessions_app/session.html",
        parts=("session",),
        place=row.project_id,
        title=f"{row.name} by {row.agent.name}",
        since=since,
        session=row,
        project=row.project,
        produced=produced(row.pk),
        source=Session.objects.filter(pk=row.source, deleted_at__isnull=True).first() if row.source else None,
        newest=Event.objects.filter(session=row.pk).order_by("-pk")[:NEWEST],
        bytes=brain_of(row).size_bytes(),
        **_brain(row, f"/{path}" if path else ""),
    )


def _brain(row: Session, path: str) -> dict[str, Any]:
    """Answer one level of the brain and, when a file or key is asked for, the entry."""
    levels = {top: brain_list(row, top, limit=LEVEL) for top in ("/fs", "/kv")}
    if not path:
        return {"levels": _opened(row, levels, ""), "path": "", "entry": None}
    entry = brain_get(row, path) if _is_leaf(row, levels, path) else None
    return {"levels": _opened(row, levels, path), "path": path, **shown(entry)}


ROUTES: list[Any] = []
