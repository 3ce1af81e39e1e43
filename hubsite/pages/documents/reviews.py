"""The review queue: what authors ask maintainers to publish, each with what it would change (GOV-09)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from core.actor import Actor
from core.errors import HubError
from core.ids import parse
from hubsite.pages.documents.changes import compared
from hubsite.pages.documents.frame import name_of
from identity.access import visible_projects
from identity.pages import human_page, newest_event, page
from inbox.operations import decide
from inbox.queries import item_of
from knowledge.models import Draft, Maintainer, Review
from projects.models import Event

PAGE: Final = 20


@dataclass(frozen=True, slots=True)
class Asked:
    """A request for review, with what a maintainer needs to decide it."""

    review: Review
    event: Event
    name: str
    draft: Draft | None
    maintainers: Sequence[str]
    maintains: bool
    changes: dict[str, Any]

    @property
    def has_moved(self) -> bool:
        """Whether the draft is another than was submitted."""
        return self.review.revision != self.review.document.revision


@human_page
def reviews(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show the open requests, oldest first."""
    return _page(request, actor)


@require_POST
@human_page
def review(request: HttpRequest, actor: Actor, event: str) -> HttpResponseBase:
    """Approve, which publishes exactly the revision that was submitted, or decline; a refused one stays open."""
    item, note = item_of(actor, event), request.POST.get("note", "")
    approved = request.POST.get("decision") == "approve"
    try:
        decide(actor, item.project_id, item=item.pk, approved=approved, note=note)
    except HubError as refusal:
        return _page(request, actor, refusal=refusal, refused=item.pk, typed=note)
    messages.success(request, "Published." if approved else "Declined. Who asked is told.")
    return redirect("admin:reviews")


def _page(request: HttpRequest, actor: Actor, refusal: HubError | None = None, **more: object) -> HttpResponse:
    since, after = newest_event(), request.GET.get("after")
    rows = _open(actor)
    found = list((rows.filter(pk__gt=parse(after, "after")) if after else rows)[: PAGE + 1])
    return page(
        request,
        "documents/reviews.html",
        parts=("reviews",),
        place="inbox",
        title="Reviews",
        status=refusal.status if refusal else 200,
        refusal=refusal,
        since=since,
        reviews=asked(actor, found[:PAGE]),
        later=found[PAGE - 1].pk if len(found) > PAGE else None,
        after=after or "",
        **more,
    )


def _open(actor: Actor) -> QuerySet[Review]:
    rows = Review.objects.filter(is_open=True, document__project__in=visible_projects(actor))
    related = ("document__space", "document__project", "document__current", "document__draft", "document__decision")
    return rows.select_related(*related).order_by("pk")


def asked(actor: Actor, rows: Iterable[Review]) -> list[Asked]:
    """Answer requests with what belongs to them; a fixed number of queries, however many there are."""
    rows = list(rows)
    events = Event.objects.in_bulk([row.pk for row in rows])
    people: dict[str, dict[str, int]] = {}
    spaces = {row.document.space_id for row in rows}
    for space, name, pk in (
        Maintainer.objects.filter(space__in=spaces)
        .order_by("user__username")
        .values_list("space", "user__username", "user")
    ):
        people.setdefault(space, {})[name] = pk
    return [_asked(actor, row, events[row.pk], people.get(row.document.space_id, {})) for row in rows]


def _asked(actor: Actor, row: Review, event: Event, people: dict[str, int]) -> Asked:
    document = row.document
    draft: Draft | None = getattr(document, "draft", None)
    current = document.current
    before = f"version {current.number}" if current else "nothing published"
    changes = (
        compared(current, draft, before, f"revision {draft.revision}") if draft else {"why_not": "No draft is left."}
    )
    return Asked(
        review=row,
        event=event,
        name=name_of(document, draft),
        draft=draft,
        maintainers=list(people),
        maintains=actor.key in people.values(),
        changes=changes,
    )


ROUTES = [
    ("reviews/", reviews, "reviews"),
    ("reviews/<str:event>/decision/", review, "review-decision"),
]
