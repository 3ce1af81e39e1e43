"""Where a hit leads in the browser: the page where it stands, told which words to mark there."""

from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import quote, urlencode

from django.urls import reverse

from core.ids import following
from search.queries import Found

# An address is kept short: so many characters of words are marked where it leads.
_MARKED_CHARS: Final = 200

type _Place = tuple[str, dict[str, Any], str]
"""An address, what its query holds, and the id of the element there."""


def address_of(found: Found) -> str:
    """Answer the address of a hit."""
    address, query, element = _PLACES[found.family](found.project, found.hit.shows)
    words = _words(found.why)
    given = urlencode({**query, "mark": words} if words else query, quote_via=quote)
    return address + (f"?{given}" if given else "") + (f"#{element}" if element else "")


def _words(why: list[str]) -> str:
    words = ""
    for word in why:
        longer = f"{words} {word}".lstrip()
        if len(longer) <= _MARKED_CHARS:
            words = longer
    return words


def _event(project: str, shows: Mapping[str, Any]) -> _Place:
    """Lead to the item of what was asked; to any other event where it stands in its feed."""
    if shows["kind"] in {"question", "approval"}:
        return reverse("admin:inbox-item", args=[shows["event"]]), {}, ""
    if shows["kind"] == "answer" and shows["thread"]:
        return reverse("admin:inbox-item", args=[shows["thread"]]), {}, ""
    before = {"before": following(shows["event"])}
    return reverse("admin:feed", args=[project]), before, f"event-{shows['event']}"


def _artifact(_: str, shows: Mapping[str, Any]) -> _Place:
    return reverse("admin:artifact", args=[shows["artifact"]]), {}, ""


def _comment(_: str, shows: Mapping[str, Any]) -> _Place:
    address = reverse("admin:artifact", args=[shows["artifact"]])
    return address, {"comment": shows["comment"]}, f"comment-{shows['comment']}"


def _brain(_: str, shows: Mapping[str, Any]) -> _Place:
    return reverse("admin:brain", args=[shows["session"], shows["path"].removeprefix("/")]), {}, ""


def _page(project: str, shows: Mapping[str, Any]) -> _Place:
    return reverse("admin:knowledge-page", args=[project, shows["path"].removeprefix("/fs/")]), {}, ""


def _document(_: str, shows: Mapping[str, Any]) -> _Place:
    """Lead to the heading the words stand under."""
    under = {"under": shows["heading"]} if shows["heading"] else {}
    return reverse("admin:document", args=[shows["document"]]), under, ""


_PLACES: Final[Mapping[str, Callable[[str, Mapping[str, Any]], _Place]]] = {
    "event": _event,
    "artifact": _artifact,
    "comment": _comment,
    "brain": _brain,
    "page": _page,
    "document": _document,
}
