"""The human API of sessions and their brains."""

from typing import Any

from agentfs import Entry
from core.actor import Actor
from core.calls import Arguments
from core.human_calls import Nothing, human_call
from core.page import DEFAULT_LIMIT, check_limit
from core.times import rfc3339, rfc3339_seconds
from sessions_app import queries
from sessions_app.operations import (
    end_session,
    prune_all_ended,
    prune_ended,
    prune_session,
    reassign_session,
    undo_prune,
)


class SessionQuery(Arguments):
    """Which sessions to list."""

    project: str | None = None
    status: str | None = None
    agent: str | None = None
    limit: int = DEFAULT_LIMIT
    cursor: str | None = None


class Level(Arguments):
    """One level of a brain."""

    path: str = "/"
    limit: int = DEFAULT_LIMIT
    cursor: str | None = None


class Path(Arguments):
    """One entry."""

    path: str


class End(Arguments):
    """The end of a session by a person."""

    handoff: str = ""
    idempotency_key: str | None = None


class NewOwner(Arguments):
    """Whom to give a session to."""

    agent: str


class Where(Arguments):
    """One project, or all."""

    project: str | None = None


@human_call(SessionQuery)
def session_list(actor: Actor, given: SessionQuery) -> dict[str, Any]:
    """List sessions, newest first."""
    rows = queries.listed(actor, project=given.project, status=given.status, agent=given.agent)
    return queries.page_of(rows, cursor=given.cursor, limit=given.limit).as_dict("sessions", queries.session_json)


@human_call(Nothing)
def session(actor: Actor, given: Nothing, session: str) -> dict[str, Any]:
    """Show a session and what it produced, per kind."""
    row = queries.session_of(actor, session)
    return queries.session_json(row) | {"produced": queries.produced(row.pk)}


@human_call(Level)
def brain(actor: Actor, given: Level, session: str) -> dict[str, Any]:
    """List one level of a session's brain."""
    limit = check_limit(given.limit)
    rows = queries.brain_list(queries.session_of(actor, session), given.path, limit=limit + 1, after=given.cursor)
    return queries.level_page(rows, limit).as_dict("entries", queries.row_json)


@human_call(Path)
def brain_entry(actor: Actor, given: Path, session: str) -> dict[str, Any]:
    """Show one entry of a session's brain as text."""
    return entry_json(queries.brain_get(queries.session_of(actor, session), given.path))


def entry_json(entry: Entry) -> dict[str, Any]:
    """Answer an entry as text; bytes that are no text are shown as such."""
    shown = {"path": entry.path, "type": entry.type, "version": entry.version, "size": entry.size}
    return shown | {"modified": rfc3339_seconds(entry.modified), "content": entry.content.decode(errors="replace")}


@human_call(End)
def end(actor: Actor, given: End, session: str) -> dict[str, Any]:
    """End a session, whoever owns it."""
    row = queries.session_of(actor, session)
    return end_session(actor, row.project_id, session=row.pk, **given.model_dump())


@human_call(NewOwner)
def reassign(actor: Actor, given: NewOwner, session: str) -> dict[str, Any]:
    """Give a session to another agent."""
    row = queries.session_of(actor, session)
    return reassign_session(actor, row.project_id, session=row.pk, agent=given.agent)


@human_call(Nothing)
def prune(actor: Actor, given: Nothing, session: str) -> dict[str, Any]:
    """Prune an ended session; it can be undone until the time this answers."""
    row = queries.session_of(actor, session)
    return {"session": row.pk, "undo_until": rfc3339(prune_session(actor, row.project_id, session=row.pk))}


@human_call(Nothing)
def undo(actor: Actor, given: Nothing, session: str) -> dict[str, Any]:
    """Take a prune back while its window is open."""
    undo_prune(actor, queries.pruned_project(session), session=session)
    return queries.session_json(queries.session_of(actor, session))


@human_call(Where)
def prune_all(actor: Actor, given: Where) -> dict[str, Any]:
    """Prune every ended session of a project, or of the hub."""
    return {"sessions": prune_ended(actor, given.project) if given.project else prune_all_ended(actor)}
