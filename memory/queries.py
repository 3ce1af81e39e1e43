"""What a person reads of their own memory: nobody else does, so every function begins with whose it is (MEM-03)."""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any, Final

from django.contrib.auth import get_user_model
from django.db.models import F, QuerySet

from core import ids
from core.actor import Actor
from core.errors import HubError, not_found
from core.page import Page, check_limit, cut
from core.times import rfc3339
from memory.kinds import conversation_scope
from memory.models import Companion, Conversation, Entry, Proposal, Recall, RecallItem, Revision

KEPT: Final = (Entry.State.ACTIVE, Entry.State.SUPERSEDED, Entry.State.EXPIRED)


def subject_named(name: str) -> int:
    """Answer the key of a person; `not_found` for nobody."""
    person = get_user_model().objects.filter(username=name, is_active=True).first()
    if person is None:
        raise not_found("person")
    return int(person.pk)


def entries_of(subject: int, *, layer: str = "", state: str = Entry.State.ACTIVE) -> QuerySet[Entry]:
    """Answer entries, newest first."""
    rows = Entry.objects.of(subject).filter(state=state).order_by("-pk")
    return rows.filter(layer=layer) if layer else rows


def page_of(
    subject: int, rows: QuerySet[Entry], *, cursor: str | None, limit: int
) -> Page[tuple[Entry, Revision | None]]:
    """Page entries by id, each with its current revision; a forgotten one has none."""
    check_limit(limit)
    if cursor is not None:
        rows = rows.filter(pk__lt=ids.parse(cursor, "cursor"))
    page = cut(list(rows[: limit + 1]), limit, lambda entry: entry.pk)
    words = current(subject, page.rows)
    return Page([(entry, words.get(entry.pk)) for entry in page.rows], page.next_cursor)


def current(subject: int, entries: Sequence[Entry]) -> dict[str, Revision]:
    """Answer the current revision of each entry."""
    rows = Revision.objects.of(subject).filter(entry__in=[entry.pk for entry in entries], number=F("entry__revision"))
    return {row.entry_id: row for row in rows}


def entry_of(subject: int, entry: str) -> Entry:
    """Answer an entry in any state; `not_found` for one of somebody else."""
    row = Entry.objects.of(subject).filter(pk=ids.parse(entry, "entry")).first()
    if row is None:
        raise not_found("memory entry")
    return row


def revisions_of(subject: int, entry: str) -> list[Revision]:
    """Answer what an entry said, newest first."""
    return list(Revision.objects.of(subject).filter(entry=entry).order_by("-number"))


def open_proposals(subject: int) -> list[Proposal]:
    """Answer what waits for the person, oldest first."""
    return list(Proposal.objects.of(subject).filter(state=Proposal.State.OPEN).order_by("pk"))


def proposal_of(subject: int, proposal: str) -> Proposal:
    """Answer a proposal; `not_found` for one of somebody else."""
    row = Proposal.objects.of(subject).filter(pk=ids.parse(proposal, "proposal")).first()
    if row is None:
        raise not_found("proposal")
    return row


def texts_of(subject: int, entries: Iterable[str]) -> dict[str, str]:
    """Answer what entries say now."""
    rows = Revision.objects.of(subject).filter(entry__in=set(entries) - {""}, number=F("entry__revision"))
    return dict(rows.values_list("entry", "text"))


def recalls_of(subject: int, limit: int) -> list[Recall]:
    """Answer the latest recalls, newest first."""
    return list(Recall.objects.of(subject).order_by("-pk")[: check_limit(limit)])


def recall_of(subject: int, recall: str) -> tuple[Recall, list[RecallItem]]:
    """Answer a recall and what it did with each entry, in order."""
    row = Recall.objects.of(subject).filter(pk=ids.parse(recall, "recall")).first()
    if row is None:
        raise not_found("recall")
    return row, list(RecallItem.objects.of(subject).filter(recall=row).order_by("place"))


def conversations_of(subject: int, limit: int) -> list[Conversation]:
    """Answer the latest conversations, newest first, without what they were given."""
    rows = Conversation.objects.of(subject).defer("content", "markdown").order_by("-pk")
    return list(rows[: check_limit(limit)])


