"""Steps on a person's entries, shared by the operations; each has its transaction, alone with this person's memory."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F, Q, QuerySet
from django.utils import timezone

from core import ids, limits
from core.checks import check_text
from core.errors import HubError, invalid, not_found
from memory.kinds import LAYER_OF, RESIDENT, WORKING, WORKING_LIVES
from memory.likeness import Words, content_hash, nearly_same, words_of
from memory.models import SCOPE_CHARS, SOURCE_CHARS, Entry, Proposal, Revision, Tombstone


@dataclass(frozen=True, slots=True)
class Said:
    """What is to be remembered, checked."""

    kind: str
    text: str
    scope: str = ""
    source_ref: str = ""
    confidence: float | None = None
    expires_at: datetime | None = None

    @property
    def layer(self) -> str:
        """The layer its kind belongs to."""
        return LAYER_OF[self.kind]

    @property
    def content_hash(self) -> str:
        """What tells it from other texts."""
        return content_hash(self.text)


def checked(  # noqa: PLR0913 - what an entry is made of
    kind: str,
    text: str,
    *,
    scope: str = "",
    source_ref: str = "",
    confidence: float | None = None,
    expires_at: datetime | None = None,
) -> Said:
    """Answer what may be stored, or refuse it by field: working memory is bounded, nothing else is (MEM-02)."""
    if kind not in LAYER_OF:
        raise invalid("kind", f"kind must be one of {', '.join(LAYER_OF)}.")
    text = check_text(text, "text", limits.MEMORY_CHARS).strip()
    source_ref = check_text(source_ref, "source_ref", SOURCE_CHARS, empty=True).strip()
    scope = check_text(scope, "scope", SCOPE_CHARS, empty=True).strip()
    if confidence is not None and not 0 <= confidence <= 1:
        raise invalid("confidence", "confidence must be from 0 to 1.")
    working = LAYER_OF[kind] == WORKING
    for field, value in (("scope", scope), ("source_ref", source_ref)):
        if working and not value:
            raise invalid(field, f"Working memory needs its {field}.")
    if scope and not working:
        raise invalid("scope", "Only working memory is confined to one conversation or task.")
    return Said(kind, text, scope, source_ref, confidence, _end(expires_at, working=working))


def _end(expires_at: datetime | None, *, working: bool) -> datetime | None:
    now = timezone.now()
    latest = now + WORKING_LIVES
    if expires_at is None:
        return latest if working else None
    if timezone.is_naive(expires_at):
        raise invalid("expires_at", "expires_at needs a time zone.")
    if expires_at <= now or (working and expires_at > latest):
        raise invalid("expires_at", f"expires_at must lie ahead, for working memory within {WORKING_LIVES.days} days.")
    return expires_at


def active(subject: int, entry: str) -> Entry:
    """Answer an entry that is still remembered; `not_found` for any other."""
    row = Entry.objects.of(subject).filter(pk=ids.parse(entry, "entry"), state=Entry.State.ACTIVE).first()
    if row is None:
        raise not_found("memory entry")
    return row


def known(subject: int, entry: str) -> Entry:
    """Answer an entry that has words still; `not_found` for one that was forgotten."""
    rows = Entry.objects.of(subject).exclude(state=Entry.State.FORGOTTEN)
    row = rows.filter(pk=ids.parse(entry, "entry")).first()
    if row is None:
        raise not_found("memory entry")
    return row


def settle(subject: int, now: datetime) -> int:
    """End what has expired; answers how many."""
    return _end_all(subject, Entry.objects.of(subject).filter(expires_at__lte=now), now)


def end_scope(subject: int, scope: str, now: datetime) -> int:
    """End the working memory of a scope; answers how many."""
    return _end_all(subject, Entry.objects.of(subject).filter(scope=scope), now)


def _end_all(subject: int, rows: QuerySet[Entry], now: datetime) -> int:
    entries = list(rows.filter(state=Entry.State.ACTIVE).values_list("pk", flat=True))
    Revision.objects.of(subject).filter(entry__in=entries, valid_to=None).update(valid_to=now)
    Entry.objects.of(subject).filter(pk__in=entries).update(state=Entry.State.EXPIRED, updated_at=now)
    stale(subject, entries, now)
    return len(entries)


def same_as(subject: int, said: Said) -> Entry | None:
    """Answer the entry that says the same, if there is one."""
    rows = Entry.objects.of(subject).filter(state=Entry.State.ACTIVE, layer=said.layer, scope=said.scope)
    return rows.filter(content_hash=said.content_hash).first()


def see_again(subject: int, entry: Entry, said: Said) -> None:
    """Count that it was said once more (MEM-03); working memory then lives as long as the later says."""
    later = max(filter(None, (entry.expires_at, said.expires_at)), default=None)
    now = timezone.now()
    Entry.objects.of(subject).filter(pk=entry.pk).update(
        seen_count=F("seen_count") + 1, updated_at=now, expires_at=later if entry.expires_at else None
    )


def add(subject: int, said: Said, by: str) -> Entry:
    """Store an entry with its first revision; `rate_limited` beyond what a person's memory holds."""
    if Entry.objects.of(subject).filter(state=Entry.State.ACTIVE).count() >= limits.MEMORY_ENTRIES:
        raise HubError("rate_limited", "This memory is full. Forget something first.", limit=limits.MEMORY_ENTRIES)
    now = timezone.now()
    entry = Entry.objects.add(
        subject,
        id=str(ids.fresh()),
        layer=said.layer,
        kind=said.kind,
        scope=said.scope,
        content_hash=said.content_hash,
        source_ref=said.source_ref,
        expires_at=said.expires_at,
        created_at=now,
        updated_at=now,
    )
    _write(subject, entry, 1, said, by, now)
    return entry


