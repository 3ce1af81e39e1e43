"""A project's feed: newest first, with the mark of how far you had looked (HUB-04, HUB-07, IDN-06)."""

from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse

from core.actor import Actor
from core.operation import Right
from identity.access import authorized
from identity.pages import human_page, newest_event, page
from inbox.models import InboxItem
from projects.models import Event, FeedCursor, Kind, Project
from projects.operations import open_feed
from projects.queries import FeedPage, events_of, read_feed
from sessions_app.models import Session
from sessions_app.queries import sessions_of

PAGE: Final = 50
SESSION_CHIPS: Final = 8
# Chips count up to here, so that their cost does not grow with the feed.
COUNTED: Final = 1000
KINDS: Final = [kind for kind in Kind.values if kind != Kind.SYSTEM]


@dataclass(frozen=True, slots=True)
class Filters:
    """What the address asks for."""

    kind: str
    session: str
    before: str | None

    @property
    def whole(self) -> bool:
        """Whether this is the feed itself, from its newest event."""
        return not (self.kind or self.session or self.before)

    def address(self, **changed: str | None) -> str:
        """Answer the query of the same view with something changed; leaving a filter goes back to the newest."""
        wanted = {"kind": self.kind, "session": self.session, **changed}
        return "?" + urlencode({name: value for name, value in wanted.items() if value})


@human_page
def feed(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    """Show a feed. Opening it moves the cursor to the newest event shown."""
    project = authorized(actor, slug, Right.READ)
    since = newest_event()
    filters = Filters(request.GET.get("kind", ""), request.GET.get("session", ""), request.GET.get("before"))
    shown = _read(project, filters)
    seen = request.GET.get("seen") or FeedCursor.objects.filter(project=project).values_list("event", flat=True).first()
    if filters.whole and _is_looked_at(request):
        _look(actor, project, shown, seen)
    return page(
        request,
        "projects/feed.html",
        parts=("feed",),
        place=slug,
        title=project.name,
        project=project,
        since=since,
        seen=seen or "",
        filters=filters,
        **_rows(shown, seen or ""),
        **_chips(actor, project, filters),
    )


def _read(project: Project, filters: Filters) -> FeedPage:
    events = events_of(
        project,
        kinds=[filters.kind] if filters.kind in Kind.values else (),
        session=filters.session or None,
        system=filters.kind == Kind.SYSTEM,
    )
    return read_feed(events, since=None, before=filters.before, limit=PAGE)


def _is_looked_at(request: HttpRequest) -> bool:
    """Whether a person opened the page: an image in a text that points here is not one."""
    return request.headers.get("Sec-Fetch-Dest", "document") in {"document", "empty"}


def _look(actor: Actor, project: Project, shown: FeedPage, seen: str | None) -> None:
    if shown.events and shown.events[0].pk > (seen or ""):
        open_feed(actor, project.slug, event=shown.events[0].pk)


def _rows(shown: FeedPage, seen: str) -> dict[str, Any]:
    """Answer the rows with what belongs to them, each read in one query."""
    ids = [event.pk for event in shown.events]
    asked = {item.pk: item for item in InboxItem.objects.filter(pk__in=ids)}
    names = dict(Session.objects.filter(pk__in={event.session for event in shown.events}).values_list("pk", "name"))
    first_seen = next((event.pk for event in shown.events if event.pk <= seen), None)
    for event in shown.events:
        vars(event).update(
            asked=asked.get(event.pk),
            session_name=names.get(event.session or ""),
            unseen=bool(seen) and event.pk > seen,
        )
    divider = first_seen if ids and first_seen != ids[0] else None
    return {"events": shown.events, "older": shown.next_before, "divider": divider}


def _chips(actor: Actor, project: Project, filters: Filters) -> dict[str, Any]:
    counts = [(kind, _count(project, kind, filters.session)) for kind in [*KINDS, Kind.SYSTEM.value]]
    sessions = list(sessions_of(actor, project=project.slug)[:SESSION_CHIPS])
    if filters.session and filters.session not in {session.pk for session in sessions}:
        sessions += Session.objects.filter(pk=filters.session, project=project, deleted_at__isnull=True)
    return {
        "chips": [(kind, number, filters.address(kind=kind)) for kind, number in counts if number],
        "session_chips": [(session, filters.address(session=session.pk)) for session in sessions],
        "counted": COUNTED,
        "everything": filters.address(kind=None),
        "all_sessions": filters.address(session=None),
    }


def _count(project: Project, kind: str, session: str) -> int:
    events = Event.objects.filter(project=project, kind=kind)
    return (events.filter(session=session) if session else events)[: COUNTED + 1].count()


ROUTES = [("project/<str:slug>/", feed, "feed")]
