"""What agents read of governed knowledge, and how they draft it (GOV-02, GOV-06)."""

from typing import Annotated, Any

from pydantic import Field

from core.actor import Actor
from core.calls import Arguments, Json, agent_call
from core.errors import invalid
from core.operation import Right
from core.page import limit_or_default
from identity.access import authorized
from knowledge import document_queries as queries
from knowledge.operations import (
    create_document,
    draft_from_answer,
    draft_from_artifact,
    draft_from_brain,
    draft_from_page,
    publish_document,
    report_files,
    save_draft,
    submit_document,
)

Sources = Annotated[
    list[dict[str, Any]] | None,
    Field(description="What it rests on: {kind: page|artifact|event|document|repository|url, ...}."),
]


class DocumentList(Arguments):
    """Arguments of document_list."""

    project: str | None = None
    space: str | None = None
    kind: str | None = None
    state: str | None = None
    status: Annotated[str | None, Field(description="Of decisions.")] = None
    limit: int | None = None
    cursor: str | None = None


class DocumentGet(Arguments):
    """Arguments of document_get."""

    document: str
    version: int | None = None
    draft: bool = False


class Promotion(Arguments):
    """Copy a page, brain entry, artifact or answer: its hash, or number, is the version."""

    path: str | None = None
    session: str | None = None
    artifact: str | None = None
    event: str | None = None
    version: str | int | None = None


class DocumentDraft(Arguments):
    """Arguments of document_draft."""

    document: Annotated[str | None, Field(description="Leave out to begin a new one in project.")] = None
    project: str | None = None
    space: str | None = None
    kind: str = "guide"
    title: str | None = None
    body: str | None = None
    sources: Sources = None
    source: Annotated[Promotion | None, Field(alias="from")] = None
    expected_revision: int | None = None
    idempotency_key: str | None = None


class DocumentSubmit(Arguments):
    """Arguments of document_submit."""

    document: str
    expected_revision: int | None = None
    note: str = ""
    session: str | None = None
    idempotency_key: str | None = None

    def place(self, actor: Actor) -> str:
        """Answer the document's project."""
        return queries.place_of(actor, self.document)


class DocumentPublish(Arguments):
    """Arguments of document_publish."""

    document: str
    expected_revision: int | None = None
    idempotency_key: str | None = None


class RepositoryReport(Arguments):
    """Arguments of repository_report."""

    project: str
    space: str
    commit: str
    files: Annotated[dict[str, str | None], Field(description="Path to blob hash; null where there is no file.")]
    idempotency_key: str | None = None


@agent_call("document_list", title="List documents", http=("GET", "/documents"), arguments=DocumentList, read_only=True)
def document_list(actor: Actor, arguments: DocumentList) -> Json:
    """List reviewed documents and decisions, newest first."""
    rows = queries.documents_of(actor, **arguments.model_dump(exclude={"limit", "cursor"}))
    page = queries.page_of(rows, cursor=arguments.cursor, limit=limit_or_default(arguments.limit))
    shape = queries.shape_of(actor, page.rows)
    return page.within_reply(arguments.limit, shape, lambda row: str(row.pk)).as_dict("documents", shape)


@agent_call(
    "document_get",
    title="Read a document",
    http=("GET", "/documents/{document}"),
    arguments=DocumentGet,
    read_only=True,
)
def document_get(actor: Actor, arguments: DocumentGet) -> Json:
    """Read a document's current version, one by number, or its draft."""
    document = queries.document_of(actor, arguments.document)
    shown = queries.document_json(actor, document)
    if arguments.draft:
        return shown | {"draft": queries.draft_json(document, queries.draft_of(actor, document))}
    return shown | queries.version_json(document, queries.version_of(document, arguments.version))


@agent_call("document_draft", title="Draft a document", http=("POST", "/documents"), arguments=DocumentDraft)
def document_draft(actor: Actor, arguments: DocumentDraft) -> Json:
    """Begin a document (guide, constraint, experience, reference, decision), or save its draft by expected_revision."""
    given = arguments.model_dump(include={"title", "body", "idempotency_key"}) | {"cited": arguments.sources}
    if arguments.document is not None:
        place = queries.place_of(actor, arguments.document)
        given |= {"document": arguments.document, "expected_revision": arguments.expected_revision}
        return save_draft(actor, place, **given)
    if arguments.project is None:
        raise invalid("project", "Name a document to save, or a project to begin one in.")
    authorized(actor, arguments.project, Right.WRITE)
    if arguments.title is None:
        raise invalid("title", "A new document needs a title.")
    given |= {"kind": arguments.kind, "space": arguments.space}
    if arguments.source is not None:
        return _promoted(actor, arguments.project, arguments.source, given)
    return create_document(actor, arguments.project, **given | {"body": arguments.body or ""})


def _promoted(actor: Actor, project: str, source: Promotion, given: dict[str, Any]) -> Json:
    """Copy what is named into a new document's draft; the copy brings its own words and its own source (GOV-09)."""
    if given.pop("body") is not None or given.pop("cited") is not None:
        raise invalid("from", "A copied draft brings its own body and sources.")
    named = source.model_dump(exclude_none=True)
    if not isinstance(named.get("version", 1), int if source.artifact else str | int):
        raise invalid("from.version", "An artifact's version is a number.")
    for members, promote in _PROMOTIONS.items():
        if named.keys() == members:
            answer: Json = promote(actor, project, **named, **given)
            return answer
    raise invalid("from", "from is {path, version}, {session, path, version}, {artifact, version} or {event}.")


_PROMOTIONS: dict[frozenset[str], Any] = {
    frozenset({"path", "version"}): draft_from_page,
    frozenset({"session", "path", "version"}): draft_from_brain,
    frozenset({"artifact", "version"}): draft_from_artifact,
    frozenset({"event"}): draft_from_answer,
}


@agent_call(
    "document_submit",
    title="Ask for review",
    http=("POST", "/documents/{document}/review"),
    arguments=DocumentSubmit,
    session="own",
    listing="outside_tasks",
)
def document_submit(actor: Actor, arguments: DocumentSubmit) -> Json:
    """Ask a maintainer to publish the draft at that revision; wait for the event with answer_wait."""
    return submit_document(actor, arguments.place(actor), **arguments.model_dump())


@agent_call(
    "document_publish",
    title="Publish a document",
    http=("POST", "/documents/{document}/publish"),
    arguments=DocumentPublish,
    is_tool=False,
)
def document_publish(actor: Actor, arguments: DocumentPublish) -> Json:
    """Publish a draft in a repository space, as its sync identity. In other spaces people do."""
    return publish_document(actor, queries.place_of(actor, arguments.document), **arguments.model_dump())


@agent_call(
    "repository_report",
    title="Report a repository's files",
    http=("POST", "/projects/{project}/spaces/{space}/files"),
    arguments=RepositoryReport,
    is_tool=False,
)
def repository_report(actor: Actor, arguments: RepositoryReport) -> Json:
    """Report which blob a repository has at each path at a commit: a CI job does, as the space's sync identity."""
    return report_files(actor, arguments.project, **arguments.model_dump(exclude={"project"}))
