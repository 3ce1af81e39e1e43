"""Start, resume and end: guarded transitions (SES-03, SES-06, SES-07)."""

from typing import Any

from django.utils import timezone

from agentfs import AgentFile, Writer
from core import ids, limits
from core.actor import Actor
from core.checks import check_name, check_text
from core.errors import HubError
from core.operation import Right, file_operation, operation, write_transaction
from projects.models import Project
from sessions_app.brain import live_one, locate, own_live, present
from sessions_app.models import Session, Status
from sessions_app.transitions import agent_key, check_name_free, started, tell


@operation(Right.WRITE)
def start_session(
    actor: Actor,
    project: Project,
    /,
    *,
    name: str,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Start a session, or resume the caller's own of that name with the same brain, live or ended.

    `forbidden` for people; `conflict` while a pruned session that can be undone holds the name.
    """
    check_name(name, "name")
    agent = agent_key(actor)
    own = Session.objects.select_for_update().filter(project=project, agent=agent, name=name)
    session = own.filter(deleted_at__isnull=True).first()
    if session is not None:
        return started(_resume(actor, project, session), resumed=True)
    check_name_free(project, agent, name)
    return started(_create(actor, agent, project, name), resumed=False)


def _create(actor: Actor, agent: int, project: Project, name: str) -> Session:
    now = timezone.now()
    session = Session.objects.create(
        id=str(ids.fresh()), project=project, agent_id=agent, name=name, created_at=now, last_activity=now
    )
    tell(actor, project, session, "start", f"started {name}")
    return session


def _resume(actor: Actor, project: Project, session: Session) -> Session:
    now = timezone.now()
    ended = Session.objects.filter(pk=session.pk, status=Status.ENDED)
    if ended.update(status=Status.LIVE, ended_at=None, last_activity=now):
        tell(actor, project, session, "resume", f"resumed {session.name}")
    else:
        Session.objects.filter(pk=session.pk).update(last_activity=now)
    session.refresh_from_db()
    return session


@file_operation(Right.WRITE, locate, after=AgentFile.checkpoint)
def end_session(
    actor: Actor,
    project: Project,
    brain: Writer,
    /,
    *,
    session: str,
    handoff: str = "",
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """End the caller's session; a person may end any.

    The note lives on the row and in the event, never in the brain (SES-06).

    The writer lock of the brain is held, so a write either landed before the end or is refused. Afterwards the
    write-ahead log is folded into the file (SES-07).
    """
    handoff = check_text(handoff, "handoff", limits.HANDOFF_CHARS, empty=True)
    if idempotency_key is not None and _ended_so_before(actor, session, handoff):
        return _ended(session, handoff)
    row = own_live(actor, project, session) if actor.is_agent else live_one(present(project, session))
    with write_transaction():
        now = timezone.now()
        ended = Session.objects.filter(pk=row.pk, status=Status.LIVE, agent=row.agent_id, deleted_at__isnull=True)
        if not ended.update(status=Status.ENDED, handoff=handoff, ended_at=now, last_activity=now):
            raise HubError("conflict", "This session has ended.", session=row.pk)
        tell(actor, project, row, "end", f"ended {row.name}", handoff=handoff)
    return _ended(row.pk, handoff)


def _ended_so_before(actor: Actor, session: str, handoff: str) -> bool:
    """Tell whether a retry finds what it asked for: the row is the memory, a brain must not be made for a key."""
    return Session.objects.filter(pk=session, agent=actor.key, status=Status.ENDED, handoff=handoff).exists()


def _ended(session: str, handoff: str) -> dict[str, Any]:
    return {"session": session, "status": str(Status.ENDED), "handoff": handoff or None}
