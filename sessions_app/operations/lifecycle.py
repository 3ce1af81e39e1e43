"""Start, resume and end: guarded transitions (SES-03, SES-06, SES-07)."""

from typing import Any

from django.utils import timezone

from agentfs import AgentFile
from core import ids, limits
from core.actor import Actor
from core.checks import check_name, check_text
from core.errors import HubError
from core.operation import HubStep, Right, held_operation, operation
from projects.models import Project
from sessions_app.brain import live_one, locate, own_live, present
from sessions_app.models import Session, Status
from sessions_app.transitions import agent_key, check_name_free, run_task, started, tell


@operation(Right.WRITE)
def start_session(
    actor: Actor,
    project: Project,
    /,
    *,
    name: str,
    task: str | None = None,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Start a session, or resume the caller's own of that name with the same brain, live or ended.

    With ``task`` it runs that task, and goes on running it; `conflict` for a session that runs another.

    `forbidden` for people; `conflict` while a pruned session that can be undone holds the name.
    """
    check_name(name, "name")
    now, agent = timezone.now(), agent_key(actor)
    new = {"id": str(ids.fresh()), "created_at": now, "last_activity": now}
    # Of two starts at once the second waits here and finds the first's.
    sessions = Session.objects.select_for_update()
    session, created = sessions.get_or_create(project=project, agent_id=agent, name=name, defaults=new)
    if session.deleted_at is not None:
        check_name_free(project, agent, name)
    run_task(actor, project, session, task)
    if created:
        tell(actor, project, session, "start", f"started {name}")
        return started(session, resumed=False)
    return started(_resume(actor, project, session), resumed=True)


def _resume(actor: Actor, project: Project, session: Session) -> Session:
    now = timezone.now()
    ended = Session.objects.filter(pk=session.pk, status=Status.ENDED)
    if ended.update(status=Status.LIVE, ended_at=None, last_activity=now):
        tell(actor, project, session, "resume", f"resumed {session.name}")
    else:
        Session.objects.filter(pk=session.pk).update(last_activity=now)
    session.refresh_from_db()
    return session


@held_operation(Right.WRITE, locate, after=AgentFile.checkpoint)
def end_session(
    actor: Actor,
    project: Project,
    hub: HubStep[AgentFile, dict[str, Any]],
    /,
    *,
    session: str,
    handoff: str = "",
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """End the caller's session; a person may end any. The note lives on the row and in the event (SES-06).

    The brain is held, so a write either landed before the end or is refused. Afterwards its write-ahead log is folded
    into the file (SES-07).
    """
    handoff = check_text(handoff, "handoff", limits.HANDOFF_CHARS, empty=True)
    row = own_live(actor, project, session) if actor.is_agent else live_one(present(project, session))

    def end() -> dict[str, Any]:
        now = timezone.now()
        unchanged = Session.objects.filter(pk=row.pk, status=Status.LIVE, agent=row.agent_id, deleted_at__isnull=True)
        if not unchanged.update(status=Status.ENDED, handoff=handoff, ended_at=now, last_activity=now):
            raise HubError("conflict", "This session has ended.", session=row.pk)
        tell(actor, project, row, "end", f"ended {row.name}", handoff=handoff)
        return {"session": row.pk, "status": str(Status.ENDED), "handoff": handoff or None}

    return hub.commit(end)
