"""Decisions: the register of a project, and what maintainers do with one (GOV-08)."""

from typing import Final

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from core.actor import Actor
from core.errors import HubError
from core.operation import Right
from hubsite.pages.documents.chains import chains
from hubsite.pages.documents.frame import name_of
from identity.access import authorized
from identity.pages import human_page, newest_event, number_in, page, told
from knowledge.document_queries import document_of
from knowledge.models import Decision, DocumentVersion
from knowledge.operations import accept_decision, reject_decision, revoke_decision, supersede_decisions
from knowledge.roles import is_author

LISTED: Final = 500


@human_page
def decisions(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    """Show every decision of a project by number, newest first, and which took the place of which."""
    project = authorized(actor, slug, Right.READ)
    since = newest_event()
    related = ("document__current", "document__draft", "superseded_by")
    rows = Decision.objects.filter(project=project).select_related(*related).order_by("-number")
    if not is_author(actor, slug):
        rows = rows.exclude(document__current__isnull=True)
    status = request.GET.get("status", "")
    narrowed = rows.filter(status=status) if status in Decision.Status.values else rows
    shown = list(narrowed[:LISTED])
    for row in shown:
        vars(row)["name"] = name_of(row.document, getattr(row.document, "draft", None))
    return page(
        request,
        "documents/decisions.html",
        parts=("decisions",),
        place=slug,
        title=f"Decisions of {project.name}",
        since=since,
        project=project,
        decisions=shown,
        chains=chains(project),
        wanted=status,
        statuses=Decision.Status.values,
    )


@require_POST
@human_page
def accept(request: HttpRequest, actor: Actor, document: str) -> HttpResponseBase:
    """Accept a proposed decision as it was shown, and end what it takes the place of."""
    row = document_of(actor, document)
    with told(request):
        done = accept_decision(
            actor,
            row.project_id,
            document=row.pk,
            expected_revision=number_in(request.POST.get("expected_revision")),
            supersedes=request.POST.getlist("supersedes"),
        )
        if done["state"] != DocumentVersion.State.PUBLISHED:
            raise HubError("conflict", f"It could not be published: {done['error']}")
    return redirect("admin:document", row.pk)


@require_POST
@human_page
def supersede(request: HttpRequest, actor: Actor, document: str) -> HttpResponseBase:
    """Let an accepted decision take the place of others."""
    row, others = document_of(actor, document), request.POST.getlist("supersedes")
    with told(request):
        supersede_decisions(actor, row.project_id, document=row.pk, supersedes=others)
    return redirect("admin:document", row.pk)


@require_POST
@human_page
def reject(request: HttpRequest, actor: Actor, document: str) -> HttpResponseBase:
    """Reject a proposed decision."""
    row = document_of(actor, document)
    with told(request):
        reject_decision(actor, row.project_id, document=row.pk, reason=request.POST.get("reason", ""))
    return redirect("admin:document", row.pk)


@require_POST
@human_page
def revoke(request: HttpRequest, actor: Actor, document: str) -> HttpResponseBase:
    """Revoke an accepted decision, saying why."""
    row = document_of(actor, document)
    with told(request):
        revoke_decision(actor, row.project_id, document=row.pk, reason=request.POST.get("reason", ""))
    return redirect("admin:document", row.pk)


ROUTES = [
    ("project/<str:slug>/decisions/", decisions, "decisions"),
    ("document/<str:document>/accept/", accept, "decision-accept"),
    ("document/<str:document>/supersede/", supersede, "decision-supersede"),
    ("document/<str:document>/reject/", reject, "decision-reject"),
    ("document/<str:document>/revoke/", revoke, "decision-revoke"),
]
