"""The read axis, the human's alone (INB-01, INB-02): on what waits or is resolved these verbs change nothing."""

from collections.abc import Sequence

from django.utils import timezone

from core import live
from core.actor import Actor
from core.errors import invalid, not_found
from core.ids import parse
from core.operation import staff_operation
from core.page import MAX_LIMIT
from inbox.models import InboxItem, Status

type Marked = dict[str, list[str]]


@staff_operation
def mark_read(actor: Actor, /, *, items: Sequence[str]) -> Marked:
    """Mark unread items read; answers which changed and which were ``unchanged``."""
    return _mark(items, Status.UNREAD, Status.READ)


@staff_operation
def mark_unread(actor: Actor, /, *, items: Sequence[str]) -> Marked:
    """Mark read items unread; answers which changed and which were ``unchanged``."""
    return _mark(items, Status.READ, Status.UNREAD)


@staff_operation
def mark_all_read(actor: Actor, /, *, up_to: str | None = None) -> int:
    """Mark every unread item read, up to the newest the human saw; answers how many."""
    unread = InboxItem.objects.filter(status=Status.UNREAD)
    if up_to is not None:
        unread = unread.filter(pk__lte=parse(up_to, "up_to"))
    changed = unread.update(status=Status.READ, read_at=timezone.now())
    if changed:
        live.announce("inbox")
    return changed


def _mark(items: Sequence[str], before: Status, after: Status) -> Marked:
    if len(items) > MAX_LIMIT:
        raise invalid("items", f"items must be at most {MAX_LIMIT}.", limit=MAX_LIMIT)
    wanted = {parse(item, "items") for item in items}
    statuses = dict(InboxItem.objects.filter(pk__in=wanted).values_list("pk", "status"))
    if wanted - set(statuses):
        raise not_found("inbox item")
    changed = sorted(pk for pk, status in statuses.items() if status == before)
    read_at = timezone.now() if after == Status.READ else None
    InboxItem.objects.filter(pk__in=changed, status=before).update(status=after, read_at=read_at)
    for item in changed:
        live.announce("inbox", event=item)
    return {"changed": changed, "unchanged": sorted(wanted - set(changed))}
