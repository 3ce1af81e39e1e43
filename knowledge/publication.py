"""Publishing a draft: the steps that publishing, accepting a decision and approving a review share (GOV-04, GOV-07).

All of it is one transaction. With the index in the hub store, a version becomes current, searchable and its predecessor
superseded by the same commit; what fails while it is parsed and indexed is undone alone, and told on the version. Where
a retrieval plane is configured and does not answer, the version waits for it as ``indexing`` (see `finish`).
"""

from datetime import datetime
from typing import Any, Final

from django.utils import timezone

from core.actor import Actor
from core.errors import HubError, invalid
from inbox import entries
from inbox.models import OPEN, InboxItem, Outcome
from knowledge import sources
from knowledge.models import ENDED, Decision, Document, DocumentVersion, Draft, Review
from knowledge.roles import check_maintainer, hold_documents, locked_document
from knowledge.switching import attempt, end
from projects import feed
from projects.models import Kind, Project

_State = DocumentVersion.State
REVIEW: Final = "review"
"""The member of an approval's payload that binds it to a draft: ``{"document": id, "revision": number}``."""


def draft_at(document: Document, expected_revision: int | None) -> Draft:
    """Answer the draft if it still is what the caller saw (GOV-03).

    `precondition_required` without a revision; `conflict` naming the current one, who moved it, and from which version.
    """
    check_revision(document, expected_revision)
    draft = Draft.objects.filter(document=document).first()
    if draft is None:
        raise HubError("conflict", "This document has no draft.", reason="no_draft", document=document.pk)
    return draft


def check_revision(document: Document, expected_revision: int | None) -> None:
    """Refuse a change by somebody who has not seen the newest revision."""
    if expected_revision is None:
        raise HubError(
            "precondition_required",
            "Say which revision you saw as expected_revision.",
            field="expected_revision",
            current_revision=document.revision,
        )
    if expected_revision != document.revision:
        draft = Draft.objects.filter(document=document).first()
        raise HubError(
            "conflict",
            f"The draft is at revision {document.revision} now, not {expected_revision}. Look at it, then try again.",
            reason="draft_changed",
            current_revision=document.revision,
            updated_by=draft.updated_by if draft else None,
            base_version=draft.base_version if draft else document.current and document.current.number,
        )


def check_open(document: Document) -> None:
    """Refuse a change of words that stay as they are: an archived document's, and those of a decision that ended."""
    if document.state == Document.State.ARCHIVED:
        raise HubError("conflict", "This document is archived. Take it out first.", reason="archived")
    decision = Decision.objects.filter(document=document).first()
    if decision and decision.status in ENDED:
        raise HubError("conflict", f"This decision is {decision.status}; its words stay.", reason="decided")


def publish(actor: Actor, document: Document, draft: Draft, *, editorial: bool = False) -> DocumentVersion:
    """Make the next version out of the draft, in the caller's transaction; the document is locked.

    Answers it published, or failed with its error: then nothing else changed, and publishing again tries it again. Or
    ``indexing``, while the retrieval plane does not answer: nothing else changed either, and the hub tries it again.
    """
    _check_publishable(document, draft)
    version = _pending(actor, document, draft, editorial=editorial)
    attempt(document, version)
    return version


def finish(document: Document, version: DocumentVersion) -> None:
    """Try again what waited for the retrieval plane, in the caller's transaction; the document is locked."""
    try:
        check_open(document)
    except HubError as refusal:
        end(version, _State.FAILED, refusal.message)
    else:
        attempt(document, version)


def check_published(version: DocumentVersion) -> None:
    """Refuse what must be published at once and was not; the caller's transaction is undone."""
    if version.state == _State.INDEXING:
        raise HubError("unavailable", version.error, reason="retrieval_plane_unavailable")
    if version.state != _State.PUBLISHED:
        raise HubError("conflict", f"It could not be published: {version.error}", reason="publishing_failed")


def _check_publishable(document: Document, draft: Draft) -> None:
    check_open(document)
    if not draft.body.strip():
        raise invalid("body", "body must not be empty to be published.")
    if not draft.sources:
        raise invalid("sources", "Say what this rests on: at least one source.")
    current = document.current
    if current and (current.title, current.body, current.sources) == (draft.title, draft.body, draft.sources):
        raise HubError("conflict", "The draft says what the current version says.", reason="no_changes")


