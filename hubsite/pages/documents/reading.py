"""One document as it was published: its words, what they rest on, its versions, what became of it (GOV-04..08)."""

from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from core.actor import Actor
from core.errors import not_found
from hubsite.pages.documents.chains import chain_of, supersedable
from hubsite.pages.documents.changes import compared
from hubsite.pages.documents.citing import shown_sources
from hubsite.pages.documents.frame import framed
from identity.pages import human_page, newest_event, number_in, page, told
from knowledge.document_queries import document_of, failed_version, version_of
from knowledge.document_search import trust_of
from knowledge.drift import drifted_documents
from knowledge.models import VISIBLE, Decision, Document, DocumentVersion, Draft
from knowledge.operations import archive_document, delete_document, restore_version, unarchive_document

VERSIONS: Final = 200


@human_page
def document(request: HttpRequest, actor: Actor, document: str) -> HttpResponse:
    """Show a document's current version, or one by number; while nobody published it, its draft."""
    row = document_of(actor, document)
    since, number = newest_event(), number_in(request.GET.get("version"))
    frame = framed(actor, row)
    version = version_of(row, number) if row.current or number else None
    shown = version or frame["draft"]
    if shown is None:
        raise not_found("document")
    return page(
        request,
        "documents/document.html",
        parts=("document",),
        title=shown.title,
        since=since,
        version=version,
        shown=shown,
        is_current=version is not None and version.pk == row.current_id,
        is_drifted=row.pk in drifted_documents(row.project, [row.pk]),
        trust=trust_of(row, version) if version else None,
        sources=shown_sources(row.project, row.space, shown.sources),
        failed=_failed(row, frame["draft"]),
        waiting=row.versions.filter(state=DocumentVersion.State.INDEXING).first() if frame["draft"] else None,
        **_versions(row),
        **_decision(frame["decision"]),
        **frame,
    )


def _versions(row: Document) -> dict[str, Any]:
    """Answer the versions readers have, newest first; the picker shows no more than a person scrolls through."""
    return {"versions": list(row.versions.filter(state__in=VISIBLE).defer("body").order_by("-number")[:VERSIONS])}


def _failed(row: Document, draft: Draft | None) -> DocumentVersion | None:
    """Answer the version whose publishing failed, while its draft is still the one to publish."""
    failed = failed_version(row)
    return failed if failed and draft and failed.revision == draft.revision else None


def _decision(decision: Decision | None) -> dict[str, Any]:
    """Answer what the box of a decision shows: its chain, and what it may take the place of."""
    if decision is None:
        return {}
    moving = decision.status in {Decision.Status.PROPOSED, Decision.Status.ACCEPTED}
    return {"chain": chain_of(decision), "others": supersedable(decision) if moving else ()}


@human_page
def diff(request: HttpRequest, actor: Actor, document: str) -> HttpResponse:
    """Show what changed from one version to another, the current and the one before by default."""
    row = document_of(actor, document)
    new = version_of(row, number_in(request.GET.get("to")))
    known = row.versions.filter(state__in=VISIBLE)
    before = known.filter(number__lt=new.number).order_by("-number").first() or new
    given = number_in(request.GET.get("from"))
    old = version_of(row, given) if given else before
    return page(
        request,
        "documents/diff.html",
        title=f"Changes of {new.title}",
        old=old,
        new=new,
        **_versions(row),
        **compared(old, new, f"version {old.number}", f"version {new.number}"),
        **framed(actor, row),
    )


@require_POST
@human_page
def archive(request: HttpRequest, actor: Actor, document: str) -> HttpResponseBase:
    """Take a document out of lists and search."""
    row = document_of(actor, document)
    with told(request, "It is archived: out of lists and search, with all its versions."):
        archive_document(actor, row.project_id, document=row.pk)
    return redirect("admin:document", row.pk)


@require_POST
@human_page
def unarchive(request: HttpRequest, actor: Actor, document: str) -> HttpResponseBase:
    """Bring an archived document back."""
    row = document_of(actor, document)
    with told(request, "It is back."):
        unarchive_document(actor, row.project_id, document=row.pk)
    return redirect("admin:document", row.pk)


@require_POST
@human_page
def restore(request: HttpRequest, actor: Actor, document: str) -> HttpResponseBase:
    """Copy a version into the draft; a draft there is goes only as it was seen (GOV-05)."""
    row = document_of(actor, document)
    number = number_in(request.POST.get("version")) or 0
    replace, seen = request.POST.get("replace") == "yes", number_in(request.POST.get("expected_revision"))
    after = "admin:document"
    with told(request, f"This draft is version {number} again. Nothing is published yet."):
        restore_version(actor, row.project_id, document=row.pk, version=number, replace=replace, expected_revision=seen)
        after = "admin:document-edit"
    return redirect(after, row.pk)


@require_POST
@human_page
def delete(request: HttpRequest, actor: Actor, document: str) -> HttpResponseBase:
    """Delete a document nobody published."""
    row = document_of(actor, document)
    after = ("admin:document", row.pk)
    with told(request, "The document and its draft are deleted."):
        delete_document(actor, row.project_id, document=row.pk)
        after = ("admin:documents", row.project_id)
    return redirect(*after)


ROUTES = [
    ("document/<str:document>/", document, "document"),
    ("document/<str:document>/diff/", diff, "document-diff"),
    ("document/<str:document>/archive/", archive, "document-archive"),
    ("document/<str:document>/unarchive/", unarchive, "document-unarchive"),
    ("document/<str:document>/restore/", restore, "document-restore"),
    ("document/<str:document>/delete/", delete, "document-delete"),
]
