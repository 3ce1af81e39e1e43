"""A project's documents: its spaces, what is in them, what waits; a new document, a new space (GOV-01, GOV-03)."""

from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import urlencode

from django.contrib import messages
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from core.actor import Actor
from core.errors import HubError
from core.operation import Right
from hubsite.pages.documents.frame import name_of
from identity.access import authorized
from identity.models import Agent
from identity.pages import human_page, newest_event, page
from knowledge.document_queries import documents_of, page_of, spaces_of
from knowledge.drift import drifted_documents, drifted_pages
from knowledge.models import Decision, Document, Draft, RepositoryFile, Review, Space
from knowledge.operations import create_document, create_space
from knowledge.sources import stale_documents
from projects.models import Project

PAGE: Final = 50
AGENTS: Final = 500
# What the list can be narrowed to beside a kind: states, and documents with a draft.
STATES: Final = (*Document.State.values, "drafts")


@human_page
def documents(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    """List a project's documents, newest first; archived ones only when asked for."""
    return _page(request, actor, authorized(actor, slug, Right.READ))


@require_POST
@human_page
def new_document(request: HttpRequest, actor: Actor, slug: str) -> HttpResponseBase:
    """Begin a document and go on in its editor; what was refused stays typed."""
    project = authorized(actor, slug, Right.WRITE)
    asked = {name: request.POST.get(name, "") for name in ("title", "kind", "space")}
    try:
        made = create_document(actor, slug, title=asked["title"], kind=asked["kind"], space=asked["space"] or None)
    except HubError as refusal:
        return _page(request, actor, project, refusal=refusal, typed=asked, form="document")
    return redirect("admin:document-edit", made["document"])


@require_POST
@human_page
def new_space(request: HttpRequest, actor: Actor, slug: str) -> HttpResponseBase:
    """Make a repository space; what was refused stays typed."""
    project = authorized(actor, slug, Right.READ)
    asked = {name: request.POST.get(name, "").strip() for name in ("name", "url", "sync_agent")}
    try:
        create_space(actor, slug, name=asked["name"], url=asked["url"], sync_agent=asked["sync_agent"] or None)
    except HubError as refusal:
        return _page(request, actor, project, refusal=refusal, typed=asked, form="space")
    messages.success(request, f"The space {asked['name']} is there.")
    return redirect("admin:documents", slug)


@human_page
def drifted(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    """List the pages that moved on since documents cited them."""
    project = authorized(actor, slug, Right.READ)
    return page(
        request,
        "documents/drifted.html",
        place=slug,
        title=f"Drifted pages of {project.name}",
        project=project,
        pages=drifted_pages(project),
    )


def _page(
    request: HttpRequest, actor: Actor, project: Project, refusal: HubError | None = None, **more: object
) -> HttpResponse:
    since = newest_event()
    wanted = {name: request.GET.get(name, "") for name in ("kind", "state", "space")}
    wanted["kind"] = wanted["kind"] if wanted["kind"] in Document.Kind.values else ""
    wanted["state"] = wanted["state"] if wanted["state"] in STATES else ""
    found = page_of(_wanted(actor, project, wanted), cursor=request.GET.get("before"), limit=PAGE)
    return page(
        request,
        "documents/documents.html",
        parts=("documents",),
        place=project.pk,
        title=f"Documents of {project.name}",
        status=refusal.status if refusal else 200,
        refusal=refusal,
        since=since,
        project=project,
        documents=listed(project, found.rows),
        older=found.next_cursor,
        before=request.GET.get("before", ""),
        wanted=wanted,
        spaces=_spaces(actor, project),
        repositories=Space.objects.filter(project=project, kind=Space.Kind.REPOSITORY).order_by("name"),
        kinds=Document.Kind.values,
        agents=Agent.objects.order_by("name").values_list("name", flat=True)[:AGENTS],
        **_chips(actor, project, wanted),
        **more,
    )


def _wanted(actor: Actor, project: Project, wanted: dict[str, str]) -> QuerySet[Document]:
    state = wanted["state"] if wanted["state"] in Document.State.values else None
    rows = documents_of(
        actor, project=project.pk, kind=wanted["kind"] or None, state=state, space=wanted["space"] or None
    )
    return rows.filter(draft__isnull=False) if wanted["state"] == "drafts" else rows


def listed(project: Project, rows: Sequence[Document]) -> Sequence[Document]:
    """Add to documents what their rows show; a fixed number of queries, however many there are."""
    ids = [row.pk for row in rows]
    stale, drifted = stale_documents(rows), drifted_documents(project, ids)
    reviewed = set(Review.objects.filter(document__in=ids, is_open=True).values_list("document", flat=True))
    for row in rows:
        draft: Draft | None = getattr(row, "draft", None)
        decision: Decision | None = getattr(row, "decision", None)
        vars(row).update(
            name=name_of(row, draft),
            has_draft=draft is not None,
            asked=decision,
            is_stale=row.pk in stale,
            is_drifted=row.pk in drifted,
            in_review=row.pk in reviewed,
            verified=row.current.verified_commit if row.current else "",
        )
    return rows


def _spaces(actor: Actor, project: Project) -> QuerySet[Space]:
    """Answer the spaces with who maintains them, how much is in them, and the commit last reported."""
    reported = RepositoryFile.objects.filter(space=OuterRef("pk")).order_by("-reported_at")
    spaces = spaces_of(actor, project.pk).select_related("sync_agent").prefetch_related("maintainers__user")
    return spaces.annotate(
        held=Count("documents", distinct=True),
        commit=Subquery(reported.values("commit")[:1]),
        reported_at=Subquery(reported.values("reported_at")[:1]),
    )


def _chips(actor: Actor, project: Project, wanted: dict[str, str]) -> dict[str, Any]:
    """Answer what the list can be narrowed to, each with its number and its address."""
    there = documents_of(actor, project=project.pk).order_by()
    kinds = dict(there.values_list("kind").annotate(n=Count("pk")))
    states = dict(Document.objects.filter(project=project).order_by().values_list("state").annotate(n=Count("pk")))
    states["drafts"] = there.filter(draft__isnull=False).count()
    return {
        "everything": _address(),
        "address": _address(**wanted),
        "states": [(name, states[name], _address(**{**wanted, "state": name})) for name in STATES if states.get(name)],
        "chips": [(name, kinds[name], _address(**{**wanted, "kind": name})) for name in kinds],
        "any_kind": _address(**{**wanted, "kind": ""}),
    }


def _address(**wanted: str) -> str:
    return "?" + urlencode({name: value for name, value in wanted.items() if value})


ROUTES = [
    ("project/<str:slug>/documents/", documents, "documents"),
    ("project/<str:slug>/documents/new/", new_document, "document-new"),
    ("project/<str:slug>/documents/spaces/new/", new_space, "space-new"),
    ("project/<str:slug>/documents/drifted/", drifted, "drifted"),
]
