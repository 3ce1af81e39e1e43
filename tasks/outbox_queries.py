"""What is on its way to memory: how it stands, and never what it says, which is for the person it is about."""

from typing import Any, Final

from django.db.models import Count, QuerySet

from core.errors import invalid
from core.ids import parse
from core.page import Page, check_limit, cut
from core.times import rfc3339
from tasks.models import Task
from tasks.outbox_models import OutboxRow

_State = OutboxRow.State
SHOWN: Final = 100


def rows_of(state: str | None) -> QuerySet[OutboxRow]:
    """Answer the rows of a state, or all."""
    if state is not None and state not in _State.values:
        raise invalid("state", f"state must be one of {', '.join(_State.values)}.")
    rows = OutboxRow.objects.defer("items").order_by("-pk")
    return rows.filter(state=state) if state else rows


def page_of(rows: QuerySet[OutboxRow], *, cursor: str | None, limit: int) -> Page[OutboxRow]:
    """Page rows, newest first."""
    check_limit(limit)
    if cursor is not None:
        rows = rows.filter(pk__lt=parse(cursor, "cursor"))
    return cut(list(rows[: limit + 1]), limit, lambda row: row.pk)


def counts() -> dict[str, int]:
    """Answer how many rows there are of each state."""
    found = dict(OutboxRow.objects.order_by().values_list("state").annotate(number=Count("pk")))
    return {state: found.get(state, 0) for state in _State.values}


def titles(rows: list[OutboxRow]) -> dict[str, str]:
    """Answer the titles of the tasks that are still there, by id."""
    return dict(Task.objects.filter(pk__in={row.task for row in rows}).values_list("pk", "title"))


def row_json(row: OutboxRow) -> dict[str, Any]:
    """Answer a row as every face shows it."""
    return {
        "id": row.pk,
        "task": row.task,
        "generation": row.generation,
        "project": row.project,
        "items": row.number,
        "state": row.state,
        "attempts": row.attempts,
        "due_at": rfc3339(row.due_at) if row.state == _State.PENDING else None,
        "leased": bool(row.lease),
        "error": row.error or None,
        "created_at": rfc3339(row.created_at),
        "settled_at": rfc3339(row.settled_at) if row.settled_at else None,
        "settled_by": row.settled_by or None,
        "reason": row.reason or None,
    }
