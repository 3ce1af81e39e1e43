"""The editor of a draft: saved by who saw its newest revision, so that nobody's words are lost (GOV-03, GOV-04)."""

from dataclasses import replace
from typing import Any, Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from artifacts.models import Artifact
from core.actor import Actor
from core.errors import HubError
from hubsite.pages.documents.changes import compared
from hubsite.pages.documents.citing import shown_sources
from hubsite.pages.documents.frame import framed
from hubsite.pages.documents.typed import KINDS, Typed, added_source, describes_source
from identity.pages import human_page, number_in, page, told
from knowledge.document_queries import document_of
from knowledge.models import Decision, Document, DocumentVersion, Draft
from knowledge.operations import discard_draft, publish_document, save_draft, submit_document
from knowledge.queries import all_pages
from projects.models import Project

OFFERED: Final = 100
PAGES_OFFERED: Final = 500


@human_page
def edit(request: HttpRequest, actor: Actor, document: str) -> HttpResponseBase:
    """Show the editor, or save what was typed and do what its button says.

    A draft that moved meanwhile is shown beside what was typed, and nothing is stored.
    """
    row = document_of(actor, document)
    if request.method != "POST":
        return _opened(request, actor, row)
    typed = Typed.of(request.POST)
    try:
        typed = _with_sources(row, typed, request)
        typed = replace(typed, revision=_saved(actor, row, typed))
        return _done(request, actor, row, typed.revision)
    except HubError as refusal:
        return _refused(request, actor, row, typed, refusal)


def _opened(request: HttpRequest, actor: Actor, row: Document) -> HttpResponseBase:
    """Open the editor on what is stored; what may not be edited is shown instead."""
    frame = framed(actor, row)
    if not frame["editable"]:
        return redirect("admin:document", row.pk)
    return _editor(request, row, Typed.stored(row, frame["draft"]), frame)


def _with_sources(row: Document, typed: Typed, request: HttpRequest) -> Typed:
    """Add the source the form describes, whatever button was pressed, or take one away."""
    action = request.POST.get("action", "")
    if action.startswith("remove-source-"):
        return typed.without(number_in(action.removeprefix("remove-source-")) or 0)
    if action == "add-source" or (describes_source(request.POST) and not request.headers.get("X-Autosave")):
        return typed.resting_on(added_source(row, request.POST))
    return typed


def _saved(actor: Actor, row: Document, typed: Typed) -> int | None:
    """Save what changed; answers the revision that says what was typed.

    What is stored already is not saved again, whoever stored it: it says what its author means to publish.
    """
    draft = Draft.objects.filter(document=row).first()
    if typed.says(draft):
        return row.revision if draft is None else draft.revision
    if draft is None and typed.revision == row.revision and typed.says(row.current):
        return row.revision
    done = save_draft(
        actor,
        row.project_id,
        document=row.pk,
        expected_revision=typed.revision,
        title=typed.title,
        body=typed.body,
        cited=typed.sources,
    )
    return int(done["revision"])


def _done(request: HttpRequest, actor: Actor, row: Document, revision: int | None) -> HttpResponseBase:
    """Go on as the button says, once the text is saved."""
    action = request.POST.get("action", "save")
    if request.headers.get("X-Autosave"):
        return JsonResponse({"revision": revision})
    if action == "publish":
        return _published(request, actor, row, revision)
    if action == "submit":
        submit_document(
            actor, row.project_id, document=row.pk, expected_revision=revision, note=request.POST.get("note", "")
        )
        messages.success(request, "Submitted for review. Maintainers find it in the inbox.")
        return redirect("admin:document", row.pk)
    if "source" in action:
        return redirect(f"{reverse('admin:document-edit', args=[row.pk])}#sources")
    messages.success(request, f"Saved as revision {revision}.")
    return redirect("admin:document-edit", row.pk)


