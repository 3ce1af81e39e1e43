"""Telling an agent, on whatever it calls next, how what it asked has ended: each item once."""

from typing import Any, Final

from django.db import connection
from django.utils import timezone

from core.actor import Actor
from core.gate import write_if_free
from core.times import rfc3339
from identity.access import visible_projects
from inbox.models import InboxItem, Outcome, Status
from projects.models import Kind

MOST: Final = 10
# Every call of every agent asks this. Written out, it costs a twentieth of the same query through the ORM.
_ANY_UNTOLD: Final = (
    "SELECT 1 FROM inbox_inboxitem WHERE asker = %s AND status = 'resolved' AND told_at IS NULL LIMIT 1"
)


def take_pending(actor: Actor) -> list[dict[str, Any]]:
    """Answer what the caller has not been told yet, oldest first, and note that it was told.

    The update of each row is guarded, so of calls at once one tells it. A busy store tells it later.
    """
    with connection.cursor() as cursor:
        cursor.execute(_ANY_UNTOLD, [str(actor)])
        if cursor.fetchone() is None:  # nearly always
            return []
    untold = InboxItem.objects.filter(asker=str(actor), status=Status.RESOLVED, told_at__isnull=True)
    rows = untold.select_related("event").filter(project__in=visible_projects(actor)).order_by("pk")[:MOST]
    return [_json(row) for row in rows if tell(row)]


def tell(item: InboxItem) -> bool:
    """Note that the asker has been told; answers whether this call was the first to."""
    first: list[int] = []
    untold = InboxItem.objects.filter(pk=item.pk, told_at__isnull=True)
    write_if_free(lambda: first.append(untold.update(told_at=timezone.now())))
    return first == [1]


def _json(item: InboxItem) -> dict[str, Any]:
    kind = "decision" if item.event.kind == Kind.APPROVAL else "answer"
    return {
        "kind": "expired" if item.outcome == Outcome.EXPIRED else kind,
        "id": item.pk,
        "project": item.project_id,
        "title": item.event.summary,
        "at": rfc3339(item.resolved_at),
    }
