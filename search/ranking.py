"""Which of the documents that match come first: BM25, the title counted three times, worked out here.

The databases' own ranking reads every match before it knows the best: tens of milliseconds for a common word, and
PostgreSQL's knows nothing of rare and common. So each term gives its newest documents only, all of them where it is
rare; rare terms decide who is looked at closely, and common ones count among those.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import batched
from typing import Final, NamedTuple

from django.db import connection

from search.analyzer import Term
from search.matching import Place, holding, span

COUNTED: Final = 1_000
"""How many documents a term gives, and up to where ``count`` is exact."""
# So many at a time are looked at closely: their words are counted.
SCORED: Final = 300
# Longer bodies are not read; each of their terms counts as once in a document of usual length.
LONG_WORDS: Final = 3_000
# Below so many hits, longer words that begin with the last one are looked for as well.
FEW: Final = 100
TITLE_COUNTS: Final = 3
_SATURATION: Final = 1.2
_LENGTH: Final = 0.75


class Row(NamedTuple):
    """A document that is looked at closely."""

    id: int
    family: str
    project: str
    ref: str
    title: str
    body: str | None
    words: int


@dataclass(frozen=True, slots=True)
class Ranking:
    """Documents, best first, read as they are asked for, and how many match."""

    rows: Iterator[Row]
    count: int
    capped: bool
    newest: int


@dataclass(slots=True)
class Weighed:
    """A term with the documents known to hold it, and what holding it is worth: more, the fewer hold it."""

    term: Term
    documents: list[int]
    worth: float

    @property
    def capped(self) -> bool:
        """Whether more documents hold it than are known."""
        return len(self.documents) > COUNTED


def ranked(terms: Sequence[Term], place: Place) -> Ranking:
    """Answer the documents that hold any of the terms, best first: those with whole words before the others."""
    oldest, newest = span()
    newest = place.newest or newest
    whole = _weighed([term for term in terms if not term.prefix], place, oldest, newest)
    matching = _gathered(whole)
    common = [one for one in whole if one.capped]
    if len(common) > 1:  # who holds them all may be older than the newest of each
        together = sum(one.worth for one in common)
        for document in holding([[one.term for one in common]], place, COUNTED + 1)[0]:
            matching[document] = max(matching[document], together)
    begun = _weighed([term for term in terms if term.prefix], place, oldest, newest) if len(matching) < FEW else []
    for document in _gathered(begun):
        matching.setdefault(document, 0.0)
    looked_at = sorted(matching, key=lambda document: (-matching[document], -document))[:COUNTED]
    rows = _best_first(looked_at, place, [*whole, *begun])
    return Ranking(rows, len(looked_at), len(matching) > COUNTED, newest)


def _best_first(documents: Sequence[int], place: Place, weighed: Sequence[Weighed]) -> Iterator[Row]:
    for some in batched(documents, SCORED):
        rows = _rows(some, place)
        scores = _scores(rows, weighed)
        held = (row for row in rows if any(scores[row.id]))
        yield from sorted(held, key=lambda row: (scores[row.id], row.id), reverse=True)


def _weighed(terms: Sequence[Term], place: Place, oldest: int, newest: int) -> list[Weighed]:
    everything = newest - oldest + 1
    weighed = []
    for term, documents in zip(terms, holding([[term] for term in terms], place, COUNTED + 1), strict=True):
        held = float(len(documents))
        if held > COUNTED:  # as dense among all as among the newest
            held *= everything / max(newest - documents[-1] + 1, 1)
        worth = math.log(1 + (max(everything - held, 0) + 0.5) / (held + 0.5))
        weighed.append(Weighed(term, documents, worth))
    return weighed


def _gathered(weighed: Iterable[Weighed]) -> dict[int, float]:
    """Answer each document with what the terms are worth that it is known to hold."""
    gathered: dict[int, float] = defaultdict(float)
    for one in weighed:
        for document in one.documents:
            gathered[document] += one.worth
    return gathered


def _rows(documents: Sequence[int], place: Place) -> list[Row]:
    """Read documents; those alone that are in a project of `place`, whatever the index said."""
    ids, readable = ",".join(map(str, documents)), frozenset(place.projects).union(place.shared.values())
    with connection.cursor() as cursor:
        cursor.execute(
            f"""SELECT id, family, project_id, ref, title, CASE WHEN words <= {LONG_WORDS} THEN body END, words
            FROM search_docs WHERE id IN ({ids})"""  # noqa: S608 - numbers
        )
        return [row for row in map(Row._make, cursor.fetchall()) if row.project in readable]


def _scores(rows: Sequence[Row], weighed: Sequence[Weighed]) -> dict[int, tuple[float, float]]:
    """Answer each row's score: for whole words, then for words that only begin so."""
    usual = sum(row.words for row in rows) / max(len(rows), 1) or 1.0
    needles = [(f" {one.term.text}" if one.term.prefix else f" {one.term.text} ", one) for one in weighed]
    known = [None if one.capped else frozenset(one.documents) for one in weighed]
    scores = {}
    for row in rows:
        # Two spaces between: no row of words reaches from the title into the body.
        text = f" {row.title} " * TITLE_COUNTS + f" {row.body or ''} "
        length = 1 - _LENGTH + _LENGTH * row.words / usual
        whole = begun = 0.0
        for (needle, one), documents in zip(needles, known, strict=True):
            if documents is not None and row.id not in documents:
                continue
            times = text.count(needle)
            if row.body is None:
                score = one.worth * (1 + (times > 0))
            else:
                score = one.worth * times * (_SATURATION + 1) / (times + _SATURATION * length)
            if one.term.prefix:
                begun += score
            else:
                whole += score
        scores[row.id] = (whole, begun)
    return scores
