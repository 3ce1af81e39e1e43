"""The brain tools: one family for a session's brain and a project's pages, told apart by ``store`` (KNB-02)."""

import json
from typing import Annotated, Any, Literal

from pydantic import Field

from agentfs import Entry, canonical
from core import parts
from core.actor import Actor
from core.calls import Arguments, Json, agent_call
from core.errors import HubError, invalid
from core.operation import Right
from core.page import fitting, limit_or_default
from core.times import rfc3339_seconds
from identity.access import authorized
from knowledge import queries
from knowledge.brief import brief
from knowledge.operations import append_page, delete_page, promote_page, put_page
from projects.models import Project
from sessions_app import hub_files
from sessions_app import queries as sessions
from sessions_app.operations import append_entry, delete_entry, put_entry

Store = Literal["session", "project"]


class Place(Arguments):
    """Where a brain tool works."""

    session: str | None = None
    project: str | None = None


class SessionBrief(Arguments):
    """Arguments of session_brief."""

    project: str
    session: str | None = None


class BrainGet(Place):
    """Arguments of brain_get."""

    path: str
    store: Store = "session"
    encoding: Literal["text", "base64"] = "text"
    offset: Annotated[int, Field(ge=0)] = 0
    limit: Annotated[int | None, Field(ge=1, le=parts.MOST_BYTES, description="Bytes; default 12000.")] = None


class BrainList(Place):
    """Arguments of brain_list."""

    path: str | None = None
    store: Store = "session"
    limit: int | None = None
    cursor: str | None = None


class BrainPut(Place):
    """Arguments of brain_put."""

    path: Annotated[str, Field(description="/fs/... for a file; /kv/... for a JSON value (session store only).")]
    content: Any
    store: Store
    encoding: Literal["text", "base64"] = "text"
    if_version: Annotated[str | None, Field(description="Version you read, or 'absent'.")] = None
    append: bool = False
    idempotency_key: str | None = None


class BrainDelete(Place):
    """Arguments of brain_delete."""

    path: str
    store: Store
    if_version: str | None = None
    idempotency_key: str | None = None


class BrainPromote(Place):
    """Arguments of brain_promote."""

    from_path: str
    to_path: Annotated[str, Field(description="/fs/... in the project's pages.")]
    if_version: str | None = None
    idempotency_key: str | None = None


class PageHistory(Arguments):
    """Arguments of page_history."""

    project: str
    path: str | None = None
    actor: Annotated[str | None, Field(description="Only this writer's rows.")] = None
    op: str | None = None
    limit: int | None = None
    cursor: str | None = None


@agent_call(
    "session_brief",
    title="Brief me",
    http=("GET", "/projects/{project}/brief"),
    arguments=SessionBrief,
    read_only=True,
)
def session_brief(actor: Actor, arguments: SessionBrief) -> Json:
    """Orient in one call: your answers, open questions, the last handoff, newest events, changed pages."""
    project = authorized(actor, arguments.project, Right.READ)
    current = None
    if arguments.session is not None or sessions.has_live(actor, project.slug):
        current = sessions.resolve_session(actor, project.slug, arguments.session, "readable")
    return brief(actor, project, current)


@agent_call("brain_get", title="Read an entry", http=("GET", "/brain/entry"), arguments=BrainGet, read_only=True)
def brain_get(actor: Actor, arguments: BrainGet) -> Json:
    """Read a file, JSON key or page with its version. Long content comes in parts: pass next_offset as offset."""
    if arguments.store == "project":
        return _content(queries.get_page(_read_place(actor, arguments), arguments.path), arguments)
    row = sessions.resolve_session(actor, arguments.project, arguments.session, "readable")
    return _content(hub_files.get(actor, row, arguments.path), arguments)


@agent_call("brain_list", title="List entries", http=("GET", "/brain/entries"), arguments=BrainList, read_only=True)
def brain_list(actor: Actor, arguments: BrainList) -> Json:
    """List one level: / (session store), /fs/..., /kv/...; rows of type file, dir or key."""
    limit = limit_or_default(arguments.limit)
    if arguments.store == "project":
        project = _read_place(actor, arguments)
        rows = queries.list_pages(project, arguments.path or "/fs", limit=limit + 1, after=arguments.cursor)
    else:
        row = sessions.resolve_session(actor, arguments.project, arguments.session, "readable")
        rows = hub_files.listed(actor, row, arguments.path or "/", limit=limit + 1, after=arguments.cursor)
    page = sessions.level_page(rows, limit)
    shown = fitting([sessions.row_json(line) for line in page.rows])
    if arguments.limit is None and shown < len(page.rows):
        names = dict.fromkeys(line.name for line in page.rows[:shown])
        page = sessions.level_page(page.rows, max(1, len(names) - 1))
    return page.as_dict("entries", sessions.row_json)