def _pending(actor: Actor, document: Document, draft: Draft, *, editorial: bool) -> DocumentVersion:
    """Answer the version to be: the failed one of this very revision again, or a new one."""
    newest = document.versions.order_by("-number").first()
    if newest and newest.state in {_State.PENDING, _State.INDEXING}:
        raise HubError("conflict", "A version is being published. Wait for it.", reason="in_flight")
    failed = newest is not None and newest.state == _State.FAILED
    if newest and failed and (newest.revision, newest.editorial) == (draft.revision, editorial):
        newest.state, newest.error = _State.PENDING, ""
        newest.save(update_fields=["state", "error"])
        return newest
    return DocumentVersion.objects.create(
        document=document,
        number=newest.number + 1 if newest else 1,
        title=draft.title,
        body=draft.body,
        sources=draft.sources,
        revision=draft.revision,
        editorial=editorial,
        verified_commit=sources.verified_commit(document.space, draft.sources),
        published_by=str(actor),
        created_at=timezone.now(),
        state=_State.PENDING,
    )


def settled(decision: Decision, status: Decision.Status, actor: Actor, now: datetime, reason: str = "") -> None:
    """Give a decision its status, once: the update is guarded by the one it had."""
    changed = Decision.objects.filter(pk=decision.pk, status=decision.status).update(
        status=status, decided_by=str(actor), decided_at=now, reason=reason, superseded_by=decision.superseded_by
    )
    if not changed:
        raise HubError("conflict", "Somebody decided this at the same moment. Look again.", reason="decided")
    decision.status = status


def tell(project: Project, actor: Actor, action: str, version: DocumentVersion, done: str) -> None:
    """Append the event of a change readers may know of: its payload names the version, and holds none of its words."""
    payload = {"action": f"document.{action}", "document": version.document_id, "version": version.number}
    feed.append(project, Kind.SIGNAL, actor, f"{done} {version.title}", payload=payload)


def close_review(  # noqa: PLR0913 - what an answer is made of
    document: Document, project: Project, actor: Actor, *, approved: bool, note: str = "", replaced: bool = False
) -> None:
    """Resolve the open request for review, if there is one, now that what it asks for has been done or given up."""
    review = Review.objects.filter(document=document, is_open=True).first()
    if review is None:
        return
    Review.objects.filter(pk=review.pk).update(is_open=False)
    item = InboxItem.objects.filter(pk=review.event, status__in=OPEN).select_related("event").first()
    if item is None:
        return
    outcome = Outcome.REPLACED if replaced else Outcome.APPROVED if approved else Outcome.DECLINED
    payload = {"approved": approved, "note": note} | ({"replaced": True} if replaced else {})
    entries.resolve(item, project, actor, outcome, summary=note or outcome.label, payload=payload)


def hold_review(project: Project, asked: dict[str, Any]) -> None:
    """Hold the document a request is about, before its item: so does whoever publishes, and neither waits for ever."""
    hold_documents(project, [asked["document"]])


def decide_review(actor: Actor, project: Project, asked: dict[str, Any], *, approved: bool) -> None:
    """Do what approving a request means, before its item is resolved: publish exactly that revision (GOV-09).

    Called by the inbox's decision, in its transaction. `forbidden` to who maintains nothing here; `conflict` when the
    draft moved, or publishing failed: the item stays open.
    """
    document = locked_document(project, asked["document"])
    check_maintainer(actor, document.space)
    Review.objects.filter(document=document, is_open=True).update(is_open=False)
    if not approved:
        return
    check_open(document)
    decision = Decision.objects.filter(document=document).first()
    is_proposal = decision is not None and decision.status == Decision.Status.PROPOSED
    draft = draft_at(document, asked["revision"])
    version = publish(actor, document, draft, editorial=decision is not None and not is_proposal)
    check_published(version)
    if decision is not None and is_proposal:
        settled(decision, Decision.Status.ACCEPTED, actor, timezone.now())
    tell(project, actor, "accept" if is_proposal else "publish", version, "Accepted" if is_proposal else "Published")
