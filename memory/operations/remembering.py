"""What a person does with their memory (MEM-02, MEM-03)."""

from datetime import datetime
from typing import Any

from django.utils import timezone

from core.actor import Actor
from core.errors import HubError, invalid
from core.operation import subject_operation
from memory import entries
from memory.models import Revision, Tombstone
from memory.screening import secret_in


@subject_operation()
def remember(
    actor: Actor,
    subject: int,
    /,
    *,
    kind: str,
    text: str,
    scope: str = "",
    source_ref: str = "",
    confidence: float | None = None,
    expires_at: datetime | None = None,
    again: bool = False,
) -> dict[str, Any]:
    """Remember something; said before, it is the same entry seen once more.

    `conflict` for words that were forgotten, unless the person says to remember them ``again``.
    """
    said = entries.checked(kind, text, scope=scope, source_ref=source_ref, confidence=confidence, expires_at=expires_at)
    _without_secrets(said.text)
    entries.settle(subject, timezone.now())
    known = entries.same_as(subject, said)
    if known is not None:
        entries.see_again(subject, known, said)
        return {"entry": known.pk, "revision": known.revision, "created": False, "proposals": []}
    _raise_from_the_dead(actor, subject, said.content_hash, again=again)
    others = entries.current_words(subject, said.layer, said.scope)
    entry = entries.add(subject, said, str(actor))
    proposals = entries.propose_merges(subject, entry, said.text, others)
    return {"entry": entry.pk, "revision": 1, "created": True, "proposals": proposals}


def _without_secrets(text: str) -> None:
    secret = secret_in(text)
    if secret:
        raise invalid("text", f"This holds a secret ({secret}), which memory never keeps.")


def _raise_from_the_dead(actor: Actor, subject: int, text_hash: str, *, again: bool) -> None:
    if not entries.is_forgotten(subject, text_hash):
        return
    if actor.kind != "human" or not again:
        raise HubError("conflict", "This was forgotten. Say so to remember it again.", field="again", forgotten=True)
    Tombstone.objects.of(subject).filter(content_hash=text_hash).delete()


@subject_operation()
def edit_entry(
    actor: Actor, subject: int, /, *, entry: str, text: str, expected_revision: int | None
) -> dict[str, Any]:
    """Give an entry other words. The same words change nothing; words that were forgotten are `conflict`.

    `precondition_required` without the revision that was read, `version_mismatch` when it is not the current one.
    """
    entries.settle(subject, timezone.now())
    row = entries.active(subject, entry)
    if expected_revision is None:
        raise HubError("precondition_required", "Give expected_revision, the one you read.", current=row.revision)
    if row.revision != expected_revision:
        raise HubError("version_mismatch", "It was changed meanwhile.", current=row.revision)
    said = entries.checked(row.kind, text, scope=row.scope, source_ref=row.source_ref, expires_at=row.expires_at)
    _without_secrets(said.text)
    before = Revision.objects.of(subject).get(entry=row.pk, number=row.revision)
    if said.text == before.text:
        return {"entry": row.pk, "revision": row.revision, "changed": False}
    if said.content_hash != row.content_hash and entries.is_forgotten(subject, said.content_hash):
        raise HubError("conflict", "These words were forgotten.", forgotten=True)
    return {"entry": row.pk, "revision": entries.revise(subject, row, said, str(actor)), "changed": True}


@subject_operation()
def forget_entry(actor: Actor, subject: int, /, *, entry: str) -> dict[str, Any]:
    """Erase an entry's words everywhere; what is left knows only that these words were forgotten (MEM-03)."""
    row = entries.known(subject, entry)
    return {"entry": row.pk, "forgotten": entries.forget(subject, row)}


@subject_operation()
def expire_entries(actor: Actor, subject: int, /) -> int:
    """End what has expired; answers how many."""
    return entries.settle(subject, timezone.now())
