"""What every page of the browser shares: who looks, refusals, fragments for live updates, stored files."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, Final, Protocol

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.utils.http import content_disposition_header

from core.errors import HubError, not_found
from identity.actors import human_from_request
from projects.models import EventClock

type View = Callable[..., HttpResponseBase]
IMAGES: Final = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
}


def newest_event() -> str:
    """Answer the newest event id: what a page read after it shows, so a browser can ask for what came later."""
    return EventClock.objects.values_list("last", flat=True).first() or ""


def human_page(view: View) -> View:
    """Make ``view(request, actor, **path)`` a page: it gets the person who looks, and a refusal becomes a page."""

    @wraps(view)
    def run(request: HttpRequest, **kwargs: Any) -> HttpResponseBase:  # noqa: ANN401 - what the address holds
        try:
            return view(request, human_from_request(request), **kwargs)
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
    **context: Any,  # noqa: ANN401 - what the template shows
) -> TemplateResponse:
    """Answer a page, or the one fragment of it that htmx asked for by its element's id (see ``static/live.js``)."""
    wanted = request.headers.get("HX-Target", "").partition("#")[2]
    name = f"{template}#{wanted}" if wanted in parts else template
    return TemplateResponse(
        request, name, {**admin.site.each_context(request), "place": place, **context}, status=status
    )


@contextmanager
def told(request: HttpRequest, done: str = "") -> Iterator[None]:
    """Tell the person on the next page that it was done, or why it was refused."""
    try:
        yield
    except HubError as refusal:
        messages.error(request, refusal.message)
    else:
        if done:
            messages.success(request, done)


class HasPath(Protocol):
    """Anything of a listing."""

    @property
    def path(self) -> str:
        """Where it is."""


def number_in(given: str | None) -> int | None:
    """Answer the number an address or a form names; `not_found` for what is no number."""
    if not given:
        return None
    if not (given.isascii() and given.isdecimal() and len(given) < 10):  # noqa: PLR2004 - the column's reach
        raise not_found("version")
    return int(given)


def ending(path: str) -> str:
    """Answer the ending of a file's name, without the dot."""
    return path.rpartition("/")[2].rpartition(".")[2].lower()


def is_below(rows: Iterable[HasPath], directory: str) -> bool:
    """Tell whether anything lies below a directory and nothing is called exactly so."""
    below = False
    for row in rows:
        if row.path == directory:
            return False
        below = below or row.path.startswith(directory.rstrip("/") + "/")
    return below


def raw(path: str, content: bytes) -> HttpResponse:
    """Answer stored bytes: an image as itself, anything else as plain text; never as a page of this origin."""
    response = HttpResponse(content, content_type=IMAGES.get(ending(path), "text/plain; charset=utf-8"))
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["X-Content-Type-Options"] = "nosniff"
    name = content_disposition_header(as_attachment=False, filename=path.rpartition("/")[2])
    if name:
        response["Content-Disposition"] = name
    return response
