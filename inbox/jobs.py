"""Deadlines. The job settles what is due; so does every read that would show it (INB-05)."""

from django.utils import timezone

from core.actor import HUB
from core.errors import HubError
from core.jobs import every
from inbox.models import OPEN, InboxItem
from inbox.operations import expire_item


@every(1)
def expire_due() -> int:
    """Resolve open items whose deadline passed; answers how many. Losing the race to an answer is no failure."""
    due = InboxItem.objects.filter(status__in=OPEN, deadline_at__lte=timezone.now()).order_by("deadline_at")
    settled = 0
    for item in due[:200]:
        try:
            expire_item(HUB, item.project_id, item=item)
            settled += 1
        except HubError as refusal:
            if refusal.code not in {"conflict", "not_found"}:
                raise
    return settled
