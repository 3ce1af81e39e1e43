"""What every page of one document shows around it: its name, who maintains it, what may be done with it (GOV-02)."""

from typing import Any

from core.actor import Actor
from knowledge.models import ENDED, Decision, Document, Draft, Review, Space
from knowledge.roles import is_maintainer


def framed(actor: Actor, document: Document) -> dict[str, Any]:
    """Answer the frame of a document's pages."""
    draft = Draft.objects.filter(document=document).first()
    decision = decision_of(document)
    return {
        "project": document.project,
        "place": document.project_id,
        "document": document,
        "draft": draft,
        "decision": decision,
        "name": name_of(document, draft),
        "maintains": is_maintainer(actor, document.space),
        "maintainers": maintainers_of(document.space),
        "review": Review.objects.filter(document=document, is_open=True).first(),
        "editable": document.state != Document.State.ARCHIVED and (decision is None or decision.status not in ENDED),
        "is_proposal": decision is not None and decision.status == Decision.Status.PROPOSED,
    }


def name_of(document: Document, draft: Draft | None) -> str:
    """Answer what a document is called: by its current version, or by its draft while nobody published it."""
    if document.current is not None:
        return document.current.title
    return draft.title if draft else "Untitled"


def decision_of(document: Document) -> Decision | None:
    """Answer what a decision has beside its words."""
    return Decision.objects.filter(document=document).first()


def maintainers_of(space: Space) -> list[str]:
    """Answer the people who maintain a space."""
    return list(space.maintainers.order_by("user__username").values_list("user__username", flat=True))
