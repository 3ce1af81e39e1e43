"""Choosing from a person's memory: several rankings fused, under a budget, each choice and drop explained (MEM-06).

A leg ranks by one thing. It is handed the person and what is theirs, and what it answers besides is passed over: a
leg that looks elsewhere can bring nobody else's memory in.
"""

import json
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.db.models import F, Q

from memory.kinds import KINDS, RESIDENT, WORKING
from memory.models import Entry, Revision
from search.analyzer import indexed, meant_by

QUERY_CHARS: Final = 20_000
# Of reciprocal rank fusion: how much the first places weigh more than the next.
_SMOOTHING: Final = 60
_SATURATION: Final = 1.2
_LENGTH: Final = 0.75


class Asked(NamedTuple):
    """What memory is chosen for. Working memory is that of ``scope`` alone."""

    text: str
    scope: str
    now: datetime


class Candidate(NamedTuple):
    """An entry at its current revision."""

    entry: Entry
    revision: int
    text: str


type Ranking = list[tuple[str, float]]
"""Entries, best first, each with what it scored."""
type Leg = Callable[[int, Sequence[Candidate], Asked], Ranking]


@dataclass(slots=True)
class Considered:
    """What became of one candidate, and why."""

    candidate: Candidate
    tokens: int
    score: float = 0.0
    legs: dict[str, dict[str, float]] = field(default_factory=dict)
    chosen: bool = False
    reason: str = ""


def candidates(subject: int, asked: Asked) -> list[Candidate]:
    """Answer what is remembered of a person now: resident, semantic, and the working memory of the scope."""
    within = ~Q(entry__layer=WORKING) | Q(entry__layer=WORKING, entry__scope=asked.scope)
    alive = Q(entry__expires_at=None) | Q(entry__expires_at__gt=asked.now)
    rows = Revision.objects.of(subject).filter(
        within, alive, entry__subject=subject, entry__state=Entry.State.ACTIVE, number=F("entry__revision")
    )
    return [Candidate(row.entry, row.number, row.text) for row in rows.select_related("entry").order_by("entry")]


def lexical(subject: int, own: Sequence[Candidate], asked: Asked) -> Ranking:  # noqa: ARG001 - a leg
    """Rank by the words in common, rare ones first: BM25 over this person's entries alone."""
    wanted = meant_by(asked.text[:QUERY_CHARS])
    held = [Counter(indexed(one.text).text.split()) for one in own]
    usual = sum(map(Counter.total, held)) / max(len(held), 1) or 1.0
    holding = Counter(token for words in held for token in words.keys() & wanted)
    worth = {token: math.log(1 + (len(own) - n + 0.5) / (n + 0.5)) for token, n in holding.items()}
    scores: Ranking = []
    for one, words in zip(own, held, strict=True):
        length = _SATURATION * (1 - _LENGTH + _LENGTH * words.total() / usual)
        score = sum(
            worth[token] * words[token] * (_SATURATION + 1) / (words[token] + length) for token in words.keys() & wanted
        )
        if score > 0:
            scores.append((one.entry.pk, round(score, 4)))
    return sorted(scores, key=lambda pair: (-pair[1], pair[0]))


def recency(subject: int, own: Sequence[Candidate], asked: Asked) -> Ranking:  # noqa: ARG001 - a leg
    """Rank by when it was last written or seen; the score halves in thirty days."""
    ages = ((one.entry.pk, (asked.now - one.entry.updated_at).total_seconds() / 86_400) for one in own)
    scores = [(entry, round(0.5 ** (max(age, 0.0) / 30), 4)) for entry, age in ages]
    latest = {one.entry.pk: one.entry.updated_at.timestamp() for one in own}
    return sorted(scores, key=lambda pair: (-latest[pair[0]], pair[0]))


def pinned(subject: int, own: Sequence[Candidate], asked: Asked) -> Ranking:  # noqa: ARG001 - a leg
    """Rank what is resident: who the person is before what they want and how they like it."""
    resident = [one for one in own if one.entry.layer == RESIDENT]
    resident.sort(key=lambda one: (KINDS[RESIDENT].index(one.entry.kind), one.entry.pk))
    return [(one.entry.pk, 1.0) for one in resident]


LEGS: Final[dict[str, Leg]] = {"pinned": pinned, "lexical": lexical, "recency": recency}


def tokens_in(text: str) -> int:
    """Estimate how many tokens a model reads in a text: four ASCII characters a token, any other a token of its own."""
    plain = sum(map(str.isascii, text))
    return math.ceil(plain / 4) + len(text) - plain


def chosen(subject: int, asked: Asked, budget: int) -> list[Considered]:
    """Choose from a person's memory: resident first, then the scope's own, then what the words ask for, best first."""
    own = candidates(subject, asked)
    ranked = _fused(subject, own, asked)
    asks = bool(meant_by(asked.text[:QUERY_CHARS]))
    left = budget
    for one in ranked:
        if asks and one.candidate.entry.layer not in {RESIDENT, WORKING} and "lexical" not in one.legs:
            one.reason = "dropped: no word in common with what was asked"
        elif one.tokens > left:
            one.reason = f"dropped: {one.tokens} tokens do not fit the {left} left of {budget}"
        else:
            one.chosen, one.reason = True, _why(one)
            left -= one.tokens
    return ranked


def _fused(subject: int, own: Sequence[Candidate], asked: Asked) -> list[Considered]:
    """Fuse the legs by reciprocal rank; what is not among the person's own is passed over."""
    found = {one.entry.pk: Considered(one, _cost(one)) for one in own}
    for name, leg in LEGS.items():
        ranking = [pair for pair in leg(subject, own, asked) if pair[0] in found]
        for rank, (entry, score) in enumerate(ranking, 1):
            found[entry].legs[name] = {"rank": rank, "score": score}
            found[entry].score += 1 / (_SMOOTHING + rank)
    order = {RESIDENT: 0, WORKING: 1}
    return sorted(
        found.values(),
        key=lambda one: (order.get(one.candidate.entry.layer, 2), -one.score, one.candidate.entry.pk),
    )


def _why(one: Considered) -> str:
    ranks = ", ".join(f"{name} {place['rank']:.0f}" for name, place in one.legs.items())
    first = {RESIDENT: "resident", WORKING: "working memory of this scope"}.get(one.candidate.entry.layer, "relevant")
    return f"chosen: {first} ({ranks})"


def _cost(candidate: Candidate) -> int:
    """Answer how many tokens an entry takes in a snapshot, with its comma."""
    return tokens_in(json.dumps(as_json(candidate), ensure_ascii=False, separators=(",", ":"))) + 1


def as_json(candidate: Candidate) -> dict[str, Any]:
    """Answer an entry as a snapshot holds it."""
    entry = candidate.entry
    return {
        "entry": entry.pk,
        "revision": candidate.revision,
        "layer": entry.layer,
        "kind": entry.kind,
        "scope": entry.scope,
        "source": entry.source_ref,
        "text": candidate.text,
    }
