"""Searching, under the caller's rights."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import Any, Final

from core.actor import Actor
from core.errors import invalid
from core.ids import parse
from core.moment import one_moment
from core.operation import Right
from core.page import check_limit, fitting
from core.times import rfc3339
from identity.access import authorized, visible_projects
from projects.models import Project
from search.analyzer import terms_of
from search.families import Family, Hit, chosen, families
from search.following import catch_up
from search.matching import MANY, Place
from search.ranking import Ranking, Row, ranked
from search.snippets import Wanted, cut

DEFAULT_LIMIT: Final = 20
MAX_LIMIT: Final = 100


@dataclass(frozen=True, slots=True)
class Asked:
    """What a caller looks for, and where."""

    query: str
    project: str | None = None
    families: Sequence[str] | None = None
    session: str | None = None
    after: datetime | None = None
    before: datetime | None = None
    limit: int | None = None
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """One hit: what its family tells of it, and where in its text the words are.

    ``marks`` are offsets in the snippet, ``why`` the words found, as they are written there.
    """

    family: str
    project: str
    project_name: str
    hit: Hit
    snippet: str
    marks: list[tuple[int, int]]
    why: list[str]

    def as_json(self) -> dict[str, Any]:
        """Answer the hit as every face shows it; what its family ``shows`` comes last."""
        return {
            "family": self.family,
            "project": self.project,
            "project_name": self.project_name,
            "title": self.hit.title,
            "snippet": self.snippet,
            "marks": self.marks,
            "at": rfc3339(self.hit.at),
            "actor": self.hit.actor,
            "why": self.why,
            **self.hit.shows,
        }


@dataclass(frozen=True, slots=True)
class Results:
    """One page of hits, best first. ``count`` is exact unless ``count_capped``; ``degraded`` see `Family`."""

    hits: Sequence[Found]
    count: int
    count_capped: bool
    next_cursor: str | None
    took_ms: float
    degraded: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Answer the JSON every face shows: hits by family, the family with the best hit first."""
        by_family: dict[str, list[dict[str, Any]]] = {}
        for found in self.hits:
            by_family.setdefault(found.family, []).append(found.as_json())
        return {
            "families": [{"family": family, "hits": hits} for family, hits in by_family.items()],
            "count": self.count,
            "count_capped": self.count_capped,
            "truncated": self.next_cursor is not None,
            "next_cursor": self.next_cursor,
            "took_ms": self.took_ms,
            **({"degraded": self.degraded} if self.degraded else {}),
        }


def search(actor: Actor, asked: Asked) -> Results:
    """Answer what the caller may read and is looking for, best first; nothing asked is nothing found.

    `not_found` for a project that is hidden or not there, `invalid_argument` for a family or a cursor there is not.
    """
    began = time.perf_counter()
    limit = DEFAULT_LIMIT if asked.limit is None else check_limit(asked.limit, MAX_LIMIT)
    kinds = {family.name: family for family in chosen(asked.families)}
    offset, newest = _cursor(asked.cursor)
    where, terms = _where(actor, asked.project), terms_of(asked.query)
    ranking = Ranking(iter(()), 0, capped=False, newest=0)
    if terms and where.names:
        catch_up(kinds.values(), where.names)
    with one_moment():  # what is replaced meanwhile is found as it was or as it is: once
        if terms and where.known:
            ranking = ranked(terms, _place(actor, asked, where, newest))
        page = _Reader(actor, kinds, where.known, Wanted.of(terms)).page(ranking, offset, limit)
    if asked.limit is None:
        page = page.first(fitting([found.as_json() for found in page.hits]))
    after = f"{page.ends[-1]}.{ranking.newest}" if page.more else None
    took = round((time.perf_counter() - began) * 1000, 1)
    count = ranking.count if ranking.capped else ranking.count - page.gone
    degraded = next(filter(None, (family.degraded() for family in kinds.values() if family.degraded)), None)
    return Results(page.hits, count, ranking.capped, after, took, degraded)


def counts(actor: Actor, asked: Asked) -> dict[str, tuple[int, bool]]:
    """Answer, by family, how many it would find if it alone were asked, and whether there are more than that.

    Reads the index alone: what is gone meanwhile, or shown to nobody, counts.
    """
    where, terms = _where(actor, asked.project), terms_of(asked.query)
    if not terms or not where.known:
        return {}
    catch_up(families().values(), where.names)
    place = _place(actor, asked, where, None)
    found = {name: ranked(terms, replace(place, families=[name])) for name in sorted(families())}
    return {name: (ranking.count, ranking.capped) for name, ranking in found.items()}


