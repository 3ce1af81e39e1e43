"""What a person decides about changes that wait for them (MEM-03, MEM-07)."""

from typing import Any

from django.db.models import F
from django.utils import timezone

from core import ids
from core.actor import Actor
from core.errors import HubError, not_found
from core.operation import subject_operation
from memory import entries
from memory.models import Entry, Proposal, Revision


@subject_operation()
def decide_proposal(actor: Actor, subject: int, /, *, proposal: str, approved: bool) -> dict[str, Any]:
    """Do what was proposed, or not. The same decision again changes nothing.

    `conflict` for the other decision, and when what it is about has changed: then it is stale and does nothing.
    """
    entries.settle(subject, timezone.now())
    row = Proposal.objects.of(subject).filter(pk=ids.parse(proposal, "proposal")).first()
    if row is None:
        raise not_found("proposal")
    wanted = Proposal.State.CONFIRMED if approved else Proposal.State.DECLINED
    if row.state != Proposal.State.OPEN:
        if row.state == wanted or not approved:
            return {"proposal": row.pk, "state": row.state, "entry": row.entry or None}
        raise HubError("conflict", "It is not open any more.", state=row.state)
    entry = _carry_out(actor, subject, row) if approved else _decline(subject, row)
    # Its words are in memory now, or nowhere.
    done = {"state": wanted, "text": "", "content_hash": "", "decided_at": timezone.now(), "entry": entry}
    Proposal.objects.of(subject).filter(pk=row.pk).update(**done)
    return {"proposal": row.pk, "state": str(wanted), "entry": entry or None}


def _decline(subject: int, row: Proposal) -> str:
    if row.kind == Proposal.Kind.RESIDENT:
        entries.bury(subject, {row.content_hash})  # or the next delivery would ask again
    return str(row.entry)


def _carry_out(actor: Actor, subject: int, row: Proposal) -> str:
    if row.kind == Proposal.Kind.MERGE:
        return _merge(actor, subject, row)
    said = entries.checked(row.memory_kind, row.text, source_ref=row.source_ref, confidence=row.confidence)
    known = entries.same_as(subject, said)
    if known is not None:
        entries.see_again(subject, known, said)
        return str(known.pk)
    return str(entries.add(subject, said, str(actor)).pk)


def _merge(actor: Actor, subject: int, row: Proposal) -> str:
    """Let one entry take the words of the other, which gives way."""
    keeps, gives = (_unchanged(subject, one, at) for one, at in _sides(row))
    latest = Revision.objects.of(subject).get(entry=gives.pk, number=gives.revision)
    gone = {"state": Entry.State.SUPERSEDED, "superseded_by": keeps.pk, "updated_at": timezone.now()}
    Entry.objects.of(subject).filter(pk=gives.pk).update(**gone)
    said = entries.checked(
        keeps.kind,
        latest.text,
        scope=keeps.scope,
        source_ref=latest.source_ref or keeps.source_ref,
        confidence=latest.confidence,
        expires_at=keeps.expires_at,
    )
    entries.revise(subject, keeps, said, str(actor))
    Entry.objects.of(subject).filter(pk=keeps.pk).update(seen_count=F("seen_count") + gives.seen_count)
    entries.stale(subject, [gives.pk], timezone.now(), besides=row.pk)
    return str(keeps.pk)


def _sides(row: Proposal) -> tuple[tuple[str, int], tuple[str, int]]:
    return (row.entry, row.entry_revision), (row.other, row.other_revision)


def _unchanged(subject: int, entry: str, revision: int) -> Entry:
    found = Entry.objects.of(subject).filter(pk=entry, state=Entry.State.ACTIVE, revision=revision).first()
    if found is None:
        raise HubError("conflict", "One of the two was changed meanwhile; nothing was merged.", entry=entry)
    return found
