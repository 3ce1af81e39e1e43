"""What is recalled: the hub's own index and, if one is configured and answers, a plane, fused by rank (MEM-10, TSK-07).

A plane only ever adds an opinion about what comes first. Where it does not answer, the hub's own index answers alone
and the answer says why; only before a task begins is that a refusal.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from core.errors import HubError
from core.moment import one_moment
from knowledge.models import Chunk, Space
from knowledge.retrieval import planes, relational
from knowledge.retrieval.base import REASONS, PlaneUnavailable, Ref
from knowledge.retrieval.breaker import Breaker

type Mode = Literal["conversation", "preflight", "running"]
RELATIONAL: Final = "relational"
# Of reciprocal rank fusion, as it was published: small enough that the first ranks count most.
_FUSION: Final = 60
# So many of each leg are fused for one that is answered.
_DEEP: Final = 4
_SHALLOWEST: Final = 20
# A plane is asked for more until enough are live, up to here.
_DEEPEST: Final = 10_000


@dataclass(frozen=True, slots=True)
class RecallHit:
    """A part of a current version, with its rank in each leg that found it and its fused score."""

    document: str
    version: int
    chunk: int
    heading: str
    text: str
    ranks: dict[str, int]
    score: float


@dataclass(frozen=True, slots=True)
class Recalled:
    """Hits, best first. ``backend`` names the legs that answered, ``degraded`` why a configured plane did not.

    ``candidates`` counts the parts that were ranked, ``stale_dropped`` what a plane named that is not current or not
    of these spaces.
    """

    hits: Sequence[RecallHit]
    backend: str
    degraded: str | None
    candidates: int
    stale_dropped: int


def check(mode: Mode) -> str | None:
    """Answer why the configured plane is unavailable; before a task begins that is refused: `unavailable`."""
    reason = planes.unavailable()
    if reason is not None and mode == "preflight":
        raise _refusal(reason)
    return reason


def recall(spaces: Sequence[Space], query: str, limit: int, *, mode: Mode) -> Recalled:
    """Answer at most `limit` parts of current versions in these spaces, as of one moment."""
    deep = max(limit * _DEEP, _SHALLOWEST)
    with one_moment():
        legs = {RELATIONAL: relational.search(query, spaces, deep)}
        plane, degraded, dropped = planes.plane(), None, 0
        if plane is not None:
            try:
                legs[plane.name], dropped = _live(plane, query, spaces, deep)
            except PlaneUnavailable as refusal:
                if mode == "preflight":
                    raise _refusal(refusal.reason) from refusal
                degraded = refusal.reason
        ranks = _ranks(legs)
        best = sorted(ranks, key=lambda ref: (-_score(ranks[ref]), min(ranks[ref].values()), ref))[:limit]
        chunks = relational.current(best, spaces)
    hits = [_hit(ref, chunk, ranks[ref]) for ref, chunk in chunks.items()]
    return Recalled(hits, "+".join(legs), degraded, len(ranks), dropped)


def _live(plane: Breaker, query: str, spaces: Sequence[Space], k: int) -> tuple[list[Ref], int]:
    """Ask a plane until `k` of what it names is current, or it has no more; answers those, and how many were not."""
    asked = k
    while True:
        named = plane.search(query, [space.pk for space in spaces], asked)
        live = relational.current(named, spaces)
        if len(live) >= k or len(named) < asked or asked >= _DEEPEST:
            return list(live)[:k], len(named) - len(live)
        asked = min(asked * 4, _DEEPEST)


def _ranks(legs: dict[str, list[Ref]]) -> dict[Ref, dict[str, int]]:
    ranks: dict[Ref, dict[str, int]] = {}
    for name, refs in legs.items():
        for rank, ref in enumerate(refs, 1):
            ranks.setdefault(ref, {})[name] = rank
    return ranks


def _score(ranks: dict[str, int]) -> float:
    return sum(1 / (_FUSION + rank) for rank in ranks.values())


def _hit(ref: Ref, chunk: Chunk, ranks: dict[str, int]) -> RecallHit:
    return RecallHit(ref.document, ref.version, ref.chunk, chunk.heading, chunk.text, ranks, round(_score(ranks), 6))


def _refusal(reason: str) -> HubError:
    return HubError(
        "unavailable",
        f"The retrieval plane is configured and unavailable: {REASONS.get(reason, reason)}. Try again later.",
        reason="retrieval_plane_unavailable",
        plane=reason,
    )
