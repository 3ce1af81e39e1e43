"""Drafts: the one editable text of a document, saved only by who saw its newest revision (GOV-03, GOV-05)."""

from typing import Any

from django.utils import timezone

from core.actor import HUB, Actor
from core.errors import HubError
from core.operation import Right, operation
from knowledge.document_queries import version_of
from knowledge.drafts import created, saved, text_of
from knowledge.models import Decision, Document, Draft
from knowledge.publication import check_open, check_revision, close_review, draft_at
from knowledge.roles import is_maintainer, locked_document
from projects.models import Project


@operation(Right.WRITE)
def create_document(
    actor: Actor,
    project: Project,
    /,
    *,
    title: str,
    body: str = "",
    kind: str = "guide",
    space: str | None = None,
    cited: list[dict[str, Any]] | None = None,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Make a document with its first draft, in the project's space or a repository's. Nobody but authors has it yet.

    A decision is proposed by this, and gets its number (GOV-08).
    """
    return created(actor, project, title=title, body=body, kind=kind, space=space, cited=cited or [])


@operation(Right.WRITE)
def save_draft(
    actor: Actor,
    project: Project,
    /,
    *,
    document: str,
    expected_revision: int | None,
    title: str | None = None,
    body: str | None = None,
    cited: list[dict[str, Any]] | None = None,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Save a draft, or begin one from the current version; what is not given stays.

    A text that is there already, in the draft or else in the current version, is no change: the revision stays.

    `precondition_required` without a revision, `conflict` (draft_changed) with a stale one: nothing is overwritten.
    """
    row = locked_document(project, document)
    check_revision(row, expected_revision)
    check_open(row)
    draft = Draft.objects.filter(document=row).first()
    base = draft or row.current
    text = text_of(
        project,
        base.title if title is None and base else title or "",
        base.body if body is None and base else body or "",
        base.sources if cited is None and base else cited or [],
        known=base.sources if base else [],
    )
    if base and (base.title, base.body, base.sources) == (text["title"], text["body"], text["sources"]):
        return saved(row)
    _store(actor, row, text, draft)
    return saved(row)


@operation(Right.WRITE)
def restore_version(
    actor: Actor,
    project: Project,
    /,
    *,
    document: str,
    version: int,
    replace: bool = False,
    expected_revision: int | None = None,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Copy a version into a new draft; it changes no version and publishes nothing (GOV-05).

    `conflict` (has_draft) over a draft, unless it is to be replaced by who saw its newest revision.
    """
    row = locked_document(project, document)
    check_open(row)
    old = version_of(row, version)
    draft = Draft.objects.filter(document=row).first()
    if draft is not None:
        if not replace:
            raise HubError(
                "conflict",
                "There is a draft. Say replace with its expected_revision to give it up.",
                reason="has_draft",
                current_revision=row.revision,
                updated_by=draft.updated_by,
            )
        check_revision(row, expected_revision)
    text = {"title": old.title, "body": old.body, "sources": old.sources, "restored_from": old.number}
    _store(actor, row, text, draft)
    return saved(row)


@operation(Right.WRITE)
def discard_draft(
    actor: Actor,
    project: Project,
    /,
    *,
    document: str,
    expected_revision: int | None,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Give up the draft of a published document. The counter moves on: who still edits it meets a conflict."""
    row = locked_document(project, document)
    draft = draft_at(row, expected_revision)
    if row.current is None:
        raise HubError("conflict", "Nobody published this document. Delete it whole.", reason="unpublished")
    draft.delete()
    _count(row)
    close_review(row, project, actor, approved=False, note="The draft was given up.")
    return saved(row)


@operation(Right.WRITE)
def delete_document(
    actor: Actor, project: Project, /, *, document: str, idempotency_key: str | None = None
) -> dict[str, Any]:
    """Delete a document nobody published; `conflict` for one with versions, which is archived instead.

    For its maintainers, and whoever made it.
    """
    row = locked_document(project, document)
    if row.created_by != str(actor) and actor != HUB and not is_maintainer(actor, row.space):
        raise HubError("forbidden", "Only a maintainer, or who made it, may delete it.", document=row.pk)
    if row.current_id is not None:
        raise HubError("conflict", "This document has versions. Archive it.", reason="has_versions")
    decision = Decision.objects.filter(document=row).first()
    if decision and decision.status != Decision.Status.PROPOSED:
        raise HubError("conflict", "This decision was taken. It stays.", reason="decided")
    document_id = row.pk
    close_review(row, project, actor, approved=False, note="The document was deleted.")
    row.delete()
    return {"document": document_id}


def _store(actor: Actor, document: Document, text: dict[str, Any], draft: Draft | None) -> None:
    """Write the draft under the next revision."""
    _count(document)
    fixed = {"revision": document.revision, "updated_by": str(actor), "updated_at": document.updated_at}
    if draft is None:
        base = document.current.number if document.current else None
        Draft.objects.create(document=document, base_version=base, **text, **fixed)
    else:
        Draft.objects.filter(document=document).update(**text, **fixed)


def _count(document: Document) -> None:
    document.revision += 1
    document.updated_at = timezone.now()
    document.save(update_fields=["revision", "updated_at"])
