"""The human API of sessions and their brains."""

from typing import Any

from agentfs import Entry
from core.actor import Actor
from core.calls import Arguments
from core.human_calls import Nothing, human_call
from core.page import DEFAULT_LIMIT, check_limit
from core.times import rfc3339_seconds
from sessions_app import queries


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


@human_call(SessionQuery)
def session_list(actor: Actor, given: SessionQuery) -> dict[str, Any]:
    """List sessions, newest first."""
    rows = queries.listed(actor, project=given.project, status=given.status, agent=given.agent)
    return queries.page_of(rows, cursor=given.cursor, limit=given.limit).as_dict("sessions", queries.session_json)


@human_call(Nothing)
def session(actor: Actor, given: Nothing, session: str) -> dict[str, Any]:  # noqa: ARG001
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
