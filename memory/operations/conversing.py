"""Conversations, the snapshots they and tasks are given, and which agents may begin one (MEM-04)."""

from typing import Any

from django.utils import timezone

from core import idempotency, ids, limits
from core.actor import Actor
from core.checks import check_json, check_text
from core.errors import HubError, not_found
from core.operation import subject_operation
from identity.models import Agent
from memory import entries
from memory.composing import Bounds, Frozen, frozen
from memory.kinds import conversation_scope
from memory.models import Companion, Conversation
from memory.queries import is_companion


@subject_operation()
def freeze_memory(
    actor: Actor, subject: int, /, *, text: str, defaults: dict[str, Any], scope: str, bounds: Bounds
) -> Frozen:
    """Freeze what memory has for a text, and keep why (MEM-04, MEM-06). Reading it changes nothing remembered."""
    return frozen(subject, text, check_json(defaults, "defaults"), scope, bounds)


@subject_operation(lent=is_companion)
def start_conversation(
    actor: Actor,
    subject: int,
    /,
    *,
    text: str,
    title: str = "",
    follows: str | None = None,
    agent: str = "",
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Start a conversation about ``text`` with a snapshot of memory that never changes; with a key, once.

    One that ``follows`` another is given that one's working memory too. An agent starts it for itself.
    """
    text = check_text(text, "text", limits.BODY_CHARS)
    title = check_text(title or text.strip().splitlines()[0][: limits.TITLE_CHARS], "title", limits.TITLE_CHARS)
    agent = actor.name if actor.is_agent else agent
    given = {"text": text, "title": title, "follows": follows, "agent": agent}
    call = idempotency.fingerprint("start_conversation", str(subject), given)
    row = _started(actor, subject, idempotency_key, call)
    if row is None:
        if agent and not Agent.objects.filter(name=agent).exists():
            raise not_found("agent")
        before = _conversation(subject, follows, actor).pk if follows else ""
        key = {"idempotency_key": idempotency_key, "fingerprint": call}
        row = _start(actor, subject, before, text, title=title, agent=agent, **key)
    return {"conversation": row.pk, "scope": conversation_scope(row.pk), "sha256": row.sha256}


def _started(actor: Actor, subject: int, key: str | None, call: str) -> Conversation | None:
    """Answer the conversation this actor started under the key; `conflict` when the call was another."""
    if key is None:
        return None
    idempotency.check_key(key)
    row = Conversation.objects.of(subject).filter(started_by=str(actor), idempotency_key=key).first()
    if row is not None:
        idempotency.replayed(key, row.fingerprint, call)
    return row


def _start(actor: Actor, subject: int, before: str, text: str, **columns: Any) -> Conversation:  # noqa: ANN401
    entries.settle(subject, timezone.now())
    memory = frozen(subject, text, {}, conversation_scope(before) if before else "", Bounds())
    return Conversation.objects.add(
        subject,
        id=str(ids.fresh()),
        started_by=str(actor),
        content=memory.content,
        sha256=memory.sha256,
        markdown=memory.markdown,
        recall=memory.recall,
        created_at=timezone.now(),
        **columns,
    )


def _conversation(subject: int, conversation: str, actor: Actor) -> Conversation:
    rows = Conversation.objects.of(subject).filter(pk=ids.parse(conversation, "follows"))
    row = (rows.filter(agent=actor.name) if actor.is_agent else rows).first()
    if row is None:
        raise not_found("conversation")
    return row


@subject_operation()
def end_conversation(actor: Actor, subject: int, /, *, conversation: str) -> dict[str, Any]:
    """End a conversation; its working memory ends with it, its snapshot stays."""
    now = timezone.now()
    row = _conversation(subject, conversation, actor)
    if not Conversation.objects.of(subject).filter(pk=row.pk, ended_at=None).update(ended_at=now):
        raise HubError("conflict", "It has ended already.")
    return {"conversation": row.pk, "expired": entries.end_scope(subject, conversation_scope(row.pk), now)}


@subject_operation()
def allow_agent(actor: Actor, subject: int, /, *, agent: str) -> dict[str, Any]:
    """Let an agent start conversations on this person's behalf, which shows it what memory has for them."""
    row = Agent.objects.filter(name=agent).first()
    if row is None:
        raise not_found("agent")
    if not Companion.objects.of(subject).filter(agent=row.pk).exists():
        Companion.objects.add(subject, agent=row.pk, name=row.name, created_at=timezone.now())
    return {"agent": row.name, "allowed": True}


@subject_operation()
def stop_agent(actor: Actor, subject: int, /, *, agent: str) -> dict[str, Any]:
    """Let an agent do so no longer; what it was given it has."""
    gone, _ = Companion.objects.of(subject).filter(name=agent).delete()
    return {"agent": agent, "allowed": False, "changed": bool(gone)}
