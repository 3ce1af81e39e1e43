"""The human API of spaces, documents and decisions (GOV-01..09)."""

from typing import Any

from core.actor import Actor
from core.calls import Arguments
from core.human_calls import Nothing, human_call
from core.operation import Right
from core.page import DEFAULT_LIMIT
from identity.access import authorized
from knowledge import document_queries as queries
from knowledge import operations
from knowledge.drift import drifted_pages


class SpaceQuery(Arguments):
    """Whose spaces."""

    project: str | None = None


class NewSpace(Arguments):
    """A repository space."""

    name: str
    url: str = ""
    sync_agent: str | None = None


class SpaceChange(Arguments):
    """What changes of a repository space."""

    url: str | None = None
    sync_agent: str | None = None


class MaintainerName(Arguments):
    """A person."""

    user: str


class Reader(Arguments):
    """An agent."""

    agent: str


class DocumentQuery(Arguments):
    """Which documents to list."""

    project: str | None = None
    space: str | None = None
    kind: str | None = None
    state: str | None = None
    status: str | None = None
    limit: int = DEFAULT_LIMIT
    cursor: str | None = None


class NewDocument(Arguments):
    """A document's first draft."""

    title: str
    body: str = ""
    kind: str = "guide"
    space: str | None = None
    sources: list[dict[str, Any]] | None = None
    idempotency_key: str | None = None


class Numbered(Arguments):
    """Which version."""

    version: int | None = None


class Cursor(Arguments):
    """A page of a list."""

    limit: int = DEFAULT_LIMIT
    cursor: str | None = None


class DraftText(Arguments):
    """A draft as it is to be saved; what is not given stays."""

    expected_revision: int | None = None
    title: str | None = None
    body: str | None = None
    sources: list[dict[str, Any]] | None = None
    idempotency_key: str | None = None


class Seen(Arguments):
    """The revision the caller saw."""

    expected_revision: int | None = None
    idempotency_key: str | None = None


class Publishing(Seen):
    """What to publish."""

    editorial: bool = False


class Restoring(Arguments):
    """Which version to copy into a draft."""

    version: int
    replace: bool = False
    expected_revision: int | None = None
    idempotency_key: str | None = None


class Submission(Seen):
    """What to review."""

    note: str = ""


class Acceptance(Seen):
    """What to accept, and what it takes the place of."""

    supersedes: list[str] | None = None


class Superseded(Arguments):
    """What a decision takes the place of."""

    supersedes: list[str]


class Reason(Arguments):
    """Why."""

    reason: str = ""


@human_call(SpaceQuery)
def spaces(actor: Actor, given: SpaceQuery) -> dict[str, Any]:
    """List spaces."""
    return {"spaces": [queries.space_json(actor, space) for space in queries.spaces_of(actor, given.project)]}


@human_call(NewSpace)
def space_create(actor: Actor, given: NewSpace, project: str) -> dict[str, Any]:
    """Make a repository space."""
    return operations.create_space(actor, project, **given.model_dump())


@human_call(SpaceChange)
def space_change(actor: Actor, given: SpaceChange, project: str, space: str) -> dict[str, Any]:
    """Change a repository space's address or sync identity."""
    return operations.change_space(actor, project, space=space, **given.model_dump())


@human_call(MaintainerName)
def maintainer_add(actor: Actor, given: MaintainerName, project: str, space: str) -> dict[str, Any]:
    """Let a person maintain a space."""
    return operations.add_maintainer(actor, project, space=space, user=given.user)


@human_call(MaintainerName)
def maintainer_remove(actor: Actor, given: MaintainerName, project: str, space: str) -> dict[str, Any]:
    """Let a person maintain a space no longer."""
    return operations.remove_maintainer(actor, project, space=space, user=given.user)


@human_call(Reader)
def share(actor: Actor, given: Reader, project: str, space: str) -> dict[str, Any]:
    """Let an agent read a space's published documents."""
    return operations.share_space(actor, project, space=space, agent=given.agent)


@human_call(Reader)
def unshare(actor: Actor, given: Reader, project: str, space: str) -> dict[str, Any]:
    """Take a share back."""
    return operations.unshare_space(actor, project, space=space, agent=given.agent)


@human_call(DocumentQuery)
def document_list(actor: Actor, given: DocumentQuery) -> dict[str, Any]:
    """List documents, newest first."""
    rows = queries.documents_of(actor, **given.model_dump(exclude={"limit", "cursor"}))
    page = queries.page_of(rows, cursor=given.cursor, limit=given.limit)
    return page.as_dict("documents", queries.shape_of(actor, page.rows))


