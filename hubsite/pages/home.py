"""Home: what waits on you, who is at work, what is new; and the way to the model admin."""

from typing import Final

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from core.actor import Actor
from identity.access import visible_projects
from identity.models import Agent
from identity.pages import human_page, newest_event, page
from inbox.jobs import expire_due
from inbox.models import OPEN, Status
from inbox.queries import items
from projects.models import Event, FeedCursor, Kind
from sessions_app.activity import active_agents

WAITING: Final = 5
NEWEST: Final = 20
# What happens to sessions and behind the scenes is read in the project's own feed.
QUIET: Final = (Kind.SYSTEM, Kind.SESSION)


@human_page
def home(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show home."""
    expire_due()
    since = newest_event()
    waiting = items(statuses=OPEN)
    projects = visible_projects(actor)
    return page(
        request,
        "hubsite/home.html",
        parts=("home",),
        place="home",
        title="Home",
        since=since,
        waiting=list(waiting[:WAITING]),
        waiting_count=waiting.count(),
        unread_count=items(statuses=[Status.UNREAD]).count(),
        agents=list(active_agents().order_by("name")),
        any_agent=Agent.objects.filter(last_seen_at__isnull=False).exists(),
        newest=_newest(),
        spaces=list(projects.filter(personal=True).select_related("agent").order_by("slug")[:NEWEST]),
    )


def _newest() -> list[Event]:
    events = list(Event.objects.exclude(kind__in=QUIET).select_related("project").order_by("-pk")[:NEWEST])
    seen = dict(FeedCursor.objects.filter(project__in={event.project_id for event in events}).values_list())
    for event in events:
        vars(event)["unseen"] = event.pk > seen.get(event.project_id, "")
    return events


@human_page
def nav(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show the navigation alone, for live updates."""
    return TemplateResponse(
        request, "parts/nav_live.html", {**admin.site.each_context(request), "place": request.GET.get("place", "")}
    )


@human_page
def manage(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show what the model admin holds."""
    apps = admin.site.get_app_list(request)
    return page(request, "hubsite/manage.html", place="manage", title="Admin", apps=apps)


ROUTES = [("", home, "index"), ("nav/", nav, "nav"), ("manage/", manage, "manage")]
