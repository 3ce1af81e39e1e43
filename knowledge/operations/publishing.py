"""Publishing, archiving: what maintainers alone do (GOV-02, GOV-04)."""

from typing import Any

from django.utils import timezone

from core.actor import Actor
from core.errors import HubError
from core.operation import Right, operation
from knowledge.document_queries import version_of
from knowledge.document_search import found
from knowledge.models import Decision, Document, DocumentVersion
from knowledge.publication import check_open, close_review, draft_at, finish, publish, tell
from knowledge.roles import check_maintainer, check_publisher, locked_document
from knowledge.switching import hide, show
from projects.models import Project


@operation(Right.WRITE)
def publish_document(
    actor: Actor,
    project: Project,
    /,
    *,
    document: str,
    expected_revision: int | None,
    editorial: bool = False,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Publish the draft at a revision as the next version (GOV-04).

    Refused by name: no draft, a stale revision, an empty body, no source, no change. A decision is published by
    accepting it; an accepted one again only as ``editorial``. ``state`` answers ``failed``, with the error, when the
    text could not be parsed or indexed: the version before stays, and publishing again tries again. It answers
    ``indexing`` while a configured retrieval plane does not answer: the hub goes on by itself.
    """
    row = locked_document(project, document)
    check_publisher(actor, row.space)
    draft = draft_at(row, expected_revision)
    _check_decision(row, editorial=editorial)
    version = publish(actor, row, draft, editorial=editorial)
    if version.state == DocumentVersion.State.PUBLISHED:
        close_review(row, project, actor, approved=True)
        tell(project, actor, "publish", version, "Published")
    return {"document": row.pk, "version": version.number, "state": version.state, "error": version.error or None}


@operation(Right.STAFF)
def finish_publishing(actor: Actor, project: Project, /, *, document: str) -> str:
    """Try again to publish what waits for the retrieval plane; answers the version's state, '' if nothing waits."""
    row = locked_document(project, document)
    version = row.versions.filter(state=DocumentVersion.State.INDEXING).first()
    if version is None:
        return ""
    finish(row, version)
    if version.state == DocumentVersion.State.PUBLISHED:
        publisher = Actor("hub", version.published_by)  # what was asked for then; a full feed does not stop it
        close_review(row, project, publisher, approved=True)
        tell(project, publisher, "publish", version, "Published")
    return version.state


def _check_decision(document: Document, *, editorial: bool) -> None:
    decision = Decision.objects.filter(document=document).first()
    if decision is None:
        return
    check_open(document)
    if decision.status != Decision.Status.ACCEPTED:
        raise HubError("conflict", "A decision is published by accepting it.", reason="decision")
    if not editorial:
        raise HubError("conflict", "An accepted decision changes by editorial versions only.", reason="editorial")


@operation(Right.WRITE)
def archive_document(
    actor: Actor, project: Project, /, *, document: str, idempotency_key: str | None = None
) -> dict[str, Any]:
    """Take a published document out of lists and, in the same transaction, out of search."""
    row = locked_document(project, document)
    check_maintainer(actor, row.space)
    if row.state != Document.State.PUBLISHED:
        raise HubError("conflict", f"This document is {row.state}.", reason=row.state)
    if Decision.objects.filter(document=row).exists():
        raise HubError("conflict", "A decision ends by being superseded or revoked.", reason="decision")
    hide(row)
    close_review(row, project, actor, approved=False, note="The document was archived.")
    return _moved(actor, project, row, Document.State.ARCHIVED, "archive", "Archived")


@operation(Right.WRITE)
def unarchive_document(
    actor: Actor, project: Project, /, *, document: str, idempotency_key: str | None = None
) -> dict[str, Any]:
    """Bring an archived document back as it was."""
    row = locked_document(project, document)
    check_maintainer(actor, row.space)
    if row.state != Document.State.ARCHIVED:
        raise HubError("conflict", f"This document is {row.state}.", reason=row.state)
    answer = _moved(actor, project, row, Document.State.PUBLISHED, "unarchive", "Took out of the archive:")
    if found(row):
        show(row, version_of(row))
    return answer


def _moved(  # noqa: PLR0917 - what the event is made of
    actor: Actor, project: Project, document: Document, state: Document.State, action: str, done: str
) -> dict[str, Any]:
    document.state, document.updated_at = state, timezone.now()
    document.save(update_fields=["state", "updated_at"])
    tell(project, actor, action, version_of(document), done)
    return {"document": document.pk, "state": state}
