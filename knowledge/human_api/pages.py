"""The human API of a project's pages."""

import dataclasses
from typing import Any

from core.actor import Actor
from core.calls import Arguments
from core.human_calls import Nothing, human_call
from core.operation import Right
from core.page import DEFAULT_LIMIT, check_limit
from identity.access import authorized
from knowledge import queries
from knowledge.operations import delete_page, put_page
from knowledge.storage_use import hub_use
from sessions_app.human_api import Path, entry_json
from sessions_app.queries import level_page, row_json


class PageLevel(Arguments):
    """One level of the knowledge base."""

    path: str = "/fs"
    limit: int = DEFAULT_LIMIT
    cursor: str | None = None


class PageWrite(Arguments):
    """A page to store."""

    path: str
    content: str
    if_version: str | None = None
    idempotency_key: str | None = None


class PageDelete(Arguments):
    """A page to delete."""

    path: str
    if_version: str | None = None


class LogQuery(Arguments):
    """Which part of the log to read."""

    path: str | None = None
    actor: str | None = None
    op: str | None = None
    limit: int = DEFAULT_LIMIT
    cursor: str | None = None


@human_call(PageLevel)
def pages(actor: Actor, given: PageLevel, project: str) -> dict[str, Any]:
    """List one level of a project's pages."""
    limit = check_limit(given.limit)
    row = authorized(actor, project, Right.READ)
    lines = queries.list_pages(row, given.path, limit=limit + 1, after=given.cursor)
    return level_page(lines, limit).as_dict("entries", row_json)


@human_call(Path)
def page(actor: Actor, given: Path, project: str) -> dict[str, Any]:
    """Show a page with its version and last writer."""
    row = authorized(actor, project, Right.READ)
    return entry_json(queries.get_page(row, given.path)) | queries.standing(row, given.path)


@human_call(PageWrite)
def page_write(actor: Actor, given: PageWrite, project: str) -> dict[str, Any]:
    """Store a page; with if_version only while it is unchanged."""
    return put_page(actor, project, **given.model_dump() | {"content": given.content.encode()})


@human_call(PageDelete)
def page_delete(actor: Actor, given: PageDelete, project: str) -> dict[str, Any]:
    """Delete a page."""
    return delete_page(actor, project, **given.model_dump())


@human_call(LogQuery)
def history(actor: Actor, given: LogQuery, project: str) -> dict[str, Any]:
    """Read the log of writes, newest first."""
    row = authorized(actor, project, Right.READ)
    rows = queries.page_log(row, **given.model_dump()).as_dict("rows", queries.log_json)
    return rows | queries.standing(row, given.path)


@human_call(Nothing)
def storage(actor: Actor, given: Nothing) -> dict[str, Any]:
    """Say what the hub keeps where, in bytes."""
    use = hub_use()
    rows = [dataclasses.asdict(row) | {"total_bytes": row.total_bytes} for row in use.projects]
    totals = {name: use.sum_of(name) for name in rows[0] if name not in ("slug", "name")} if rows else {}
    whole = {name: getattr(use, name) for name in ("database_bytes", "data_dir_bytes", "volume_bytes")}
    return {"projects": rows, "totals": totals, **whole, "volume_free_bytes": use.volume_free_bytes}
