"""A project's sessions, and one session with its brain (SES-02, SES-04..06)."""

import itertools
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from agentfs import Row
from core.actor import Actor
from core.operation import Right
from identity.access import authorized
from identity.models import Agent
from identity.pages import human_page, is_below, newest_event, page, raw, told
from projects.models import Event, Kind
from sessions_app.brain import brain_of
from sessions_app.models import Session, Status
from sessions_app.operations import end_session, prune_ended, prune_session, reassign_session, undo_prune
from sessions_app.queries import (
    brain_get,
    brain_log,
    marked_sessions,
    page_of,
    produced,
    pruned_project,
    session_of,
    sessions_of,
)

PAGE: Final = 50
LISTED: Final = 2000
NEWEST: Final = 10


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
        marked=marked_sessions(slug),
        prunable=sessions_of(actor, project=slug, status=Status.ENDED).count(),
    )


@human_page
def session(request: HttpRequest, actor: Actor, session_id: str, path: str = "") -> HttpResponse:
    """Show a session: its facts, what it produced, its brain and one entry of it."""
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
        newest=list(Event.objects.filter(session=row.pk).exclude(kind=Kind.SYSTEM).order_by("-pk")[:NEWEST]),
        bytes=brain_of(row).size_bytes(),
        log=brain_log(row, limit=NEWEST),
        agents=list(Agent.objects.exclude(pk=row.agent_id).order_by("name").values_list("name", flat=True)),
        **_brain(row, f"/{path}" if path else ""),
    )


def _brain(row: Session, path: str) -> dict[str, Any]:
    entries = _entries(row)
    is_directory = not path or is_below(entries, path)
    return {"entries": entries, "path": path, "entry": None if is_directory else brain_get(row, path)}


def _entries(row: Session) -> list[Row]:
    """Answer the brain's files and keys, up to `LISTED`; a session that never wrote has none (SES-04)."""
    file = brain_of(row)
    if not file.exists():
        return []
    with file.reading() as brain:
        return list(itertools.islice(brain.walk("/"), LISTED))


@human_page
def brain_raw(request: HttpRequest, actor: Actor, session_id: str, path: str) -> HttpResponse:
    """Answer an entry's bytes."""
    entry = brain_get(session_of(actor, session_id), f"/{path}")
    return raw(entry.path, entry.content)


@require_POST
@human_page
def end(request: HttpRequest, actor: Actor, session_id: str) -> HttpResponse:
    """End a session, whoever owns it."""
    row = session_of(actor, session_id)
    with told(request, f"{row.name} has ended."):
        end_session(actor, row.project_id, session=row.pk, handoff=request.POST.get("handoff", ""))
    return redirect("admin:session", row.pk)


@require_POST
@human_page
def reassign(request: HttpRequest, actor: Actor, session_id: str) -> HttpResponse:
    """Give a session to another agent."""
    row, agent = session_of(actor, session_id), request.POST.get("agent", "")
    with told(request, f"{row.name} belongs to {agent} now."):
        reassign_session(actor, row.project_id, session=row.pk, agent=agent)
    return redirect("admin:session", row.pk)


@require_POST
@human_page
def prune(request: HttpRequest, actor: Actor, session_id: str) -> HttpResponse:
    """Prune an ended session; the list offers to undo it."""
    row = session_of(actor, session_id)
    with told(request):
        prune_session(actor, row.project_id, session=row.pk)
    return redirect("admin:sessions", row.project_id)


@require_POST
@human_page
def prune_project(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    """Prune every ended session of a project; the list offers to undo it."""
    with told(request):
        prune_ended(actor, slug)
    return redirect("admin:sessions", slug)


@require_POST
@human_page
def undo(request: HttpRequest, actor: Actor, session_id: str) -> HttpResponse:
    """Take a prune back while its window is open."""
    slug = pruned_project(session_id)
    with told(request, "It is back, with everything it had."):
        undo_prune(actor, slug, session=session_id)
    return redirect("admin:sessions", slug)


ROUTES = [
    ("project/<str:slug>/sessions/", sessions, "sessions"),
    ("project/<str:slug>/sessions/prune/", prune_project, "sessions-prune"),
    ("session/<str:session_id>/", session, "session"),
    ("session/<str:session_id>/end/", end, "session-end"),
    ("session/<str:session_id>/owner/", reassign, "session-owner"),
    ("session/<str:session_id>/prune/", prune, "session-prune"),
    ("session/<str:session_id>/undo/", undo, "session-undo"),
    ("session/<str:session_id>/brain/<path:path>", session, "brain"),
    ("session/<str:session_id>/raw/<path:path>", brain_raw, "brain-raw"),
]
