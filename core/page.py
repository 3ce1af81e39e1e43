"""Keyset pages: a limit and a cursor instead of an offset, so a page costs the same however long the list is."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from core.errors import invalid

DEFAULT_LIMIT: Final = 50
MAX_LIMIT: Final = 500
# A reply nobody asked to be long stays below this: agents' clients cut longer ones.
DEFAULT_REPLY_BYTES: Final = 18_000


@dataclass(frozen=True, slots=True)
class Page[T]:
    """One page of rows and where the next begins (None at the end)."""

    rows: Sequence[T]
    next_cursor: str | None

    @property
    def truncated(self) -> bool:
        """Whether more rows follow."""
        return self.next_cursor is not None

    def within_reply(
        self, asked: int | None, shape: Callable[[T], dict[str, Any]], cursor_of: Callable[[T], str]
    ) -> "Page[T]":
        """Answer the page as it was asked for; for who gave no limit, cut to what a default reply holds."""
        number = len(self.rows) if asked is not None else fitting([shape(row) for row in self.rows])
        return self if number >= len(self.rows) else cut(self.rows, number, cursor_of)

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


def number_cursor(cursor: str, digits: int = 9) -> int:
    """Answer a cursor that is a number within a column's reach, or refuse it by name."""
    if not (cursor.isascii() and cursor.isdecimal() and len(cursor) <= digits):
        raise invalid("cursor", "cursor must be one that a page before answered as next_cursor.")
    return int(cursor)


def limit_or_default(limit: int | None) -> int:
    """Answer the limit a caller gave, checked, or the one for who gave none."""
    return DEFAULT_LIMIT if limit is None else check_limit(limit)


def fitting(rows: Sequence[dict[str, Any]], most: int = DEFAULT_REPLY_BYTES) -> int:
    """Answer how many of the rows fit a default reply, or `most` bytes; at least one, if there is one."""
    size = 0
    for number, row in enumerate(rows):
        size += len(json.dumps(row, ensure_ascii=False, default=str).encode())
        if size > most and number:
            return number
    return len(rows)
