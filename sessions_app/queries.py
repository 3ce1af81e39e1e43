"""Reading sessions and their brains."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Literal

from django.conf import settings
from django.db.models import Count, Exists, OuterRef, QuerySet
from django.utils import timezone

from agentfs import Entry, LogRow, Row, canonical
from core.actor import Actor
from core.errors import HubError, invalid, not_found
from core.ids import parse
from core.operation import Right
from core.page import Page, check_limit, cut
from core.times import rfc3339, rfc3339_seconds
from identity.access import authorized, may_read, visible_projects
from identity.models import IdempotencyKey
from projects.models import Event, Kind
from sessions_app.activity import touch
from sessions_app.brain import brain_of
from sessions_app.models import Session, Status


def sessions_of(
    actor: Actor, *, project: str | None = None, status: str | None = None, agent: str | None = None
) -> QuerySet[Session]:
    """Answer the sessions `actor` may read, newest first; a pruned one is unreadable from its mark on (SES-04)."""
    rows = Session.objects.filter(project__in=visible_projects(actor), deleted_at__isnull=True)
    if status is not None and status not in Status.values:
        raise invalid("status", f"status must be one of {', '.join(Status.values)}.")
    wanted = {"project": project, "status": status, "agent__name": agent}
    rows = rows.filter(**{field: value for field, value in wanted.items() if value is not None})
    source = Session.objects.filter(pk=OuterRef("source"), deleted_at__isnull=True)
    return rows.select_related("agent", "project").annotate(source_here=Exists(source)).order_by("-pk")


def listed(
    actor: Actor, *, project: str | None = None, status: str | None = None, agent: str | None = None
) -> QuerySet[Session]:
    """Answer `sessions_of` for a caller who names a project; `not_found` where it is hidden or not there."""
    if project is not None:
        authorized(actor, project, Right.READ)
    return sessions_of(actor, project=project, status=status, agent=agent)


def page_of(rows: QuerySet[Session], *, cursor: str | None, limit: int) -> Page[Session]:
    """Page sessions by id."""
    check_limit(limit)
    if cursor is not None:
        rows = rows.filter(pk__lt=parse(cursor, "cursor"))
    return cut(list(rows[: limit + 1]), limit, lambda session: session.pk)


def session_of(actor: Actor, session: str) -> Session:
    """Answer one session `actor` may read; `not_found` for any other."""
    row = sessions_of(actor).filter(pk=parse(session, "session")).first()
    if row is None:
        raise not_found("session")
    return row


def marked_sessions(project: str | None = None) -> list[Session]:
    """Answer the pruned sessions that can still be brought back, each with ``undo_until``."""
    marked = Session.objects.filter(deleted_at__gt=timezone.now() - undo_window()).select_related("agent", "project")
    rows = list((marked.filter(project=project) if project else marked).order_by("deleted_at"))
    for row in rows:
        vars(row)["undo_until"] = row.deleted_at + undo_window() if row.deleted_at else None
    return rows


def pruned_project(session: str) -> str:
    """Answer the project of a session that is marked as pruned; nothing else of it can be read (SES-04)."""
    row = Session.objects.filter(pk=parse(session, "session"), deleted_at__isnull=False).first()
    if row is None:
        raise not_found("session")
    return row.project_id


def resolve_session(
    actor: Actor, project: str | None, session: str | None, rule: Literal["own", "readable"] = "own"
) -> Session:
    """Answer the session a call means, and note the owner's activity (IDN-07).

    Explicit wins; omitted it is the caller's one live session in `project` (anywhere, without one):
    `no_active_session` for none, `ambiguous_session` listing several. ``own`` asks for the caller's live session.
    """
    row = _named(actor, project, session, rule) if session is not None else _only_live(actor, project)
    if row.agent_id == actor.key and row.status == Status.LIVE:
        touch(row)
    return row


def has_live(actor: Actor, project: str) -> bool:
    """Tell whether the caller has exactly one live session in the project."""
    return len(_own_live(actor, project)) == 1


def ended_by(actor: Actor, key: str) -> str | None:
    """Answer the session that the call with this idempotency key was about; None where none was answered."""
    kept = IdempotencyKey.objects.filter(actor=str(actor), key=key).first()
    return kept.result.get("session") if kept else None


def _own_live(actor: Actor, project: str | None, **wanted: str) -> list[Session]:
    """Answer the caller's own live sessions in projects it may read: what almost every call asks, kept to few words."""
    if not actor.is_agent or actor.key is None:
        return []
    if project is not None:
        wanted["project"] = project
    rows = Session.objects.filter(agent=actor.key, status=Status.LIVE, deleted_at__isnull=True, **wanted)
    found = list(rows.order_by("-pk")[:20])
    readable = {slug for slug in {row.project_id for row in found} if may_read(actor, slug)}
    return [row for row in found if row.project_id in readable]


