"""Asking maintainers to publish one revision of a draft: an approval in the inbox bound to it (GOV-09)."""

from typing import Any

from core import limits
from core.actor import Actor
from core.checks import check_text
from core.operation import Right, operation
from inbox import entries
from inbox.models import Status
from knowledge.models import Review
from knowledge.publication import REVIEW, check_open, close_review, draft_at
from knowledge.roles import locked_document
from projects import feed
from projects.models import Kind, Project


@operation(Right.WRITE)
def submit_document(
    actor: Actor,
    project: Project,
    /,
    *,
    document: str,
    expected_revision: int | None,
    note: str = "",
    session: str | None = None,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Ask for review of the draft at a revision; a request that was open is replaced.

    The event and the entry name the document and hold none of its words: readers see them too (GOV-06).
    """
    row = locked_document(project, document)
    draft = draft_at(row, expected_revision)
    check_open(row)
    note = check_text(note, "note", limits.BODY_CHARS, empty=True)
    close_review(row, project, actor, approved=False, replaced=True)
    entries.check_room(project, actor)
    payload = {
        "body": note,
        "context": "",
        "proposal": None,
        REVIEW: {"document": row.pk, "revision": draft.revision},
    }
    summary = f"Review a {row.kind} in {row.space.name}"
    event = feed.append(project, Kind.APPROVAL, actor, summary, payload=payload, session=session, starts_thread=True)
    entries.add(event, Status.ACTION)
    Review.objects.create(event=event.pk, document=row, revision=draft.revision)
    return {"event": event.pk, "document": row.pk, "revision": draft.revision}