@human_call(NewDocument)
def document_create(actor: Actor, given: NewDocument, project: str) -> dict[str, Any]:
    """Begin a document with a draft."""
    fields = given.model_dump(exclude={"sources"})
    return operations.create_document(actor, project, cited=given.sources, **fields)


@human_call(Numbered)
def document(actor: Actor, given: Numbered, document: str) -> dict[str, Any]:
    """Show a document's current version, or one by number."""
    row = queries.document_of(actor, document)
    shown = queries.document_json(actor, row)
    if row.current is None and given.version is None:
        return shown
    return shown | queries.version_json(row, queries.version_of(row, given.version))


@human_call(Nothing)
def document_delete(actor: Actor, given: Nothing, document: str) -> dict[str, Any]:
    """Delete a document nobody published."""
    return operations.delete_document(actor, queries.place_of(actor, document), document=document)


@human_call(Cursor)
def versions(actor: Actor, given: Cursor, document: str) -> dict[str, Any]:
    """List a document's versions, newest first."""
    page = queries.versions_page(queries.document_of(actor, document), cursor=given.cursor, limit=given.limit)
    return page.as_dict("versions", queries.version_line)


@human_call(Nothing)
def draft(actor: Actor, given: Nothing, document: str) -> dict[str, Any]:
    """Show a document's draft."""
    row = queries.document_of(actor, document)
    return queries.draft_json(row, queries.draft_of(actor, row))


@human_call(DraftText)
def draft_save(actor: Actor, given: DraftText, document: str) -> dict[str, Any]:
    """Save a draft, by who saw its newest revision."""
    fields = given.model_dump(exclude={"sources"})
    place = queries.place_of(actor, document)
    return operations.save_draft(actor, place, document=document, cited=given.sources, **fields)


@human_call(Seen)
def draft_discard(actor: Actor, given: Seen, document: str) -> dict[str, Any]:
    """Give a draft up."""
    return operations.discard_draft(actor, queries.place_of(actor, document), document=document, **given.model_dump())


@human_call(Publishing)
def publish(actor: Actor, given: Publishing, document: str) -> dict[str, Any]:
    """Publish a draft as the next version."""
    place = queries.place_of(actor, document)
    return operations.publish_document(actor, place, document=document, **given.model_dump())


@human_call(Restoring)
def restore(actor: Actor, given: Restoring, document: str) -> dict[str, Any]:
    """Copy a version into a new draft."""
    place = queries.place_of(actor, document)
    return operations.restore_version(actor, place, document=document, **given.model_dump())


@human_call(Nothing)
def archive(actor: Actor, given: Nothing, document: str) -> dict[str, Any]:
    """Take a document out of lists and search."""
    return operations.archive_document(actor, queries.place_of(actor, document), document=document)


@human_call(Nothing)
def unarchive(actor: Actor, given: Nothing, document: str) -> dict[str, Any]:
    """Bring an archived document back."""
    return operations.unarchive_document(actor, queries.place_of(actor, document), document=document)


@human_call(Submission)
def submit(actor: Actor, given: Submission, document: str) -> dict[str, Any]:
    """Ask for review of a draft."""
    place = queries.place_of(actor, document)
    return operations.submit_document(actor, place, document=document, **given.model_dump())


@human_call(Acceptance)
def accept(actor: Actor, given: Acceptance, document: str) -> dict[str, Any]:
    """Accept a proposed decision."""
    place = queries.place_of(actor, document)
    return operations.accept_decision(actor, place, document=document, **given.model_dump())


@human_call(Superseded)
def supersede(actor: Actor, given: Superseded, document: str) -> dict[str, Any]:
    """Let an accepted decision take the place of others."""
    place = queries.place_of(actor, document)
    return operations.supersede_decisions(actor, place, document=document, supersedes=given.supersedes)


@human_call(Reason)
def reject(actor: Actor, given: Reason, document: str) -> dict[str, Any]:
    """Reject a proposed decision."""
    place = queries.place_of(actor, document)
    return operations.reject_decision(actor, place, document=document, reason=given.reason)


@human_call(Reason)
def revoke(actor: Actor, given: Reason, document: str) -> dict[str, Any]:
    """Revoke an accepted decision, saying why."""
    place = queries.place_of(actor, document)
    return operations.revoke_decision(actor, place, document=document, reason=given.reason)


@human_call(Nothing)
def drifted(actor: Actor, given: Nothing, project: str) -> dict[str, Any]:
    """List the pages that moved on since a document cited them."""
    return {"pages": drifted_pages(authorized(actor, project, Right.READ))}
