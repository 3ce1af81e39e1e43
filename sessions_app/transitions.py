"""What the operations on sessions share: telling the feed, and what a start answers."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

from django.db import IntegrityError
from django.utils.module_loading import import_string

from core import live
from core.actor import Actor
from core.errors import HubError
from projects import feed
from projects.models import Event, Kind, Project
from search import index
from sessions_app.models import Session

# After these its brain can be written.
BEGINS = frozenset({"start", "resume", "adopt", "fork"})
BIND: Final = "tasks.transitions.bind"
"""The function that lets a session run a task; named, since higher apps are not imported here."""
RECOVERY_PATH = "/fs/handoff.md"


def tell(actor: Actor, project: Project, session: Session, action: str, summary: str, **more: str) -> Event:
    """Append a session's lifecycle event and announce it, in the caller's transaction; search looks at its brain."""
    payload = {"action": action, "name": session.name, **more}
    event = feed.append(project, Kind.SESSION, actor, summary, payload=payload, session=session.pk)
    if action in BEGINS:
        index.follow("brain", project.pk, session.pk)
    live.announce(f"session:{session.pk}", session=session.pk)
    return event


def run_task(actor: Actor, project: Project, session: Session, task: str | None) -> None:
    """Bind a session that begins to the task it is to run, in the caller's transaction."""
    if task is None:
        return
    bound = _bind()(actor, project, task)
    if session.task not in {None, bound}:
        raise HubError("conflict", "This session runs another task. Start one of another name.", task=session.task)
    Session.objects.filter(pk=session.pk).update(task=bound)
    session.task = bound


@cache
def _bind() -> Callable[[Actor, Project, str], str]:
    bind: Callable[[Actor, Project, str], str] = import_string(BIND)
    return bind


def agent_key(actor: Actor) -> int:
    """Answer the agent's key; sessions belong to agents, `forbidden` for people."""
    if not actor.is_agent or actor.key is None:
        raise HubError("forbidden", "Sessions belong to agents.")
    return actor.key


def check_name_free(project: Project, agent: int, name: str, *, but: str | None = None) -> None:
    """Refuse a name this agent's other session holds in the project, also one whose prune can still be undone."""
    holder = Session.objects.filter(project=project, agent=agent, name=name).exclude(pk=but).first()
    if holder is None:
        return
    if holder.deleted_at is not None:
        raise HubError(
            "conflict", f"A pruned session {name} can still be brought back; choose another name.", field="name"
        )
    raise HubError("conflict", f"{holder.agent.name} has a session {name} in this project.", field="name")


@contextmanager
def name_taken(project: Project, agent: int, name: str, *, but: str | None = None) -> Iterator[None]:
    """Refuse as `check_name_free` does where another transaction took the name since that looked."""
    try:
        yield
    except IntegrityError:
        check_name_free(project, agent, name, but=but)
        raise


def started(session: Session, *, resumed: bool, pickup: dict[str, Any] | None = None) -> dict[str, Any]:
    """Answer what session_start answers."""
    return {
        "session": session.pk,
        "project": session.project_id,
        "name": session.name,
        "status": str(session.status),
        "task": session.task,
        "resumed": resumed,
        "handoff": session.handoff or None,
        "pickup": pickup,
        "recovery_path": RECOVERY_PATH,
    }
