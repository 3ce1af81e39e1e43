"""Going on with somebody's work: adopt what ended, fork what runs, reassign (SES-05)."""

from typing import Any, Literal

from django.utils import timezone

import agentfs
from core import ids
from core.actor import Actor
from core.checks import check_name
from core.errors import HubError, not_found
from core.operation import HubStep, Right, held_operation
from identity.access import projects_for, rights_on
from identity.models import Agent
from projects.models import Project
from sessions_app.brain import brain_of, brain_path, locate, present, source_of
from sessions_app.forks import underway
from sessions_app.models import Session, Status
from sessions_app.transitions import agent_key, check_name_free, name_taken, started, tell

type Hub = HubStep[agentfs.AgentFile, dict[str, Any]]


def _locate_source(project: Project, *, source: dict[str, str | None], **_: Any) -> agentfs.AgentFile:  # noqa: ANN401 - the other arguments
    """Answer the brain of the session that `source` names."""
    return brain_of(source_of(project, source))


@held_operation(Right.WRITE, _locate_source)
def pick_up_session(
    actor: Actor,
    project: Project,
    hub: Hub,
    /,
    *,
    source: dict[str, str | None],
    name: str,
    mode: Literal["adopt", "fork"] | None = None,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Go on with another session's brain: adopt it if it ended, fork it if it runs; decided while it is held still.

    ``source`` names a session, or an agent and perhaps a name (`sessions_app.brain.source_of`). Adopting moves the
    owner and makes it live again; id, brain and search rows stay. Forking starts a session on a copy of the brain,
    log included; the source is untouched and untold. `conflict` when ``mode`` insists on the other, or when the
    caller has a session of that name.
    """
    agent, found = agent_key(actor), source_of(project, source)
    check_name(name, "name")
    if brain_of(found) is not hub.file:  # an agent's newest is another one by now
        raise HubError("conflict", "The session changed meanwhile.", session=found.pk)
    if found.status == Status.LIVE:
        if mode == "adopt":
            raise HubError("conflict", "This session still runs. It can be forked, not adopted.", session=found.pk)
        return _fork(actor, project, hub, found, name)
    if mode == "fork":
        raise HubError("conflict", "This session has ended. It can be adopted, not forked.", session=found.pk)
    before = found.agent.name

    def adopt() -> dict[str, Any]:
        check_name_free(project, agent, name, but=found.pk)
        _move(found, agent=agent, name=name, adopted_from=before, status=Status.LIVE, ended_at=None)
        tell(actor, project, found, "adopt", f"adopted {name} from {before}", agent=before)
        return started(found, resumed=False, pickup=_pickup("adopt", found, before, source_active=False))

    with name_taken(project, agent, name, but=found.pk):
        return hub.commit(adopt)


def _fork(actor: Actor, project: Project, hub: Hub, source: Session, name: str) -> dict[str, Any]:
    """Copy, then make the row: a crash between them leaves a file without a row, which the next start removes."""
    agent = agent_key(actor)
    check_name_free(project, agent, name)
    fork, result = str(ids.fresh()), None
    with underway(project.slug, fork):
        copy = agentfs.open_file(brain_path(project.slug, fork), synchronous="NORMAL")
        if hub.file.exists():
            hub.file.copy_to(copy.path)
        try:
            with name_taken(project, agent, name):
                result = hub.commit(lambda: _forked(actor, project, source, fork, name))
        finally:
            if result is None or result["session"] != fork:
                copy.remove()
    return result


def _forked(actor: Actor, project: Project, source: Session, fork: str, name: str) -> dict[str, Any]:
    now, agent = timezone.now(), agent_key(actor)
    check_name_free(project, agent, name)
    row = Session.objects.create(
        id=fork,
        project=project,
        agent_id=agent,
        name=name,
        source=source.pk,
        source_mode="fork",
        source_agent=source.agent.name,
        created_at=now,
        last_activity=now,
    )
    tell(actor, project, row, "fork", f"forked {name} from {source.agent.name}", source=source.pk)
    return started(row, resumed=False, pickup=_pickup("fork", source, source.agent.name, source_active=True))


@held_operation(Right.STAFF, locate)
def reassign_session(
    actor: Actor,
    project: Project,
    hub: Hub,
    /,
    *,
    session: str,
    agent: str,
) -> dict[str, Any]:
    """Give a session, running or ended, to another agent that may write in the project.

    `conflict` when it owns it already, may not write there, or has a session of that name.
    """
    source = present(project, session)
    owner = Agent.objects.filter(name=agent).first()
    if owner is None:
        raise not_found("agent")
    before = source.agent.name
    if owner.pk == source.agent_id:
        raise HubError("conflict", f"{agent} owns it already.", field="agent")
    _check_may_write(owner, project)

    def reassign() -> dict[str, Any]:
        check_name_free(project, owner.pk, source.name, but=source.pk)
        _move(source, agent=owner.pk, adopted_from=before)
        tell(actor, project, source, "reassign", f"gave {source.name} from {before} to {agent}", agent=agent)
        return started(source, resumed=False)

    with name_taken(project, owner.pk, source.name, but=source.pk):
        return hub.commit(reassign)


def _check_may_write(owner: Agent, project: Project) -> None:
    actor = Actor("agent", owner.name, owner.pk, owner.trusted)
    if Right.WRITE not in rights_on(actor, projects_for(actor).get(pk=project.pk)):
        raise HubError("conflict", f"{owner.name} may not write in this project.", field="agent")


def _move(source: Session, **changes: Any) -> None:  # noqa: ANN401 - columns of Session
    """Change the row if it is as it was read: of two transitions at once, one wins and the other gets `conflict`."""
    unchanged = Session.objects.filter(
        pk=source.pk, agent=source.agent_id, status=source.status, deleted_at__isnull=True
    )
    if not unchanged.update(last_activity=timezone.now(), **changes):
        raise HubError("conflict", "The session changed meanwhile.", session=source.pk)
    source.refresh_from_db()


def _pickup(mode: str, source: Session, agent: str, *, source_active: bool) -> dict[str, Any]:
    return {
        "mode": mode,
        "from_session": source.pk,
        "from_agent": agent,
        "handoff": source.handoff or None,
        "source_active": source_active,
    }
