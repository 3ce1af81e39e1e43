"""Searching, under the caller's rights."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from core.errors import HubError
from core.actor import Actor
from core.times import rfc3339
from search.families import Hit


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
    """One hit: what its family tells of it, and where in the text the words are (``marks`` are offsets in the snippet)."""

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
    """One page of hits, best first. ``count`` is exact unless ``count_capped``."""

    hits: Sequence[Found]
    count: int
    count_capped: bool
    next_cursor: str | None
    took_ms: float

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
        }


def search(actor: Actor, asked: Asked) -> Results:
    """Answer what the caller may read and is looking for, best first."""
    raise HubError("unavailable", "Search is being built.")
