"""The human API of the outbox (MEM-08)."""

from typing import Any

from core.actor import Actor
from core.calls import Arguments
from core.human_calls import Nothing, human_call
from core.page import DEFAULT_LIMIT
from tasks import outbox_queries as queries
from tasks.operations.delivering import discard_evidence, redrive_evidence


class OutboxQuery(Arguments):
    """Which deliveries to list."""

    state: str | None = None
    limit: int = DEFAULT_LIMIT
    cursor: str | None = None


class Discard(Arguments):
    """Why it is given up."""

    reason: str


@human_call(OutboxQuery)
def outbox(actor: Actor, given: OutboxQuery) -> dict[str, Any]:  # noqa: ARG001 - who is signed in may look
    """List what is on its way to memory, newest first."""
    page = queries.page_of(queries.rows_of(given.state), cursor=given.cursor, limit=given.limit)
    return page.as_dict("deliveries", queries.row_json) | {"counts": queries.counts()}


@human_call(Nothing)
def redrive(actor: Actor, given: Nothing, row: str) -> dict[str, Any]:  # noqa: ARG001 - there is none
    """Deliver a dead one again."""
    return {"id": redrive_evidence(actor, row=row), "state": "pending"}


@human_call(Discard)
def discard(actor: Actor, given: Discard, row: str) -> dict[str, Any]:
    """Give a dead one up and erase its items."""
    return {"id": discard_evidence(actor, row=row, reason=given.reason), "state": "discarded"}
