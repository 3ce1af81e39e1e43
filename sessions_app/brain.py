"""A session's brain: its AgentFS file and who may write it (SES-01, SES-02)."""

from pathlib import Path
from typing import Any

from django.conf import settings

import agentfs
from core.actor import Actor
from core.errors import HubError, invalid, not_found
from core.ids import parse
from projects.models import Project
from sessions_app.models import Session, Status


def brain_path(project: str, session: str) -> Path:
    """Answer where a session's brain lies, written or not."""
    return Path(settings.DATA_DIR) / "sessions" / project / f"{session}.db"


def brain_of(session: Session) -> agentfs.AgentFile:
    """Answer a session's brain file. Brains are working state: a commit survives a crash, not a power cut."""
    return agentfs.open_file(brain_path(session.project_id, session.pk), synchronous="NORMAL")


def locate(project: Project, *, session: str, **_: Any) -> agentfs.AgentFile:  # noqa: ANN401 - the other arguments
    """Answer the brain a file operation works on; `not_found` unless the session is of this project."""
    row = Session.objects.filter(project=project, pk=parse(session, "session"), deleted_at__isnull=True).first()
    if row is None:
        raise not_found("session")
    return brain_of(row)


def present(project: Project, session: str) -> Session:
    """Answer a session of the project that is not pruned, as it is now; `not_found` for any other.

    Called under the file's writer lock, so what ended, moved or was pruned meanwhile is seen (SES-03).
    """
    row = Session.objects.filter(project=project, pk=session, deleted_at__isnull=True).select_related("agent").first()
    if row is None:
        raise not_found("session")
    return row


def source_of(project: Project, source: dict[str, str | None]) -> Session:
    """Answer the session to go on with: by id, or an agent's newest in the project (of that name, if one is given)."""
    session, agent, name = source.get("session"), source.get("agent"), source.get("name")
    if (session is None) == (agent is None):
        raise invalid("from", "from names a session, or an agent and perhaps a name.")
    wanted = {"pk": session and parse(session, "from.session"), "agent__name": agent, "name": name}
    rows = Session.objects.filter(project=project, deleted_at__isnull=True).select_related("agent").order_by("-pk")
    row = rows.filter(**{column: value for column, value in wanted.items() if value is not None}).first()
    if row is None:
        raise not_found("session")
    return row


def own_live(actor: Actor, project: Project, session: str) -> Session:
    """Answer the session if `actor` owns it and it has not ended (SES-02)."""
    row = present(project, session)
    if not actor.is_agent or row.agent_id != actor.key:
        raise HubError("forbidden", f"Only its owner, {row.agent.name}, may do this.", session=session)
    return live_one(row)


def live_one(row: Session) -> Session:
    """Answer the session if it has not ended."""
    if row.status != Status.LIVE:
        raise HubError("conflict", "This session has ended. Resume it with session_start.", session=row.pk)
    return row
