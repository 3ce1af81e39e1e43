"""Decisions: proposed by anyone who drafts, taken by people (GOV-08)."""

from datetime import datetime
from typing import Any

from django.utils import timezone

from core import limits
from core.actor import Actor
from core.checks import check_text
from core.errors import HubError, invalid
from core.ids import parse
from core.operation import Right, operation
from knowledge.document_queries import version_of
from knowledge.models import Decision, DocumentVersion
from knowledge.publication import check_published, close_review, draft_at, publish, settled, tell
from knowledge.roles import check_maintainer, hold_documents, locked_document
from knowledge.switching import hide
from projects.models import Project


@operation(Right.WRITE)
def accept_decision(
    actor: Actor,
    project: Project,
    /,
    *,
    document: str,
    expected_revision: int | None,
    supersedes: list[str] | None = None,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Accept a proposed decision: its draft at that revision is published, and what it supersedes ends, all at once."""
    ending = _named(project, document, supersedes or [])
    decision = _decision(actor, project, document, Decision.Status.PROPOSED)
    version = publish(actor, decision.document, draft_at(decision.document, expected_revision))
    answer = {"document": document, "version": version.number, "state": version.state, "error": version.error or None}
    if version.state == DocumentVersion.State.INDEXING:
        check_published(version)
    if version.state != DocumentVersion.State.PUBLISHED:
        return answer
    now = timezone.now()
    settled(decision, Decision.Status.ACCEPTED, actor, now)
    ended = _supersede(actor, project, decision, ending, now)
    close_review(decision.document, project, actor, approved=True)
    tell(project, actor, "accept", version, "Accepted")
    return answer | {"number": decision.number, "superseded": ended}


@operation(Right.WRITE)
def supersede_decisions(
    actor: Actor, project: Project, /, *, document: str, supersedes: list[str], idempotency_key: str | None = None
) -> dict[str, Any]:
    """Let an accepted decision take the place of others that are accepted: all of them, or none."""
    ending = _named(project, document, supersedes)
    decision = _decision(actor, project, document, Decision.Status.ACCEPTED)
    if not ending:
        raise invalid("supersedes", "Name at least one decision.")
    ended = _supersede(actor, project, decision, ending, timezone.now())
    tell(project, actor, "supersede", version_of(decision.document), "Superseding others:")
    return {"document": decision.pk, "superseded": ended}


@operation(Right.WRITE)
def reject_decision(
    actor: Actor, project: Project, /, *, document: str, reason: str = "", idempotency_key: str | None = None
) -> dict[str, Any]:
    """Reject a proposed decision; its words stay with its authors."""
    decision = _decision(actor, project, document, Decision.Status.PROPOSED)
    reason = check_text(reason, "reason", limits.REASON_CHARS, empty=True)
    settled(decision, Decision.Status.REJECTED, actor, timezone.now(), reason)
    close_review(decision.document, project, actor, approved=False, note=reason)
    return {"document": decision.pk, "status": decision.status}


@operation(Right.WRITE)
def revoke_decision(
    actor: Actor, project: Project, /, *, document: str, reason: str, idempotency_key: str | None = None
) -> dict[str, Any]:
    """Revoke an accepted decision, saying why. What it superseded stays superseded."""
    reason = check_text(reason, "reason", limits.REASON_CHARS)
    decision = _decision(actor, project, document, Decision.Status.ACCEPTED)
    settled(decision, Decision.Status.REVOKED, actor, timezone.now(), reason)
    hide(decision.document)
    close_review(decision.document, project, actor, approved=False, note="The decision was revoked.")
    tell(project, actor, "revoke", version_of(decision.document), "Revoked")
    return {"document": decision.pk, "status": decision.status}


def _decision(actor: Actor, project: Project, document: str, status: Decision.Status) -> Decision:
    """Answer a decision a maintainer may move on from `status`; `conflict` when it is past it."""
    row = locked_document(project, document)
    check_maintainer(actor, row.space)
    decision = Decision.objects.filter(document=row).first()
    if decision is None:
        raise invalid("document", "This document is no decision.")
    if decision.status != status:
        raise HubError("conflict", f"This decision is {decision.status}.", reason="decided", status=decision.status)
    decision.document = row
    return decision


def _named(project: Project, by: str, documents: list[str]) -> list[str]:
    """Answer the decisions that are to end, each once, held with the one that takes their place."""
    by, ending = parse(by, "document"), list(dict.fromkeys(parse(document, "supersedes") for document in documents))
    if by in ending:
        raise invalid("supersedes", "A decision cannot supersede itself.")
    hold_documents(project, [by, *ending])
    return ending


def _supersede(actor: Actor, project: Project, by: Decision, documents: list[str], now: datetime) -> list[str]:
    """End the decisions another takes the place of, in the caller's transaction."""
    for document in documents:
        decision = _decision(actor, project, document, Decision.Status.ACCEPTED)
        decision.superseded_by = by
        settled(decision, Decision.Status.SUPERSEDED, actor, now)
        hide(decision.document)
        close_review(decision.document, project, actor, approved=False, note="The decision was superseded.")
    return documents
