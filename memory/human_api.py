"""The human API of memory: each person their own, and nobody else's (MEM-03)."""

from datetime import datetime
from typing import Any, Literal

from core.actor import Actor
from core.calls import Arguments
from core.errors import HubError
from core.human_calls import Nothing, human_call
from core.page import DEFAULT_LIMIT
from inbox.models import InboxItem
from inbox.operations import decide
from memory import operations, queries
from memory.jobs import expire_due
from memory.models import Entry, Proposal

type Layer = Literal["resident", "semantic", "working", ""]


class EntryQuery(Arguments):
    """Which entries to list."""

    layer: Layer = ""
    state: Entry.State = Entry.State.ACTIVE
    limit: int = DEFAULT_LIMIT
    cursor: str | None = None


class NewEntry(Arguments):
    """Something to remember; its kind says the layer."""

    kind: str
    text: str
    scope: str = ""
    source_ref: str = ""
    confidence: float | None = None
    expires_at: datetime | None = None
    again: bool = False


class Edit(Arguments):
    """Other words for an entry, and the revision that was read."""

    text: str
    expected_revision: int | None = None


class Decision(Arguments):
    """Whether what was proposed is done."""

    approved: bool


class Latest(Arguments):
    """How many of the latest."""

    limit: int = DEFAULT_LIMIT


class NewConversation(Arguments):
    """What a conversation is about, for which agent, and which one it follows."""

    text: str
    title: str = ""
    agent: str = ""
    follows: str | None = None
    idempotency_key: str | None = None


def subject_of(actor: Actor) -> int:
    """Answer whose memory a person means: their own."""
    if actor.is_agent or actor.key is None:
        raise HubError("forbidden", "Only a person has a memory.")
    return actor.key


@human_call(EntryQuery)
def entries(actor: Actor, given: EntryQuery) -> dict[str, Any]:
    """List what is remembered of you."""
    expire_due()
    subject = subject_of(actor)
    rows = queries.entries_of(subject, layer=given.layer, state=given.state)
    page = queries.page_of(subject, rows, cursor=given.cursor, limit=given.limit)
    return page.as_dict("entries", lambda pair: queries.entry_json(*pair))


@human_call(NewEntry)
def entry_add(actor: Actor, given: NewEntry) -> dict[str, Any]:
    """Remember something."""
    return operations.remember(actor, subject_of(actor), **given.model_dump())


@human_call(Nothing)
def entry(actor: Actor, given: Nothing, entry: str) -> dict[str, Any]:
    """Show an entry with its revisions."""
    expire_due()
    subject = subject_of(actor)
    row = queries.entry_of(subject, entry)
    revisions = queries.revisions_of(subject, row.pk)
    shown = queries.entry_json(row, revisions[0] if revisions else None)
    return shown | {"revisions": [queries.revision_json(one) for one in revisions]}


@human_call(Edit)
def entry_edit(actor: Actor, given: Edit, entry: str) -> dict[str, Any]:
    """Give an entry other words."""
    return operations.edit_entry(actor, subject_of(actor), entry=entry, **given.model_dump())


@human_call(Nothing)
def entry_forget(actor: Actor, given: Nothing, entry: str) -> dict[str, Any]:
    """Forget an entry: its words are erased."""
    return operations.forget_entry(actor, subject_of(actor), entry=entry)


@human_call(Nothing)
def proposals(actor: Actor, given: Nothing) -> dict[str, Any]:
    """List what waits for you."""
    expire_due()
    subject = subject_of(actor)
    rows = queries.open_proposals(subject)
    texts = queries.texts_of(subject, [name for row in rows for name in (row.entry, row.other)])
    return {"proposals": [queries.proposal_json(row, texts) for row in rows]}


@human_call(Decision)
def proposal_decide(actor: Actor, given: Decision, proposal: str) -> dict[str, Any]:
    """Do what was proposed, or not."""
    return decided(actor, proposal, approved=given.approved)


def decided(actor: Actor, proposal: str, *, approved: bool) -> dict[str, Any]:
    """Decide on a proposal: by its inbox item where it waits in one, so that both are decided together."""
    subject = subject_of(actor)
    row = queries.proposal_of(subject, proposal)
    item = InboxItem.objects.filter(pk=row.item).exclude(status="resolved").first() if row.item else None
    if item is not None and row.state == Proposal.State.OPEN:
        decide(actor, item.project_id, item=item.pk, approved=approved)
        row = queries.proposal_of(subject, proposal)
        return {"proposal": row.pk, "state": row.state, "entry": row.entry or None}
    return operations.decide_proposal(actor, subject, proposal=row.pk, approved=approved)


@human_call(Latest)
def recalls(actor: Actor, given: Latest) -> dict[str, Any]:
    """List the latest recalls from your memory."""
    return {"recalls": [queries.recall_json(row) for row in queries.recalls_of(subject_of(actor), given.limit)]}


@human_call(Nothing)
def recall(actor: Actor, given: Nothing, recall: str) -> dict[str, Any]:
    """Show a recall with every choice and drop."""
    row, items = queries.recall_of(subject_of(actor), recall)
    return queries.recall_json(row) | {"items": [queries.recall_item_json(item) for item in items]}


@human_call(Latest)
def conversations(actor: Actor, given: Latest) -> dict[str, Any]:
    """List your latest conversations."""
    rows = queries.conversations_of(subject_of(actor), given.limit)
    return {"conversations": [queries.conversation_json(row) for row in rows]}


@human_call(NewConversation)
def conversation_start(actor: Actor, given: NewConversation) -> dict[str, Any]:
    """Start a conversation with a snapshot of your memory."""
    return operations.start_conversation(actor, subject_of(actor), **given.model_dump())


@human_call(Nothing)
def conversation(actor: Actor, given: Nothing, conversation: str) -> dict[str, Any]:
    """Show a conversation with its snapshot."""
    return queries.conversation_json(queries.conversation_of(subject_of(actor), conversation), content=True)


@human_call(Nothing)
def conversation_end(actor: Actor, given: Nothing, conversation: str) -> dict[str, Any]:
    """End a conversation and its working memory."""
    return operations.end_conversation(actor, subject_of(actor), conversation=conversation)


@human_call(Nothing)
def companions(actor: Actor, given: Nothing) -> dict[str, Any]:
    """List the agents that may start conversations for you."""
    return {"agents": [row.name for row in queries.companions_of(subject_of(actor))]}


@human_call(Nothing)
def companion_add(actor: Actor, given: Nothing, agent: str) -> dict[str, Any]:
    """Let an agent start conversations for you."""
    return operations.allow_agent(actor, subject_of(actor), agent=agent)


@human_call(Nothing)
def companion_remove(actor: Actor, given: Nothing, agent: str) -> dict[str, Any]:
    """Let an agent do so no longer."""
    return operations.stop_agent(actor, subject_of(actor), agent=agent)