def _named(actor: Actor, project: str | None, session: str, rule: str) -> Session:
    own = _own_live(actor, None, pk=parse(session, "session"))
    row = own[0] if own else session_of(actor, session)
    if project is not None and row.project_id != project:
        raise not_found("session")
    if rule == "own" and row.agent_id != actor.key:
        raise HubError("forbidden", f"This session belongs to {row.agent.name}.", session=row.pk)
    if rule == "own" and row.status != Status.LIVE:
        raise HubError("conflict", "This session has ended. Resume it with session_start.", session=row.pk)
    return row


def _only_live(actor: Actor, project: str | None) -> Session:
    live = _own_live(actor, project)
    if not live:
        if project is not None and not may_read(actor, project):
            raise not_found("project")
        where = f" in {project}" if project else ""
        raise HubError("no_active_session", f"You have no live session{where}. Call session_start first.")
    if len(live) > 1:
        raise HubError(
            "ambiguous_session",
            "You have several live sessions; name one as 'session'.",
            sessions=[{"id": row.pk, "name": row.name, "project": row.project_id} for row in live],
        )
    return live[0]


def produced(session: str) -> dict[str, int]:
    """Count what a session left in the feed, per kind, from the index alone (HUB-05)."""
    events = Event.objects.filter(session=session).exclude(kind__in=[Kind.SESSION, Kind.SYSTEM])
    return dict(events.values_list("kind").annotate(n=Count("pk")).order_by("kind"))


def brain_get(session: Session, path: str) -> Entry:
    """Answer one entry of a brain; `not_found` where nothing was written. Reads never create a file (SES-04)."""
    path, file = canonical(path), brain_of(session)
    if not file.exists():
        raise not_found("path")
    with file.reading() as brain:
        return brain.get(path)


def brain_list(session: Session, path: str, *, limit: int, after: str | None = None) -> list[Row]:
    """Answer one level of a brain; a session that never wrote has its empty top levels and nothing else."""
    path, file = canonical(path), brain_of(session)
    if not file.exists():
        if path not in ("/", "/fs", "/kv"):
            raise not_found("path")
        return []
    with file.reading() as brain:
        return brain.list(path, limit=limit, after=after)


def brain_log(session: Session, *, before: int | None = None, limit: int = 50) -> list[LogRow]:
    """Answer a brain's audit log, newest first."""
    file = brain_of(session)
    if not file.exists():
        return []
    with file.reading() as brain:
        return brain.log(before_id=before, limit=limit)


def level_page(rows: Sequence[Row], limit: int) -> Page[Row]:
    """Page one level by name, out of the rows of up to ``limit + 1`` names.

    A key that is also a directory of keys has two rows, which stay on one page.
    """
    names = list(dict.fromkeys(row.name for row in rows))
    shown = set(names[:limit])
    return Page([row for row in rows if row.name in shown], names[limit - 1] if len(names) > limit else None)


def row_json(row: Row) -> dict[str, Any]:
    """Answer a line of a brain or page listing."""
    shown = {"name": row.name, "path": row.path, "type": row.type, "size": row.size}
    return shown | {"modified": rfc3339_seconds(row.modified)}


def session_json(session: Session) -> dict[str, Any]:
    """Answer a session as every face shows it."""
    return {
        "id": session.pk,
        "project": session.project_id,
        "project_name": session.project.name,
        "name": session.name,
        "agent": session.agent.name,
        "status": session.status,
        "task": session.task,
        "handoff": session.handoff or None,
        "lineage": _lineage(session),
        "adopted_from": session.adopted_from or None,
        "created_at": rfc3339(session.created_at),
        "last_activity": rfc3339(session.last_activity),
        "ended_at": rfc3339(session.ended_at),
        "brain_bytes": brain_of(session).size_bytes(),
    }


def _lineage(session: Session) -> dict[str, Any] | None:
    """Answer where a fork came from; it stays when the source is gone (SES-05)."""
    if not session.source:
        return None
    lineage = {"mode": session.source_mode, "session": session.source, "agent": session.source_agent}
    known: dict[str, bool] = vars(session)
    if "source_here" not in known:
        known["source_here"] = Session.objects.filter(pk=session.source, deleted_at__isnull=True).exists()
    return lineage | {"source_pruned": not known["source_here"]}


def undo_window() -> timedelta:
    """Answer how long a prune can be undone."""
    return timedelta(seconds=settings.HUB_UNDO_SECONDS)
