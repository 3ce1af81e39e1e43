"""The search page: one box, answered as it is typed in; each hit leads to where it stands (SRC-01, SRC-03, HUM-01)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse

from core.actor import Actor
from core.errors import HubError
from identity.access import visible_projects
from identity.pages import human_page, page
from search.analyzer import QUERY_CHARS, terms_of
from search.landing import address_of
from search.queries import Asked, Found, Results, counts, search

PAGE: Final = 20
PROJECTS: Final = 300
FAMILIES: Final = {
    "event": "Events",
    "artifact": "Artifacts",
    "comment": "Comments",
    "brain": "Brains",
    "page": "Pages",
    "document": "Documents",
}

type Pieces = list[tuple[str, bool]]
"""A text in pieces, each with whether it is marked."""


@dataclass(frozen=True, slots=True)
class Filters:
    """What the address asks for; what makes no sense in it is passed over."""

    query: str
    family: str
    project: str
    after: date | None
    before: date | None

    @classmethod
    def of(cls, request: HttpRequest) -> "Filters":
        """Read an address."""
        given = request.GET
        family = given.get("family", "")
        return cls(
            given.get("q", "").replace("\0", " ")[:QUERY_CHARS],
            family if family in FAMILIES else "",
            given.get("project", "").replace("\0", " "),
            _day(given.get("after", "")),
            _day(given.get("before", "")),
        )

    @property
    def narrowed(self) -> bool:
        """Whether less than everything is searched."""
        return bool(self.family or self.project or self.after or self.before)

    @property
    def everywhere(self) -> str:
        """Answer the query of the same words, searched for everywhere."""
        return "?" + urlencode({"q": self.query})

    def address(self, **changed: str | None) -> str:
        """Answer the query of the same search with something changed."""
        wanted = {
            "q": self.query,
            "family": self.family,
            "project": self.project,
            "after": self.after,
            "before": self.before,
            **changed,
        }
        return "?" + urlencode({name: value for name, value in wanted.items() if value})

    def asked(self, cursor: str | None = None) -> Asked:
        """Answer what is to be searched. The last day is searched to its end."""
        return Asked(
            query=self.query,
            project=self.project or None,
            families=[self.family] if self.family else None,
            after=_midnight(self.after),
            before=_midnight(self.before + timedelta(days=1)) if self.before else None,
            limit=PAGE,
            cursor=cursor,
        )


@dataclass(frozen=True, slots=True)
class Shown:
    """A hit as its row shows it."""

    found: Found
    address: str
    title: Pieces
    snippet: Pieces


@human_page
def search_page(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show what is found; nothing typed here is an error."""
    filters = Filters.of(request)
    cursor = request.GET.get("cursor")
    answer = page(
        request,
        "search/search.html",
        parts=("results",),
        place="search",
        title=f"{filters.query[:60]} · Search" if filters.query.strip() else "Search",
        filters=filters,
        family_name=FAMILIES.get(filters.family, "").lower(),
        searchable=bool(terms_of(filters.query)),
        **_projects(actor, filters.project),
        **_found(actor, filters, cursor),
    )
    if "HX-Request" in request.headers and not cursor:
        answer["HX-Replace-Url"] = filters.address() if filters.query or filters.narrowed else request.path
    return answer


def _projects(actor: Actor, chosen: str) -> dict[str, Any]:
    """Answer the projects to choose from; one that is chosen is among them."""
    names = list(visible_projects(actor).order_by("name", "slug").values_list("slug", "name")[:PROJECTS])
    if chosen and chosen not in dict(names):
        names += visible_projects(actor).filter(slug=chosen).values_list("slug", "name")
    return {"projects": names, "project_name": dict(names).get(chosen, chosen)}


def _found(actor: Actor, filters: Filters, cursor: str | None) -> dict[str, Any]:
    try:
        results = search(actor, filters.asked(cursor))
        by_family = counts(actor, filters.asked())
    except HubError as refusal:  # there is no such project, or no such page of what was found
        return {"refusal": refusal.message if refusal.code == "not_found" else "This page of results is gone."}
    return {
        "hits": [_shown(found) for found in results.hits],
        "count": _number(results.count, results.count_capped),
        "results": results,
        "more": filters.address(cursor=results.next_cursor) if results.next_cursor else "",
        "chips": _chips(filters, results, by_family),
    }


def _shown(found: Found) -> Shown:
    title = found.hit.title
    return Shown(found, address_of(found), pieces(title, places(title, found.why)), pieces(found.snippet, found.marks))


def _chips(
    filters: Filters, results: Results, by_family: dict[str, tuple[int, bool]]
) -> list[tuple[str, str, str, bool]]:
    """Answer the families that found something, and the one chosen: name, count, address, whether it is chosen."""
    if not any(number for number, _ in by_family.values()):
        return []
    everything = "" if filters.family else _number(results.count, results.count_capped)
    chips = [("Everything", everything, filters.address(family=None), not filters.family)]
    for name, label in FAMILIES.items():
        number, capped = by_family.get(name, (0, False))
        if number or name == filters.family:
            chips.append((label, _number(number, capped), filters.address(family=name), name == filters.family))
    return chips


def pieces(text: str, marks: Sequence[tuple[int, int]]) -> Pieces:
    """Cut a text at its marks, which come in order and do not overlap."""
    cuts: Pieces = []
    done = 0
    for start, end in marks:
        cuts += [(text[done:start], False), (text[start:end], True)]
        done = end
    return [(piece, marked) for piece, marked in [*cuts, (text[done:], False)] if piece]


def places(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """Find words in a text as they are written, the longer first; none within another."""
    taken: list[tuple[int, int]] = []
    for word in sorted(words, key=len, reverse=True):
        taken += [
            (start, start + len(word))
            for start in _starts(text, word)
            if all(start >= end or start + len(word) <= first for first, end in taken)
        ]
    return sorted(taken)


def _starts(text: str, word: str) -> Iterator[int]:
    start = text.find(word) if word else -1
    while start >= 0:
        before, after = text[:start][-1:], text[start + len(word) :][:1]
        if not (word.isascii() and (before.isalnum() or after.isalnum())):
            yield start
        start = text.find(word, start + len(word))


def _number(number: int, capped: bool) -> str:  # noqa: FBT001 - as search counts
    return f"{number:,}{'+' if capped else ''}"


def _day(given: str) -> date | None:
    try:
        day = date.fromisoformat(given)
    except ValueError:
        return None
    return day if 1970 <= day.year < 9999 else None  # noqa: PLR2004 - what both databases can compare


def _midnight(day: date | None) -> datetime | None:
    return datetime.combine(day, time.min, UTC) if day else None


ROUTES = [("search/", search_page, "search")]