@dataclass(frozen=True, slots=True)
class _Page:
    """Hits, each with where in the ranking the next page begins after it; how many matches were gone or hidden."""

    hits: list[Found]
    ends: list[int]
    gone: int
    more: bool

    def first(self, number: int) -> "_Page":
        """Answer the page cut to its first hits."""
        if number >= len(self.hits):
            return self
        return _Page(self.hits[:number], self.ends[:number], self.gone, more=True)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads matches again under the caller's rights: the index alone never decides what is shown."""

    actor: Actor
    kinds: Mapping[str, Family]
    names: Mapping[str, str]
    wanted: Wanted

    def page(self, ranking: Ranking, offset: int, limit: int) -> _Page:
        """Read matches until a page is full; those that are gone or hidden fall out."""
        rows = enumerate(islice(ranking.rows, offset, None), offset + 1)
        hits: list[Found] = []
        ends: list[int] = []
        gone = 0
        while len(hits) <= limit:
            some = list(islice(rows, limit + 1 - len(hits)))
            if not some:
                break
            read = self._read([row for _, row in some])
            gone += len(some) - len(read)
            for end, row in some:
                if row.id in read:
                    hits.append(self._found(row, read[row.id]))
                    ends.append(end)
        return _Page(hits[:limit], ends[:limit], gone, more=len(hits) > limit)

    def _read(self, rows: Sequence[Row]) -> dict[int, Hit]:
        """Answer the hits of rows, by the row's id."""
        read: dict[int, Hit] = {}
        for name, family in self.kinds.items():
            own = {(row.project, row.ref): row.id for row in rows if row.family == name}
            if own:
                read |= {own[key]: hit for key, hit in family.read(self.actor, list(own)).items() if key in own}
        return read

    def _found(self, row: Row, hit: Hit) -> Found:
        snippet = cut(hit.title, hit.text, self.wanted)
        return Found(row.family, row.project, self.names[row.project], hit, snippet.text, snippet.marks, snippet.why)


@dataclass(frozen=True, slots=True)
class _Where:
    """The projects to search, by slug, with their names; and what is shared of others, see `Family.shared`."""

    names: dict[str, str]
    shared: Mapping[str, tuple[str, str]]

    @property
    def known(self) -> dict[str, str]:
        """The projects hits may be of."""
        return self.names | dict(self.shared.values())


def _where(actor: Actor, project: str | None) -> _Where:
    """Answer where a caller may look; `not_found` for a named project nothing of which is there for it."""
    given = [family.shared(actor) for family in families().values() if family.shared and actor.is_agent]
    shared = {name: place for some in given for name, place in some.items() if project in {None, place[0]}}
    if project is None:
        return _Where(dict(visible_projects(actor).values_list("slug", "name")), shared)
    if shared:
        return _Where({}, shared)
    row = authorized(actor, project, Right.READ)
    return _Where({row.pk: row.name}, {})


def _place(actor: Actor, asked: Asked, where: _Where, newest: int | None) -> Place:
    names, hidden = where.names, None
    if asked.project is None and not where.shared and (not actor.is_agent or len(names) > MANY):
        hidden = [slug for slug in Project.objects.values_list("slug", flat=True) if slug not in names]
        if len(hidden) > len(names):
            hidden = None
    shared = {name: slug for name, (slug, _) in where.shared.items()}
    chosen_families = list(asked.families or ())
    session = parse(asked.session, "session") if asked.session is not None else None
    return Place(list(names), hidden, shared, chosen_families, session, asked.after, asked.before, newest)


def _cursor(cursor: str | None) -> tuple[int, int | None]:
    """Answer how many matches of the ranking were shown, and the newest document it knew."""
    if cursor is None:
        return 0, None
    offset, dot, newest = cursor.partition(".")
    if not dot or not all(part.isascii() and part.isdigit() and len(part) < 19 for part in (offset, newest)):  # noqa: PLR2004 - fits 63 bits
        raise invalid("cursor", "cursor must be one that a search before answered as next_cursor.")
    return int(offset), int(newest)
