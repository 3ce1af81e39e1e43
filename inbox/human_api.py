"""The human API of the inbox: answering, deciding, and the read axis."""

from typing import Any

from pydantic import Field

from core.actor import Actor
from core.calls import Arguments
from core.human_calls import Nothing, human_call
from core.operation import Right
from core.page import DEFAULT_LIMIT
from identity.access import authorized
from inbox import queries
from inbox.jobs import expire_due
from inbox.models import Status
from inbox.operations import decide, mark_all_read, mark_read, mark_unread, post_answer
from projects.queries import event_json


class InboxQuery(Arguments):
    """Which items to list."""

    status: list[Status] = Field(default_factory=list)
    project: str | None = None
    limit: int = DEFAULT_LIMIT
    cursor: str | None = None


class Answer(Arguments):
    """An answer to a question."""

    body: str
    idempotency_key: str | None = None


class Decision(Arguments):
    """A decision on an approval; leave ``proposal`` out to keep it as it was asked."""

    approved: bool
    note: str = ""
    proposal: Any = None


class Items(Arguments):
    """Inbox items by event id."""

    items: list[str]


class UpTo(Arguments):
    """The newest item the person saw."""

    up_to: str | None = None


@human_call(InboxQuery)
def inbox(actor: Actor, given: InboxQuery) -> dict[str, Any]:
    """List the inbox, newest first by event id."""
    expire_due()
    if given.project is not None:
        authorized(actor, given.project, Right.READ)
    rows = queries.items(statuses=given.status, project=given.project)
    page = queries.page_of(rows, cursor=given.cursor, limit=given.limit)
    return page.as_dict("items", queries.human_json) | {"counts": queries.counts()}


@human_call(Nothing)
def item(actor: Actor, given: Nothing, item: str) -> dict[str, Any]:
    """Show one item with its thread."""
    expire_due()
    row = queries.item_of(actor, item)
    return queries.human_json(row) | {"thread": [event_json(event) for event in queries.thread_of(row.pk)]}


@human_call(Answer)
def answer(actor: Actor, given: Answer, item: str) -> dict[str, Any]:
    """Answer a question."""
    row = queries.item_of(actor, item)
    return post_answer(actor, row.project_id, question=row.pk, **given.model_dump())


@human_call(Decision)
def decision(actor: Actor, given: Decision, item: str) -> dict[str, Any]:
    """Approve or decline."""
    row = queries.item_of(actor, item)
    return decide(actor, row.project_id, item=row.pk, **given.model_dump(exclude_unset=True))


@human_call(Items)
def read(actor: Actor, given: Items) -> dict[str, Any]:
    """Mark items read."""
    return dict(mark_read(actor, items=given.items))


@human_call(Items)
def unread(actor: Actor, given: Items) -> dict[str, Any]:
    """Mark items unread."""
    return dict(mark_unread(actor, items=given.items))


@human_call(UpTo)
def read_all(actor: Actor, given: UpTo) -> dict[str, Any]:
    """Mark every unread item read, up to the newest the person saw."""
    return {"changed": mark_all_read(actor, up_to=given.up_to)}
