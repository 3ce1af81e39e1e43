"""Answers and decisions; each resolves its item in one transaction."""

import json
from typing import Any, Final

from django.utils.module_loading import import_string

from core import limits
from core.actor import Actor
from core.checks import check_json, check_text
from core.errors import invalid
from core.ids import parse
from core.operation import Right, operation
from inbox import entries
from inbox.models import InboxItem, Outcome
from projects.models import Event, Kind, Project

_UNCHANGED: Any = object()


@operation(Right.WRITE)
def post_answer(
    actor: Actor,
    project: Project,
    /,
    *,
    question: str,
    body: str,
    session: str | None = None,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Answer a question; the first answer resolves it (INB-04). See `entries.open_item` for the refusals."""
    body = check_text(body, "body", limits.BODY_CHARS)
    item = entries.open_item(project, question, "question", Kind.QUESTION)
    event = entries.resolve(
        item, project, actor, Outcome.ANSWERED, summary=body, payload={"body": body}, session=session
    )
    return {"event": event.pk}


@operation(Right.STAFF)
def decide(
    actor: Actor,
    project: Project,
    /,
    *,
    item: str,
    approved: bool,
    note: str = "",
    proposal: Any = _UNCHANGED,  # noqa: ANN401 - any JSON value
) -> dict[str, Any]:
    """Approve or decline. An edited proposal rides in the answer only when it differs from what was asked."""
    note = check_text(note, "note", limits.BODY_CHARS, empty=True)
    _hold(project, item)
    row = entries.open_item(project, item, "item", Kind.APPROVAL)
    payload: dict[str, Any] = {"approved": approved, "note": note}
    asked = row.event.payload.get("proposal")
    if proposal is not _UNCHANGED and _text(check_json(proposal, "proposal")) != _text(asked):
        if asked is None:
            raise invalid("proposal", "This approval has no proposal to edit.")
        payload["proposal"] = proposal
    _carry_out(actor, project, row.event.payload, approved=approved)
    outcome = Outcome.APPROVED if approved else Outcome.DECLINED
    event = entries.resolve(row, project, actor, outcome, summary=note or outcome.label, payload=payload)
    return {"event": event.pk}


DECIDERS: Final = {
    "review": ("knowledge.publication.hold_review", "knowledge.publication.decide_review"),
    "memory_proposal": ("memory.deciding.hold", "memory.deciding.decide"),
}
"""What approving does beside being told: by the payload's member, functions of a higher app, named as not imported.

The first holds what it is about, before the item is held; the second does what the decision means.
"""


def _hold(project: Project, item: str) -> None:
    asked = Event.objects.filter(project=project, pk=parse(item, "item"), kind=Kind.APPROVAL).first()
    for member, (hold, _) in DECIDERS.items():
        if asked and member in asked.payload:
            import_string(hold)(project, asked.payload[member])


def _carry_out(actor: Actor, project: Project, payload: dict[str, Any], *, approved: bool) -> None:
    """Do in this transaction what the decision means; a refusal leaves the item open."""
    for member, (_, name) in DECIDERS.items():
        if member in payload:
            import_string(name)(actor, project, payload[member], approved=approved)


def _text(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """Answer JSON in one spelling: to Python alone ``true`` and 1 are the same."""
    return json.dumps(value, sort_keys=True)


@operation(Right.STAFF)
def expire_item(actor: Actor, project: Project, /, *, item: InboxItem) -> str:
    """Resolve an item whose deadline passed: the hub's answer and the entry in one transaction (INB-05)."""
    payload: dict[str, Any] = {"expired": True}
    if item.on_expiry == "decline":
        payload["approved"] = False
    summary = "Expired: declined." if item.on_expiry == "decline" else "Expired without an answer."
    return str(entries.resolve(item, project, actor, Outcome.EXPIRED, summary=summary, payload=payload).pk)
