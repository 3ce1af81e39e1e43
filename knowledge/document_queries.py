"""Reading documents, their versions, drafts and decisions, each under the caller's rights (GOV-06, GOV-10)."""

from collections.abc import Callable, Sequence
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from core.actor import Actor
from core.errors import invalid, not_found
from core.ids import parse
from core.operation import Right
from core.page import Page, check_limit, cut, number_cursor
from core.times import rfc3339
from identity.access import authorized, writable_projects
from knowledge import sources
from knowledge.document_search import trust_of
from knowledge.models import VISIBLE, Decision, Document, DocumentVersion, Draft, Space
from knowledge.roles import is_author, is_maintainer, visible_documents, visible_spaces


def spaces_of(actor: Actor, project: str | None = None) -> QuerySet[Space]:
    """Answer the spaces `actor` may read, of one project or of all; an unknown project has none to show."""
    spaces = visible_spaces(actor).select_related("project")
    return spaces.filter(project=project) if project is not None else spaces


def documents_of(  # noqa: PLR0913 - each is one column a reader filters by
    actor: Actor,
    *,
    project: str | None = None,
    space: str | None = None,
    kind: str | None = None,
    state: str | None = None,
    status: str | None = None,
) -> QuerySet[Document]:
    """Answer the documents that exist for `actor`, newest first; archived ones only when asked for by ``state``.

    ``space`` is an id or a name, ``status`` a decision's. `not_found` for a named project that is hidden.
    """
    rows = visible_documents(actor)
    if project is not None:
        if not visible_spaces(actor).filter(project=project).exists():
            authorized(actor, project, Right.READ)
        rows = rows.filter(project=project)
    if space is not None:
        rows = rows.filter(space__in=visible_spaces(actor).filter(name=space) | visible_spaces(actor).filter(pk=space))
    for field, value, known in (("kind", kind, Document.Kind), ("state", state, Document.State)):
        if value is not None and value not in known.values:
            raise invalid(field, f"{field} must be one of {', '.join(known.values)}.")
    if status is not None and status not in Decision.Status.values:
        raise invalid("status", f"status must be one of {', '.join(Decision.Status.values)}.")
    rows = rows.filter(state=state) if state else rows.exclude(state=Document.State.ARCHIVED)
    rows = rows.filter(kind=kind) if kind else rows
    rows = rows.filter(decision__status=status) if status else rows
    return _along(actor, rows).defer("current__body", "draft__body", "draft__sources").order_by("-pk")


def _along(actor: Actor, rows: QuerySet[Document]) -> QuerySet[Document]:
    """Read along what showing documents takes: a list costs as many queries as one of them."""
    authored = Exists(writable_projects(actor).filter(pk=OuterRef("project")))
    rows = rows.annotate(authored=authored).prefetch_related("decision__supersedes")
    return rows.select_related("space", "project", "current", "draft", "decision")


def page_of(rows: QuerySet[Document], *, cursor: str | None, limit: int) -> Page[Document]:
    """Page documents by id."""
    check_limit(limit)
    if cursor is not None:
        rows = rows.filter(pk__lt=parse(cursor, "cursor"))
    return cut(list(rows[: limit + 1]), limit, lambda document: document.pk)


def document_of(actor: Actor, document: str) -> Document:
    """Answer one document that exists for `actor`; `not_found` for any other."""
    row = _along(actor, visible_documents(actor)).filter(pk=parse(document, "document")).first()
    if row is None:
        raise not_found("document")
    return row


def place_of(actor: Actor, document: str) -> str:
    """Answer the project of a document that exists for `actor`."""
    rows = visible_documents(actor).filter(pk=parse(document, "document"))
    project = rows.values_list("project", flat=True).first()
    if project is None:
        raise not_found("document")
    return project


def version_of(document: Document, number: int | None = None) -> DocumentVersion:
    """Answer a version readers have, the current one without a number; `not_found` for any other (GOV-06)."""
    row = document.current
    if number is not None:  # a number past the column's reach names no version either
        known = document.versions.filter(state__in=VISIBLE)
        row = known.filter(number=number).first() if 0 < number < 2**31 else None
    if row is None:
        raise not_found("version")
    return row


