"""Entries of the inbox: how one is made and how one is resolved. Shared by the operations; each has its transaction."""

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from core import limits, live
from core.actor import Actor
from core.errors import HubError, invalid, not_found
from core.ids import parse
from inbox.models import OPEN, InboxItem, Outcome, Status
from projects import feed
from projects.models import Event, Kind, Project


def deadline_after(seconds: int | None) -> datetime | None:
    """Answer the moment `seconds` from now; outside the limits it is `invalid_argument` (INB-05)."""
    if seconds is None:
        return None
    least, most = limits.DEADLINE_SECONDS
    if not least <= seconds <= most:
        raise invalid("deadline_s", f"deadline_s must be from {least} to {most} seconds.", limit=[least, most])
    return timezone.now() + timedelta(seconds=seconds)


def check_room(project: Project, actor: Actor) -> None:
    """Refuse an open item beyond what a human can be asked to look at: `rate_limited`."""
    opened = InboxItem.objects.filter(project=project, status__in=OPEN)
    if opened.filter(asker=str(actor)).count() >= limits.OPEN_ITEMS_PER_AGENT:
        raise HubError(
            "rate_limited",
            f"You have {limits.OPEN_ITEMS_PER_AGENT} open items in this project. Wait for answers.",
            limit=limits.OPEN_ITEMS_PER_AGENT,
        )
    if opened.count() >= limits.OPEN_ITEMS_PER_PROJECT:
        raise HubError(
            "rate_limited",
            f"This project has {limits.OPEN_ITEMS_PER_PROJECT} open items.",
            limit=limits.OPEN_ITEMS_PER_PROJECT,
        )


def add(event: Event, status: Status, *, deadline: datetime | None = None, on_expiry: str = "") -> InboxItem:
    """Make the entry of an event that was appended in this transaction (INB-06)."""
    item = InboxItem.objects.create(
        event=event,
        project_id=event.project_id,
        asker=event.actor,
        status=status,
        updated_at=event.created_at,
        deadline_at=deadline,
        on_expiry=on_expiry,
    )
    live.announce("inbox", event=event.pk)
    return item


def open_item(project: Project, item_id: str, field: str, kind: Kind) -> InboxItem:
    """Answer an item that still waits for its decision.

    `not_found` when it is not of this project; `invalid_argument` when it is of another kind; `expired` once its
    deadline passed, settled or not; `conflict` when it was resolved before.
    """
    items = InboxItem.objects.select_related("event").select_for_update(of=("self",))
    item = items.filter(project=project, pk=parse(item_id, field)).first()
    if item is None:
        raise not_found(str(kind))
    if item.event.kind != kind:
        raise invalid(field, f"This is a {item.event.kind}, not a {kind}.")
    if item.outcome == Outcome.EXPIRED or (
        item.status in OPEN and item.deadline_at is not None and item.deadline_at <= timezone.now()
    ):
        raise HubError("expired", "The deadline has passed; the hub resolved it.", **{field: item.pk})
    if item.status not in OPEN:
        raise HubError("conflict", "It was resolved before.", outcome=item.outcome, resolved_by=item.resolved_by)
    return item


def resolve(  # noqa: PLR0913 - what an answer is made of
    item: InboxItem,
    project: Project,
    actor: Actor,
    outcome: Outcome,
    *,
    summary: str,
    payload: dict[str, Any],
    session: str | None = None,
) -> Event:
    """Resolve an open item and append its answer to the thread, in the caller's transaction (INB-04, INB-05).

    The update is guarded: of a deadline and an answer that race, one finds nothing to change and gets `conflict`.
    """
    now = timezone.now()
    resolved = InboxItem.objects.filter(pk=item.pk, status__in=OPEN).update(
        status=Status.RESOLVED, outcome=outcome, resolved_by=str(actor), resolved_at=now, updated_at=now
    )
    if not resolved:
        raise HubError("conflict", "It was resolved before.")
    first_line = next((line for line in summary.splitlines() if line.strip()), "")[: limits.SUMMARY_CHARS]
    event = feed.append(project, Kind.ANSWER, actor, first_line, payload=payload, session=session, thread=item.event_id)
    live.announce("inbox", event=item.pk)
    return event