@agent_call("brain_put", title="Write an entry", http=("PUT", "/brain/entry"), arguments=BrainPut)
def brain_put(actor: Actor, arguments: BrainPut) -> Json:
    """Write a file or JSON key of your session's brain, or (store=project) a page all agents of the project share."""
    given: dict[str, Any] = {
        "path": arguments.path,
        "content": _bytes(arguments),
        "if_version": arguments.if_version,
        "idempotency_key": arguments.idempotency_key,
    }
    if arguments.store == "project":
        session, project = _write_place(actor, arguments)
        write_page = append_page if arguments.append else put_page
        return write_page(actor, project, session=session, **given)
    row = sessions.resolve_session(actor, arguments.project, arguments.session)
    write_entry = append_entry if arguments.append else put_entry
    return write_entry(actor, row.project_id, session=row.pk, **given)


@agent_call(
    "brain_delete", title="Delete an entry", http=("DELETE", "/brain/entry"), arguments=BrainDelete, destructive=True
)
def brain_delete(actor: Actor, arguments: BrainDelete) -> Json:
    """Delete a file, key or empty directory; with if_version only while it is unchanged."""
    given = arguments.model_dump(include={"path", "if_version", "idempotency_key"})
    if arguments.store == "project":
        session, project = _write_place(actor, arguments)
        return delete_page(actor, project, session=session, **given)
    row = sessions.resolve_session(actor, arguments.project, arguments.session)
    return delete_entry(actor, row.project_id, session=row.pk, **given)


@agent_call("brain_promote", title="Promote to a page", http=("POST", "/brain/promotions"), arguments=BrainPromote)
def brain_promote(actor: Actor, arguments: BrainPromote) -> Json:
    """Copy an entry of a session's brain into a page of its project; the page's history cites the session."""
    row = sessions.resolve_session(actor, arguments.project, arguments.session, "readable")
    entry = sessions.brain_get(row, arguments.from_path)
    return promote_page(
        actor,
        row.project_id,
        path=arguments.to_path,
        content=entry.content,
        source={"session": row.pk, "from_path": entry.path},
        if_version=arguments.if_version,
        idempotency_key=arguments.idempotency_key,
    )


@agent_call(
    "page_history",
    title="History of pages",
    http=("GET", "/projects/{project}/pages/history"),
    arguments=PageHistory,
    read_only=True,
    listing="outside_tasks",
)
def page_history(actor: Actor, arguments: PageHistory) -> Json:
    """Who wrote which page when, newest first; with path, of one page, its last_writer and trust too."""
    project = authorized(actor, arguments.project, Right.READ)
    given = arguments.model_dump(include={"path", "actor", "op", "cursor"})
    page = queries.page_log(project, limit=limit_or_default(arguments.limit), **given)
    page = page.within_reply(arguments.limit, queries.log_json, lambda row: str(row.id))
    return page.as_dict("rows", queries.log_json) | queries.standing(project, arguments.path)


def _read_place(actor: Actor, arguments: Place) -> Project:
    """Answer the project whose pages are read: named, or that of the session."""
    slug = arguments.project
    if slug is None:
        slug = sessions.resolve_session(actor, None, arguments.session, "readable").project_id
    return authorized(actor, slug, Right.READ)


def _write_place(actor: Actor, arguments: Place) -> tuple[str | None, str]:
    """Answer the session to note and the project to write; pages need no session, only a project."""
    if arguments.session is None and arguments.project is not None:
        try:
            return sessions.resolve_session(actor, arguments.project, None).pk, arguments.project
        except HubError:
            return None, arguments.project
    row = sessions.resolve_session(actor, arguments.project, arguments.session)
    return row.pk, row.project_id


def _bytes(arguments: BrainPut) -> bytes:
    """Answer what to store: a key's value as JSON text, a file's text as UTF-8, or decoded base64."""
    content = arguments.content
    if canonical(arguments.path).startswith("/kv/"):
        try:
            return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        except (ValueError, RecursionError):
            raise invalid("content", "content must be JSON without NaN, infinities or lone surrogates.") from None
    if not isinstance(content, str):
        raise invalid("content", "content must be text for a file; JSON values go to /kv/... paths.")
    return parts.decoded(content, arguments.encoding)


def _content(entry: Entry, arguments: BrainGet) -> Json:
    """Answer an entry with its content, or the part of it that was asked for."""
    shown = {"path": entry.path, "type": entry.type, "version": entry.version, "size": entry.size}
    shown |= {"modified": rfc3339_seconds(entry.modified)}
    limit = arguments.limit or parts.DEFAULT_BYTES
    if entry.type == "key" and arguments.encoding == "text" and arguments.offset == 0 and entry.size <= limit:
        return shown | {"content": _json(entry.content), "encoding": "json", "truncated": False, "next_offset": None}
    return shown | parts.part_of(
        lambda start, end: entry.content[start:end],
        entry.size,
        encoding=arguments.encoding,
        offset=arguments.offset,
        limit=arguments.limit,
    )


def _json(content: bytes) -> Any:  # noqa: ANN401 - any JSON value
    try:
        return json.loads(content)
    except ValueError:  # written by somebody else's hand; shown as the text it is
        return content.decode(errors="replace")
