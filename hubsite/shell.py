"""The frame around every page: navigation with what waits, and which projects hold something new."""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from core.actor import Actor
from identity.access import visible_projects
from identity.pages import newest_event
from inbox.models import OPEN, InboxItem, Status
from projects.models import Event, FeedCursor, Kind, Project

NAV_PROJECTS = 30


@dataclass(frozen=True, slots=True)
class Shell:
    """What the navigation shows. ``since`` is the newest event that it may have seen."""

    since: str
    needs_you: int
    unread: int
    projects: list[Project]
    more_projects: bool


def with_new(projects: QuerySet[Project]) -> QuerySet[Project]:
    """Add ``unseen``: whether anything lies above the cursor. One seek a project, however much there is (HUB-07)."""
    cursor = FeedCursor.objects.filter(project=OuterRef(OuterRef("pk"))).values("event")
    above = Event.objects.filter(project=OuterRef("pk"), pk__gt=Coalesce(Subquery(cursor), Value(""))).exclude(
        kind=Kind.SYSTEM
    )
    return projects.annotate(unseen=Exists(above))


def shell_of(actor: Actor) -> Shell:
    """Read what the navigation shows, in a fixed number of queries."""
    since = newest_event()
    projects = list(with_new(visible_projects(actor).filter(personal=False)).order_by("name")[: NAV_PROJECTS + 1])
    return Shell(
        since=since,
        needs_you=InboxItem.objects.filter(status__in=OPEN).count(),
        unread=InboxItem.objects.filter(status=Status.UNREAD).count(),
        projects=projects[:NAV_PROJECTS],
        more_projects=len(projects) > NAV_PROJECTS,
    )
