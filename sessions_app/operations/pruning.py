"""Removing what ended, with a while to take it back (SES-08)."""

from datetime import datetime

from django.db.models import QuerySet
from django.utils import timezone

from core import live
from core.actor import Actor
from core.errors import HubError, not_found
from core.ids import parse
from core.operation import Right, operation, staff_operation
from projects.models import Event, Kind, Project
from search import index
from sessions_app.models import Session, Status
from sessions_app.queries import undo_window


@operation(Right.STAFF)
def prune_session(actor: Actor, project: Project, /, *, session: str) -> datetime:
    """Mark an ended session for removal: unreadable from now on; answers until when it can be undone.

    `conflict` while it is live; `not_found` when it is marked already.
    """
    ended = Session.objects.filter(project=project, pk=parse(session, "session"), deleted_at__isnull=True)
    row = ended.first()
    if row is None:
        raise not_found("session")
    if not _mark(ended):
        raise HubError("conflict", "A live session cannot be pruned; end it first.", session=row.pk)
    return timezone.now() + undo_window()


@operation(Right.STAFF)
def prune_ended(actor: Actor, project: Project, /) -> list[str]:
    """Mark every ended session of a project; answers their ids."""
    return _mark(Session.objects.filter(project=project))


@staff_operation
def prune_all_ended(actor: Actor, /) -> list[str]:
    """Mark every ended session of the hub; answers their ids."""
    return _mark(Session.objects.all())


@operation(Right.STAFF)
def undo_prune(actor: Actor, project: Project, /, *, session: str) -> None:
    """Take a prune back, wholly; `expired` once its window has closed."""
    marked = Session.objects.filter(project=project, pk=parse(session, "session"), deleted_at__isnull=False)
    row = marked.first()
    if row is None:
        raise not_found("session")
    if not marked.filter(deleted_at__gt=timezone.now() - undo_window()).update(deleted_at=None):
        raise HubError("expired", "The time to undo is over.", session=row.pk)
    _announce(row)


@operation(Right.STAFF)
def close_prune(actor: Actor, project: Project, /, *, session: str) -> bool:
    """Remove the row and the lifecycle events of a session whose window closed; what it produced stays.

    The brain file goes after the commit (`sessions_app.jobs`): a file without its row is removed at any later time.
    """
    due = Session.objects.filter(project=project, pk=session, deleted_at__lte=timezone.now() - undo_window())
    row = due.first()
    if row is None or not due.delete()[0]:
        return False
    told = Event.objects.filter(session=session, kind=Kind.SESSION)
    index.remove("event", project.pk, *told.values_list("pk", flat=True))
    index.forget("brain", project.pk, session)
    told.delete()
    _announce(row)
    return True


def _mark(sessions: QuerySet[Session]) -> list[str]:
    ended = sessions.filter(status=Status.ENDED, deleted_at__isnull=True).select_for_update()
    rows = list(ended)
    Session.objects.filter(pk__in=[row.pk for row in rows]).update(deleted_at=timezone.now())
    for row in rows:
        _announce(row)
    return [row.pk for row in rows]


def _announce(session: Session) -> None:
    live.announce(f"session:{session.pk}", session=session.pk)
    live.announce(f"project:{session.project_id}", session=session.pk)