def _published(request: HttpRequest, actor: Actor, row: Document, revision: int | None) -> HttpResponseBase:
    """Publish a revision; an accepted decision's new version is an editorial one."""
    editorial = Decision.objects.filter(document=row, status=Decision.Status.ACCEPTED).exists()
    done = publish_document(actor, row.project_id, document=row.pk, expected_revision=revision, editorial=editorial)
    if done["state"] == DocumentVersion.State.PUBLISHED:
        messages.success(request, f"Published as version {done['version']}.")
    return redirect("admin:document", row.pk)  # where a failed one is told, with a way to try again


def _refused(request: HttpRequest, actor: Actor, row: Document, typed: Typed, refusal: HubError) -> HttpResponseBase:
    """Show the editor with what was typed, and why it was refused; beside theirs where somebody saved meanwhile."""
    row = document_of(actor, row.pk)
    frame = framed(actor, row)
    if refusal.details.get("reason") == "draft_changed":
        theirs = Typed.stored(row, frame["draft"])
        conflict = {"theirs": theirs, "by": refusal.details.get("updated_by"), "revision": row.revision}
        conflict |= compared(theirs, typed, "theirs", "yours")
        return _editor(request, row, typed, frame, status=refusal.status, conflict=conflict)
    if request.headers.get("X-Autosave"):
        return JsonResponse({"message": refusal.message}, status=refusal.status)
    return _editor(request, row, typed, frame, status=refusal.status, refusal=refusal, adding=request.POST)


def _editor(
    request: HttpRequest,
    row: Document,
    typed: Typed,
    frame: dict[str, Any],
    *,
    status: int = 200,
    **more: Any,  # noqa: ANN401
) -> HttpResponse:
    return page(
        request,
        "documents/edit.html",
        parts=("conflict", "preview"),
        title=f"Edit {typed.title or 'a document'}",
        status=status,
        typed=typed,
        sources=shown_sources(row.project, row.space, typed.sources),
        unchanged=typed.says(frame["draft"] or row.current),
        add_kinds=KINDS,
        **_offered(row.project, row),
        **frame,
        **more,
    )


def _offered(project: Project, row: Document) -> dict[str, Any]:
    """Answer what is at hand to be cited: as many as a list still helps with."""
    artifacts = Artifact.objects.filter(project=project).order_by("-pk").values_list("pk", "title")
    documents = Document.objects.filter(project=project, current__isnull=False).exclude(pk=row.pk).order_by("-pk")
    return {
        "pages": [found.path.removeprefix("/fs/") for found in all_pages(project)[:PAGES_OFFERED]],
        "artifacts": artifacts[:OFFERED],
        "documents": documents.values_list("pk", "current__title")[:OFFERED],
    }


@require_POST
@human_page
def preview(request: HttpRequest, actor: Actor, document: str) -> HttpResponseBase:
    """Show what was typed as readers would have it; nothing is saved."""
    row = document_of(actor, document)
    return _editor(request, row, Typed.of(request.POST), framed(actor, row), previewed=True)


@require_POST
@human_page
def publish(request: HttpRequest, actor: Actor, document: str) -> HttpResponseBase:
    """Publish a draft as it is stored, at the revision that was shown."""
    row = document_of(actor, document)
    try:
        return _published(request, actor, row, number_in(request.POST.get("expected_revision")))
    except HubError as refusal:
        messages.error(request, refusal.message)
    return redirect("admin:document", row.pk)


@require_POST
@human_page
def discard(request: HttpRequest, actor: Actor, document: str) -> HttpResponseBase:
    """Give up the draft of a published document, as it was shown."""
    row, seen = document_of(actor, document), number_in(request.POST.get("expected_revision"))
    with told(request, "The draft is given up; the published version is as it was."):
        discard_draft(actor, row.project_id, document=row.pk, expected_revision=seen)
    return redirect("admin:document", row.pk)


ROUTES = [
    ("document/<str:document>/edit/", edit, "document-edit"),
    ("document/<str:document>/preview/", preview, "document-preview"),
    ("document/<str:document>/publish/", publish, "document-publish"),
    ("document/<str:document>/discard/", discard, "document-discard"),
]
