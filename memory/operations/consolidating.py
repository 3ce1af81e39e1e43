"""What a completed task contributes: receipt and entries in one transaction, so taken once (MEM-07, MEM-08)."""

from typing import Any

from django.utils import timezone

from core.actor import Actor
from core.operation import subject_operation
from memory import entries
from memory.entries import Said
from memory.kinds import RESIDENT
from memory.models import Proposal, Receipt
from memory.planning import Plan, planned


@subject_operation()
def take_evidence(
    actor: Actor,
    subject: int,
    /,
    *,
    key: str,
    task: str,
    said: list[Said],
    plan: Plan,
    counts: dict[str, int],
    project: str = "",
) -> bool:
    """Take what was delivered under a key; False when it was taken before.

    ``plan`` compares it with memory as it was when it was made. What has changed since is compared anew, so a
    delivery that waited neither misses nor undoes an edit made meanwhile.
    """
    if Receipt.objects.of(subject).filter(key=key).exists():
        return False
    entries.settle(subject, timezone.now())
    plan = plan if plan.holds(subject) else planned(subject, said)
    outcome = dict(counts)
    for one in said:
        done = _take(actor, subject, one, plan, project)
        outcome[done] = outcome.get(done, 0) + 1
    Receipt.objects.add(subject, key=key, task=task, outcome=outcome, created_at=timezone.now())
    return True


def _take(actor: Actor, subject: int, said: Said, plan: Plan, project: str) -> str:
    if entries.is_forgotten(subject, said.content_hash):
        return "forgotten"
    known = entries.same_as(subject, said)
    if known is not None:
        entries.see_again(subject, known, said)
        return "seen"
    if said.layer == RESIDENT:
        return "proposed" if entries.propose_resident(subject, said, project) else "seen"
    entry = entries.add(subject, said, str(actor))
    others = plan.words[said.layer, said.scope]
    merges = entries.propose_merges(subject, entry, said.text, others)
    others[entry.pk] = (1, plan.of(said))
    return "merge proposed" if merges else "added"


@subject_operation()
def mark_announced(actor: Actor, subject: int, /, *, proposal: str, item: str) -> bool:
    """Note which inbox item a proposal waits in."""
    rows: Any = Proposal.objects.of(subject).filter(pk=proposal, item="")
    return bool(rows.update(item=item))
