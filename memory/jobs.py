"""What the clock does to memory."""

from django.contrib.auth import get_user_model
from django.utils import timezone

from core.actor import HUB
from core.errors import HubError
from core.jobs import every
from memory.models import Entry, Proposal
from memory.operations import expire_entries, mark_announced, post_proposal


@every(60)
def expire_due() -> int:
    """End what has expired, person by person; answers how many."""
    return sum(expire_entries(HUB, subject) for subject in Entry.objects.subjects_with_due(timezone.now()))


@every(60)
def announce_proposals() -> int:
    """Put proposals that wait for a person into the inbox; answers how many. Twice is once: the key says so."""
    waiting = Proposal.objects.unannounced()
    people = get_user_model().objects.in_bulk({subject for subject, _, _ in waiting})
    return sum(
        _announce(subject, project, proposal, people[subject].get_username())
        for subject, project, proposal in waiting
        if subject in people
    )


def _announce(subject: int, project: str, proposal: str, name: str) -> bool:
    key = f"memory-proposal:{proposal}"
    try:
        asked = post_proposal(HUB, project, proposal=proposal, subject=subject, name=name, idempotency_key=key)
    except HubError as refusal:
        if refusal.code != "not_found":
            raise
        return False  # the project is gone; the memory page shows it still
    return mark_announced(HUB, subject, proposal=proposal, item=asked["event"])