def revise(subject: int, entry: Entry, said: Said, by: str) -> int:
    """Append a revision; the caller has compared the one before. Answers its number."""
    now, number = timezone.now(), entry.revision + 1
    other = same_as(subject, said)
    if other is not None and other.pk != entry.pk:
        raise HubError("conflict", "Another entry says exactly this.", entry=other.pk)
    Revision.objects.of(subject).filter(entry=entry.pk, valid_to=None).update(valid_to=now)
    _write(subject, entry, number, said, by, now)
    changed = Entry.objects.of(subject).filter(pk=entry.pk, revision=entry.revision)
    if not changed.update(revision=number, content_hash=said.content_hash, updated_at=now):
        raise HubError("version_mismatch", "It was changed meanwhile.")
    return number


def _write(subject: int, entry: Entry, number: int, said: Said, by: str, now: datetime) -> None:  # noqa: PLR0913, PLR0917
    Revision.objects.add(
        subject,
        entry=entry,
        number=number,
        text=said.text,
        content_hash=said.content_hash,
        source_ref=said.source_ref,
        confidence=said.confidence,
        written_by=by,
        valid_from=now,
    )


def is_forgotten(subject: int, text_hash: str) -> bool:
    """Tell whether these words were forgotten."""
    return Tombstone.objects.of(subject).filter(content_hash=text_hash).exists()


def bury(subject: int, hashes: set[str]) -> None:
    """Leave tombstones, so that no delivery brings these words back."""
    known = set(Tombstone.objects.of(subject).filter(content_hash__in=hashes).values_list("content_hash", flat=True))
    now = timezone.now()
    rows = [Tombstone(content_hash=one, forgotten_at=now) for one in sorted(hashes - known - {""})]
    Tombstone.objects.add_all(subject, rows)


def forget(subject: int, entry: Entry) -> int:
    """Erase an entry's words, of every revision and of what it took the place of; answers how many entries went."""
    now, gone = timezone.now(), _chain(subject, entry.pk)
    revisions = Revision.objects.of(subject).filter(entry__in=gone)
    hashes = set(revisions.values_list("content_hash", flat=True))
    revisions.delete()
    bury(subject, hashes)
    rows = Entry.objects.of(subject).filter(pk__in=gone)
    rows.update(state=Entry.State.FORGOTTEN, content_hash="", updated_at=now)
    stale(subject, gone, now, hashes)
    return len(gone)


def _chain(subject: int, entry: str) -> list[str]:
    """Answer an entry and what was merged into it."""
    gone, found = [entry], [entry]
    while found:
        found = list(Entry.objects.of(subject).filter(superseded_by__in=found).values_list("pk", flat=True))
        gone += found
    return gone


def stale(subject: int, entries: list[str], now: datetime, hashes: set[str] | None = None, besides: str = "") -> None:
    """End the proposals about entries, or words, that are gone, with the words they hold."""
    about = Q(entry__in=entries) | Q(other__in=entries) | Q(kind="resident", content_hash__in=hashes or set())
    rows = Proposal.objects.of(subject).filter(about, state=Proposal.State.OPEN).exclude(pk=besides)
    rows.update(state=Proposal.State.STALE, text="", content_hash="", decided_at=now)


def current_words(subject: int, layer: str, scope: str) -> dict[str, tuple[int, Words]]:
    """Answer, of each entry of a layer and scope, its revision and words."""
    rows = Revision.objects.of(subject).filter(
        entry__state=Entry.State.ACTIVE, entry__layer=layer, entry__scope=scope, number=F("entry__revision")
    )
    return {entry: (number, words_of(text)) for entry, number, text in rows.values_list("entry", "number", "text")}


def propose_merges(subject: int, entry: Entry, text: str, others: Mapping[str, tuple[int, Words]]) -> list[str]:
    """Propose to merge an entry with those that say nearly the same; nothing is merged by itself (MEM-03)."""
    words, proposed = words_of(text), []
    for other, (revision, compared) in others.items():
        if other != entry.pk and nearly_same(words, compared):
            pair: dict[str, Any] = {"kind": Proposal.Kind.MERGE, "entry": other, "other": entry.pk}
            open_ones = Proposal.objects.of(subject).filter(**pair, state=Proposal.State.OPEN)
            if not open_ones.exists():
                pair |= {"entry_revision": revision, "other_revision": entry.revision, "memory_kind": entry.kind}
                proposed.append(_propose(subject, **pair))
    return proposed


def propose_resident(subject: int, said: Said, project: str) -> str | None:
    """Propose something for resident memory, which the person decides on; None when that is asked already."""
    open_ones = Proposal.objects.of(subject).filter(state=Proposal.State.OPEN, kind=Proposal.Kind.RESIDENT)
    if said.layer != RESIDENT or open_ones.filter(content_hash=said.content_hash).exists():
        return None
    return _propose(
        subject,
        kind=Proposal.Kind.RESIDENT,
        memory_kind=said.kind,
        text=said.text,
        content_hash=said.content_hash,
        source_ref=said.source_ref,
        confidence=said.confidence,
        project=project,
    )


def _propose(subject: int, **columns: Any) -> str:  # noqa: ANN401 - the columns of a proposal
    return str(Proposal.objects.add(subject, id=str(ids.fresh()), created_at=timezone.now(), **columns).pk)