def draft_of(actor: Actor, document: Document) -> Draft:
    """Answer a document's draft to its authors; to others there is none."""
    draft = Draft.objects.filter(document=document).first() if is_author(actor, document.project_id) else None
    if draft is None:
        raise not_found("draft")
    return draft


def versions_page(document: Document, *, cursor: str | None, limit: int) -> Page[DocumentVersion]:
    """Page the versions readers have, newest first."""
    check_limit(limit)
    rows = document.versions.filter(state__in=VISIBLE).order_by("-number")
    if cursor is not None:
        rows = rows.filter(number__lt=number_cursor(cursor))
    return cut(list(rows[: limit + 1]), limit, lambda version: str(version.number))


def failed_version(document: Document) -> DocumentVersion | None:
    """Answer the version whose publishing failed, for authors."""
    return document.versions.filter(state=DocumentVersion.State.FAILED).order_by("-number").first()


def space_json(actor: Actor, space: Space) -> dict[str, Any]:
    """Answer a space as every face shows it."""
    return {
        "id": space.pk,
        "project": space.project_id,
        "name": space.name,
        "kind": space.kind,
        "url": space.url or None,
        "maintained": is_maintainer(actor, space),
    }


def shape_of(actor: Actor, documents: Sequence[Document]) -> Callable[[Document], dict[str, Any]]:
    """Answer how to show each of some documents, what they share looked up once."""
    stale = sources.stale_documents(documents)
    return lambda document: document_json(actor, document, stale=document.pk in stale)


def document_json(actor: Actor, document: Document, *, stale: bool | None = None) -> dict[str, Any]:
    """Answer a document as `actor` may know it: to readers its current version's title, to authors the draft's too."""
    current = document.current
    shown = {
        "id": document.pk,
        "project": document.project_id,
        "project_name": document.project.name,
        "space": document.space.name,
        "kind": document.kind,
        "state": document.state,
        "version": current.number if current else None,
        "title": current.title if current else None,
        "trust": trust_of(document, current, stale=stale) if current else None,
        "decision": decision_json(document),
        "updated_at": rfc3339(current.created_at if current else document.updated_at),
    }
    return shown | _for_authors(actor, document)


def _for_authors(actor: Actor, document: Document) -> dict[str, Any]:
    authored: bool | None = vars(document).get("authored")  # read along by `_along`
    if not (is_author(actor, document.project_id) if authored is None else authored):
        return {}
    draft: Draft | None = getattr(document, "draft", None)
    return {
        "revision": document.revision,
        "draft": None if draft is None else {"revision": draft.revision, "title": draft.title},
    }


def decision_json(document: Document) -> dict[str, Any] | None:
    """Answer what a decision has beside its words."""
    decision: Decision | None = getattr(document, "decision", None)
    if decision is None:
        return None
    return {
        "number": decision.number,
        "status": decision.status,
        "superseded_by": decision.superseded_by_id,
        "supersedes": sorted(row.pk for row in decision.supersedes.all()),
        "reason": decision.reason or None,
        "decided_by": decision.decided_by or None,
        "decided_at": rfc3339(decision.decided_at),
    }


def version_json(document: Document, version: DocumentVersion) -> dict[str, Any]:
    """Answer a version's words and what they rest on, each source with how it stands now (GOV-07)."""
    return {
        "version": version.number,
        "title": version.title,
        "body": version.body,
        "sources": sources.standing(document.project, document.space, version.sources),
        "verified_commit": version.verified_commit or None,
        "editorial": version.editorial,
        "published_by": version.published_by,
        "published_at": rfc3339(version.created_at),
    }


def version_line(version: DocumentVersion) -> dict[str, Any]:
    """Answer a version without its words."""
    return {
        "version": version.number,
        "title": version.title,
        "published_by": version.published_by,
        "published_at": rfc3339(version.created_at),
    }


def draft_json(document: Document, draft: Draft) -> dict[str, Any]:
    """Answer a draft, to its authors."""
    return {
        "document": document.pk,
        "title": draft.title,
        "body": draft.body,
        "sources": sources.standing(document.project, document.space, draft.sources),
        "revision": draft.revision,
        "base_version": draft.base_version,
        "restored_from": draft.restored_from,
        "updated_by": draft.updated_by,
        "updated_at": rfc3339(draft.updated_at),
    }
