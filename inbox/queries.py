"""Reading the inbox: the human's view, and the agents' view without the read axis."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Count, QuerySet

from core.actor import Actor
from core.errors import invalid, not_found
from core.ids import parse
from core.operation import Right
from core.page import Page, check_limit, cut
from core.times import rfc3339
from identity.access import authorized, visible_projects
from inbox.models import OPEN, READ_AXIS, InboxItem, Status
from projects.models import Event, Kind

AGENT_STATUSES = (Status.UNREAD, Status.ACTION, Status.WAITING, Status.RESOLVED)


def items(*, statuses: Iterable[str] = (), project: str | None = None) -> QuerySet[InboxItem]:
    """Answer inbox items with their event and project, newest first by event id (INB-03)."""
    rows = InboxItem.objects.select_related("event", "project").order_by("-pk")
    wanted = list(statuses)
    if wanted:
        rows = rows.filter(status__in=wanted)
    return rows.filter(project=project) if project is not None else rows


def visible_items(actor: Actor, *, status: str | None = None, project: str | None = None) -> QuerySet[InboxItem]:
    """Answer the items of projects `actor` may read, `not_found` for a named project that is not one of them.

    Agents cannot filter on ``read`` (INB-02).
    """
    statuses: tuple[str, ...] = ()
    if status is not None:
        if status not in AGENT_STATUSES:
            raise invalid("status", f"status must be one of {', '.join(AGENT_STATUSES)}.")
        statuses = READ_AXIS if status == Status.UNREAD else (status,)
    rows = items(statuses=statuses, project=project)
    if project is not None:
        authorized(actor, project, Right.READ)
        return rows
    return rows.filter(project__in=visible_projects(actor))


def page_of(rows: QuerySet[InboxItem], *, cursor: str | None, limit: int) -> Page[InboxItem]:
    """Page items by event id."""
    check_limit(limit)
    if cursor is not None:
        rows = rows.filter(pk__lt=parse(cursor, "cursor"))
    return cut(list(rows[: limit + 1]), limit, lambda item: item.pk)


def item_of(actor: Actor, event: str, field: str = "item") -> InboxItem:
    """Answer one item `actor` may read; `not_found` for any other."""
    item = visible_items(actor).filter(pk=parse(event, field)).first()
    if item is None:
        raise not_found(field)
    return item


def decidable(actor: Actor, question: str) -> InboxItem:
    """Answer a question or approval `actor` may read; `invalid_argument` for a report, which nobody answers."""
    item = item_of(actor, question, "question")
    if item.event.kind not in (Kind.QUESTION, Kind.APPROVAL):
        raise invalid("question", f"This is a {item.event.kind}, which waits for no answer.")
    return item


def thread_of(event: str) -> list[Event]:
    """Answer a thread's events, oldest first."""
    return list(Event.objects.filter(thread=event).exclude(kind=Kind.SYSTEM).order_by("pk"))


def counts() -> dict[str, int]:
    """Answer how many items are in each status, and ``open`` for those that wait on a decision."""
    tally = dict.fromkeys(Status.values, 0)
    tally |= {row["status"]: row["n"] for row in InboxItem.objects.values("status").annotate(n=Count("pk"))}
    return tally | {"open": sum(tally[status] for status in OPEN)}


def answer_of(item: InboxItem) -> Event | None:
    """Answer the event that resolved an item."""
    if item.status != Status.RESOLVED:
        return None
    return Event.objects.filter(thread=item.pk, kind=Kind.ANSWER).order_by("pk").first()


def answers_of(items: Iterable[InboxItem]) -> dict[str, Event]:
    """Answer, in one read, the events that resolved items, by the item's id."""
    asked = [item.pk for item in items if item.status == Status.RESOLVED]
    answers = Event.objects.filter(thread__in=asked, kind=Kind.ANSWER).order_by("-pk")
    return {str(answer.thread): answer for answer in answers}


def agent_json(item: InboxItem) -> dict[str, Any]:
    """Answer an item as agents see it: a read entry is ``unread``, its time the one before (INB-02)."""
    return _shared(item) | {"status": str(Status.UNREAD) if item.status in READ_AXIS else item.status}


def human_json(item: InboxItem) -> dict[str, Any]:
    """Answer an item as the human sees it, read state included."""
    return _shared(item) | {"status": item.status, "read_at": rfc3339(item.read_at), "payload": item.event.payload}


def _shared(item: InboxItem) -> dict[str, Any]:
    return {
        "id": item.pk,
        "event": item.pk,
        "project": item.project_id,
        "project_name": item.project.name,
        "kind": item.event.kind,
        "actor": item.asker,
        "session": item.event.session,
        "subject": item.event.summary,
        "created_at": rfc3339(item.event.created_at),
        "updated_at": rfc3339(item.updated_at),
        "deadline_at": rfc3339(item.deadline_at),
        "outcome": item.outcome or None,
        "resolved_by": item.resolved_by or None,
        "resolved_at": rfc3339(item.resolved_at),
    }