def conversation_of(subject: int, conversation: str, *, agent: str = "") -> Conversation:
    """Answer a conversation with its snapshot; an agent sees its own alone."""
    rows = Conversation.objects.of(subject).filter(pk=ids.parse(conversation, "conversation"))
    row = (rows.filter(agent=agent) if agent else rows).first()
    if row is None:
        raise not_found("conversation")
    check_unaltered(row)
    return row


def check_unaltered(row: Conversation) -> None:
    """Refuse a snapshot whose bytes are not those that were hashed."""
    if sha256(bytes(row.content)).hexdigest() != row.sha256:
        raise HubError("internal", "The snapshot of this conversation was altered and is not served.")


def is_companion(actor: Actor, subject: int) -> bool:
    """Tell whether a person lets this agent begin conversations for them."""
    if not actor.is_agent or actor.key is None:
        return False
    return Companion.objects.of(subject).filter(agent=actor.key).exists()


def companions_of(subject: int) -> list[Companion]:
    """Answer the agents that may start conversations for a person."""
    return list(Companion.objects.of(subject).order_by("name"))


def entry_json(entry: Entry, revision: Revision | None) -> dict[str, Any]:
    """Answer an entry as its person sees it."""
    return {
        "id": entry.pk,
        "layer": entry.layer,
        "kind": entry.kind,
        "scope": entry.scope or None,
        "state": entry.state,
        "text": revision.text if revision else None,
        "revision": entry.revision,
        "confidence": revision.confidence if revision else None,
        "source_ref": (revision.source_ref if revision else "") or entry.source_ref or None,
        "seen_count": entry.seen_count,
        "superseded_by": entry.superseded_by or None,
        "expires_at": rfc3339(entry.expires_at),
        "created_at": rfc3339(entry.created_at),
        "updated_at": rfc3339(entry.updated_at),
    }


def revision_json(row: Revision) -> dict[str, Any]:
    """Answer a revision."""
    return {
        "number": row.number,
        "text": row.text,
        "source_ref": row.source_ref or None,
        "confidence": row.confidence,
        "written_by": row.written_by,
        "valid_from": rfc3339(row.valid_from),
        "valid_to": rfc3339(row.valid_to),
    }


def proposal_json(row: Proposal, texts: dict[str, str]) -> dict[str, Any]:
    """Answer a proposal with the words it is about."""
    merge = row.kind == Proposal.Kind.MERGE
    return {
        "id": row.pk,
        "kind": row.kind,
        "state": row.state,
        "memory_kind": row.memory_kind,
        "entry": row.entry or None,
        "other": row.other or None,
        "before": texts.get(row.entry) if merge else None,
        "text": texts.get(row.other) if merge else row.text,
        "source_ref": row.source_ref or None,
        "confidence": row.confidence,
        "item": row.item or None,
        "created_at": rfc3339(row.created_at),
    }


def recall_json(row: Recall) -> dict[str, Any]:
    """Answer a recall without its items."""
    return {
        "id": row.pk,
        "scope": row.scope or None,
        "query_hash": row.query_hash,
        "budget": {"tokens": row.budget_tokens, "bytes": row.budget_bytes},
        "used": {"tokens": row.used_tokens, "bytes": row.used_bytes},
        "considered": row.considered,
        "chosen": row.chosen,
        "created_at": rfc3339(row.created_at),
    }


def recall_item_json(row: RecallItem) -> dict[str, Any]:
    """Answer what a recall did with one entry, and why."""
    names = ("entry", "revision", "place", "chosen", "reason", "tokens", "legs", "score")
    return {name: getattr(row, name) for name in names}


def conversation_json(row: Conversation, *, content: bool = False) -> dict[str, Any]:
    """Answer a conversation; with its snapshot if wanted."""
    shown = {
        "id": row.pk,
        "title": row.title,
        "agent": row.agent or None,
        "started_by": row.started_by,
        "scope": conversation_scope(row.pk),
        "sha256": row.sha256,
        "recall": row.recall,
        "created_at": rfc3339(row.created_at),
        "ended_at": rfc3339(row.ended_at),
    }
    return shown | ({"snapshot": bytes(row.content).decode(), "markdown": row.markdown} if content else {})
