"""Reading feeds. Every function takes the projects its caller may read; nothing here widens them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from core.ids import parse
from core.page import DEFAULT_REPLY_BYTES, Page, check_limit, cut
from core.times import rfc3339
from projects.models import Event, FeedCursor, Kind, Project

HIDDEN_FROM_AGENTS = (Kind.SYSTEM,)


@dataclass(frozen=True, slots=True)
class FeedPage:
    """One page of a feed. ``next_since`` continues towards the newest, ``next_before`` towards the oldest."""

    events: list[Event]
    next_since: str | None
    next_before: str | None
    truncated: bool

    def first(self, number: int) -> "FeedPage":
        """Answer the page cut to its first events, its cursors moved to match."""
        if number >= len(self.events):
            return self
        shown = self.events[:number]
        if self.next_since == self.events[-1].pk:
            return FeedPage(shown, shown[-1].pk, None, truncated=True)
        return FeedPage(shown, self.next_since, shown[-1].pk, truncated=True)


def events_of(
    project: Project,
    *,
    kinds: Iterable[str] = (),
    session: str | None = None,
    actor: str | None = None,
    system: bool = False,
) -> QuerySet[Event]:
    """Answer a feed's events, filtered. System events come only with ``system`` (IDN-06)."""
    events = Event.objects.filter(project=project)
    wanted = set(kinds) or set(Kind.values)
    if not system:
        wanted.discard(Kind.SYSTEM)
    if wanted != set(Kind.values) - ({Kind.SYSTEM} if not system else set()):
        events = events.filter(kind__in=sorted(wanted))
    elif not system:
        events = events.exclude(kind=Kind.SYSTEM)
    if session is not None:
        events = events.filter(session=parse(session, "session"))
    if actor is not None:
        events = events.filter(actor=actor)
    return events


def read_feed(events: QuerySet[Event], *, since: str | None, before: str | None, limit: int) -> FeedPage:
    """Page a feed by event id, never by offset (HUB-04): oldest first after `since`, else newest first."""
    check_limit(limit)
    if since is not None:
        rows = list(events.filter(pk__gt=parse(since, "since")).order_by("pk")[: limit + 1])
        shown = rows[:limit]
        return FeedPage(shown, shown[-1].pk if shown else parse(since, "since"), None, len(rows) > limit)
    if before is not None:
        events = events.filter(pk__lt=parse(before, "before"))
    page: Page[Event] = cut(list(events.order_by("-pk")[: limit + 1]), limit, lambda event: event.pk)
    shown = list(page.rows)
    return FeedPage(shown, shown[0].pk if shown else None, page.next_cursor, page.truncated)


def unseen(project: Project) -> QuerySet[Event]:
    """Answer the non-system events above the human's cursor (HUB-07)."""
    cursor = FeedCursor.objects.filter(project=project).values_list("event", flat=True).first() or ""
    return Event.objects.filter(project=project, pk__gt=cursor).exclude(kind=Kind.SYSTEM)


def with_unseen(projects: QuerySet[Project]) -> QuerySet[Project]:
    """Add ``unseen``: per project one seek above its cursor (HUB-07)."""
    above = (
        Event.objects.filter(project=OuterRef("pk"), pk__gt=OuterRef("looked_to"))
        .exclude(kind=Kind.SYSTEM)
        .order_by()
        .values("project")
        .annotate(number=Count("pk"))
        .values("number")
    )
    return projects.annotate(looked_to=Coalesce("cursor__event", Value(""))).annotate(
        unseen=Coalesce(Subquery(above), 0)
    )


def event_json(event: Event) -> dict[str, Any]:
    """Answer an event as every face shows it."""
    return {
        "id": event.pk,
        "project": event.project_id,
        "kind": event.kind,
        "actor": event.actor,
        "session": event.session,
        "thread": event.thread,
        "summary": event.summary,
        "payload": event.payload,
        "created_at": rfc3339(event.created_at),
    }


def brief_event(event: Event, most: int = DEFAULT_REPLY_BYTES // 2) -> dict[str, Any]:
    """Answer an event whose payload, past `most` characters, is named by its size only."""
    shown = event_json(event)
    size = len(str(event.payload))
    if size > most:
        shown["payload"] = {"omitted_chars": size, "hint": "feed_read with limit reads it whole."}
    return shown
