"""Asking the database which documents hold a term: the only place that knows there are two databases.

What narrows a search is asked for in the same expression as the term, so the index itself leaves out what the caller
may not read, before anything is cut off.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from django.db import connection

from search.analyzer import Term
from search.index import scope_of

# A caller who may read more projects than this is narrowed by those it may not read, if they are fewer.
MANY: Final = 32


@dataclass(frozen=True, slots=True)
class Place:
    """Where to look. ``projects`` are those the caller may read; ``hidden`` the others, where ``projects`` are many.

    ``shared`` is what else it may see, with the project each is of: nothing but that is found of these projects.
    ``newest`` leaves out what was added after the first page was read. ``only`` is a condition on the rows of the index
    themselves, in SQL with its values: what does not meet it takes nobody's place.
    """

    projects: Sequence[str]
    hidden: Sequence[str] | None = None
    shared: Mapping[str, str] = MappingProxyType({})
    families: Sequence[str] = ()
    session: str | None = None
    after: datetime | None = None
    before: datetime | None = None
    newest: int | None = None
    only: tuple[str, Sequence[Any]] | None = None


class Dialect(NamedTuple):
    """How a database writes an expression, and the rows that match one, by ``id``."""

    either: str
    both: str
    without: str
    row: str
    beginning: str
    matching: str


_DIALECTS: Final = {
    "sqlite": Dialect(
        " OR ", " AND ", " NOT ", " + ", "*", "search_index AS found WHERE search_index MATCH %s AND found.rowid <= %s"
    ),
    "postgresql": Dialect(
        " | ", " & ", " & !", " <-> ", ":*", "search_docs AS found WHERE tokens @@ %s::tsquery AND found.id <= %s"
    ),
}
_ANY_ID: Final = 2**63 - 1


def holding(asked: Sequence[Sequence[Term]], place: Place, most: int) -> list[list[int]]:
    """Answer, for each group of terms, the newest documents that hold all of it: at most `most`, newest first."""
    if not asked:
        return []
    parts, values = [], list[Any]()
    for number, terms in enumerate(asked):
        part, given = _newest(_expression(terms, place), place, most)
        parts.append(f"SELECT {number} AS number, id FROM ({part}) AS part{number}")  # noqa: S608 - constants and marks
        values += given
    found: list[list[int]] = [[] for _ in asked]
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(parts), values)
        for number, document in cursor.fetchall():
            found[number].append(document)
    for documents in found:
        documents.sort(reverse=True)
    return found


def span() -> tuple[int, int]:
    """Answer the smallest and the largest id: about how many documents there are, for two seeks."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT (SELECT min(id) FROM search_docs), (SELECT max(id) FROM search_docs)")
        oldest, newest = cursor.fetchone()
    return oldest or 0, newest or 0


def _newest(expression: str, place: Place, most: int) -> tuple[str, list[Any]]:
    """Answer the query for the newest documents an expression matches, and its values."""
    dialect = _DIALECTS[connection.vendor]
    row = "rowid" if connection.vendor == "sqlite" else "id"
    values: list[Any] = [expression, place.newest or _ANY_ID]
    where = dialect.matching
    given = _conditions(place)
    if given:
        held = " AND ".join(condition for condition, _ in given)
        where += f" AND EXISTS (SELECT 1 FROM search_docs WHERE id = found.{row} AND {held})"  # noqa: S608 - as above
        values += [value for _, some in given for value in some]
    query = f"SELECT found.{row} AS id FROM {where} ORDER BY found.{row} DESC LIMIT %s"  # noqa: S608 - as above
    return query, [*values, most]


def _conditions(place: Place) -> list[tuple[str, Sequence[Any]]]:
    """Answer what a row of the index must meet besides, each with its values."""
    dates = {"at >= %s": place.after, "at < %s": place.before}
    given: list[tuple[str, Sequence[Any]]] = [
        (condition, [connection.ops.adapt_datetimefield_value(moment)])
        for condition, moment in dates.items()
        if moment is not None
    ]
    return [*given, place.only] if place.only else given


def _expression(terms: Sequence[Term], place: Place) -> str:
    dialect = _DIALECTS[connection.vendor]
    groups = [_scope("f", place.families), _scope("s", [place.session] if place.session else [])]
    if place.hidden is None:
        groups.append([*_scope("p", place.projects), *_scope("d", place.shared)])
    parts = [f"({dialect.either.join(group)})" for group in groups if group]
    parts += [f"({_written(term, dialect)})" for term in terms]
    without = f"{dialect.without}({dialect.either.join(_scope('p', place.hidden))})" if place.hidden else ""
    return f"({dialect.both.join(parts)}){without}"


def _scope(kind: str, names: Iterable[str]) -> list[str]:
    return [scope_of(kind, name) for name in names]


def _written(term: Term, dialect: Dialect) -> str:
    """Write a term. A token is letters and digits alone, so there is nothing to quote."""
    return dialect.row.join(term.text.split()) + (dialect.beginning if term.prefix else "")
