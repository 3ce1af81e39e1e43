"""What every page of the browser shares: who looks, how a refusal is shown, and fragments for live updates."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from core.actor import Actor
from core.errors import HubError
from identity.actors import human_from_request
from projects.models import EventClock

type View = Callable[..., HttpResponse]


def newest_event() -> str:
    """Answer the newest event id: what a page read after it shows, so a browser can ask for what came later."""
    return EventClock.objects.values_list("last", flat=True).first() or ""


def human_page(view: Callable[..., HttpResponse]) -> View:
    """Make ``view(request, actor, **path)`` a page: it gets the person who looks, and a refusal becomes a page."""

    @wraps(view)
    def run(request: HttpRequest, **kwargs: Any) -> HttpResponse:
        try:
            actor: Actor = human_from_request(request)
            return view(request, actor, **kwargs)
        except HubError as refusal:
            return page(request, "hubsite/problem.html", status=refusal.status, refusal=refusal, title="Not here")

    return run


def page(
    request: HttpRequest,
    template: str,
    *,
    parts: tuple[str, ...] = (),
    place: str = "",
    status: int = 200,
    **context: Any,
) -> TemplateResponse:
    """Answer a page, or the one fragment of it that htmx asked for by its element's id (see ``static/live.js``)."""
    wanted = request.headers.get("HX-Target", "").partition("#")[2]
    name = f"{template}#{wanted}" if wanted in parts else template
    return TemplateResponse(
        request, name, {**admin.site.each_context(request), "place": place, **context}, status=status
    )
