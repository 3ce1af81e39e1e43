"""Keyset pages: a limit and a cursor instead of an offset, so a page costs the same however long the list is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from core.errors import invalid

DEFAULT_LIMIT: Final = 50
MAX_LIMIT: Final = 500


@dataclass(frozen=True, slots=True)
class Page[T]:
    """One page of rows and where the next begins (None at the end)."""

    rows: Sequence[T]
    next_cursor: str | None

    @property
    def truncated(self) -> bool:
        """Whether more rows follow."""
        return self.next_cursor is not None

    def as_dict(self, name: str, shape: Callable[[T], Any]) -> dict[str, Any]:
        """Answer the JSON list every face shows: rows under `name`, ``next_cursor``, ``truncated``."""
        rows = [shape(row) for row in self.rows]
        return {name: rows, "next_cursor": self.next_cursor, "truncated": self.truncated}


def cut[T](rows: Sequence[T], limit: int, cursor_of: Callable[[T], str]) -> Page[T]:
    """Make a page of `limit` rows out of up to ``limit + 1`` that were read."""
    shown = rows[:limit]
    return Page(shown, cursor_of(shown[-1]) if len(rows) > limit else None)


def check_limit(limit: int, most: int = MAX_LIMIT) -> int:
    """Answer `limit`, or refuse it by name."""
    if not 1 <= limit <= most:
        raise invalid("limit", f"limit must be from 1 to {most}.", limit=most)
    return limit
