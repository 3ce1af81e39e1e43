"""The only way into a feed."""

from collections.abc import Callable
from functools import cache
from typing import Any, Final

from django.utils import timezone
from django.utils.module_loading import import_string

from core import ids, limits, live
from core.actor import Actor
from core.errors import HubError
from projects.models import Event, EventClock, Kind, Project

UNCOUNTED = (Kind.SESSION, Kind.SYSTEM)
INDEX: Final = "search.search_families.index_event"
"""The function that indexes an event in the same transaction; named, since higher apps are not imported here."""


def _next_id() -> str:
    """Mint the next event id. Holding the clock's row until the commit makes id order commit order (HUB-02)."""
    clock = EventClock.objects.select_for_update().first()
    if clock is None:
        EventClock.objects.bulk_create([EventClock(last=str(ids.fresh()))], ignore_conflicts=True)
        clock = EventClock.objects.select_for_update().get()
    minted = ids.after(clock.last)
    EventClock.objects.update(last=minted)
    return minted


def append(  # noqa: PLR0913 - the columns of an event
    project: Project,
    kind: Kind,
    actor: Actor,
    summary: str,
    *,
    payload: dict[str, Any] | None = None,
    session: str | None = None,
    thread: str | None = None,
    starts_thread: bool = False,
) -> Event:
    """Append an event in the caller's transaction and announce it after the commit.

    Call it as late as possible: it orders the hub's commits from here on. ``starts_thread`` makes the event the head
    of its own thread. `rate_limited` when the feed is full: for agents, not for the answer of a person or a deadline.
    """
    if actor.is_agent and kind not in UNCOUNTED:
        check_room(project)
    minted = _next_id()
    event = Event.objects.create(
        id=minted,
        project=project,
        kind=kind,
        actor=str(actor),
        session=session,
        thread=minted if starts_thread else thread,
        summary=summary,
        payload=payload or {},
        created_at=timezone.now(),
    )
    _index()(event)
    live.announce(f"project:{project.slug}", event=minted, kind=kind)
    if event.thread and not starts_thread:
        live.announce(f"thread:{event.thread}", event=minted)
    return event


@cache
def _index() -> Callable[[Event], None]:
    index: Callable[[Event], None] = import_string(INDEX)
    return index


_room: dict[str, int] = {}


def check_room(project: Project) -> None:
    """Refuse the event that would exceed a feed's limit. Rows are counted once in a thousand appends, not each time."""
    left = _room.get(project.slug, 0)
    if left <= 0:
        stored = Event.objects.filter(project=project).exclude(kind__in=UNCOUNTED).count()
        if stored >= limits.EVENTS_PER_PROJECT:
            raise HubError("rate_limited", "This project's feed is full.", limit=limits.EVENTS_PER_PROJECT)
        left = min(1000, limits.EVENTS_PER_PROJECT - stored)
    _room[project.slug] = left - 1


def forget(project: Project) -> None:
    """Forget what was counted of a project that is deleted."""
    _room.pop(project.slug, None)
