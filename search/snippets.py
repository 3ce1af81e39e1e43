"""What is shown of a text that was found: at most 200 characters, and where in them the words are.

The words are marked as data, by offsets in characters; nothing here writes markup.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, NamedTuple

from search.analyzer import Chunk, Term, analyzed, chunks_of, is_run, pairs_of, words_of

SNIPPET_CHARS: Final = 200
# How much of a text is looked through for the words, and how many of them are weighed against each other.
_LOOKED_THROUGH: Final = 50_000
_PLACES: Final = 200
_BEFORE: Final = 40
_WHY: Final = 8
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")

type Mark = tuple[int, int]


class Snippet(NamedTuple):
    """A piece of a text with its marks, as ``[start, end)``, and the words found, as they are written there."""

    text: str
    marks: list[Mark]
    why: list[str]


@dataclass(frozen=True, slots=True)
class Wanted:
    """The tokens of a query: whole ones, and beginnings; and where in the words seen so far they are."""

    whole: frozenset[str]
    begins: tuple[str, ...]
    _seen: dict[str, list[Mark]] = field(default_factory=dict)

    @classmethod
    def of(cls, terms: Sequence[Term]) -> "Wanted":
        """Answer what the words of a text are compared with."""
        whole = frozenset(token for term in terms if not term.prefix for token in term.text.split())
        return cls(whole, tuple(term.text for term in terms if term.prefix))

    def marks_in(self, text: str) -> list[Mark]:
        """Find the words of a text that were asked for; those that touch become one."""
        marks: list[Mark] = []
        for start, end in islice(self._found(text), _PLACES):
            if marks and marks[-1][1] >= start:
                marks[-1] = (marks[-1][0], max(end, marks[-1][1]))
            else:
                marks.append((start, end))
        return marks

    def _found(self, text: str) -> Iterator[Mark]:
        seen = self._seen
        for match in chunks_of(text[:_LOOKED_THROUGH]):
            marks = seen.get(match.group())
            if marks is None:
                marks = seen[match.group()] = self._marks_of(match.group())
            for start, end in marks:
                yield match.start() + start, match.start() + end

    def _marks_of(self, chunk: str) -> list[Mark]:
        """Find what was asked for in a word: all of it, or words within an identifier or a run without spaces."""
        known = analyzed(chunk)
        if len(known.parts) == 1 or self._is_asked(known.whole):
            return [(0, len(chunk))] if self._holds(known) else []
        pieces = pairs_of(chunk) if is_run(chunk) else words_of(chunk)
        return [(place, place + len(piece)) for place, piece in pieces if self._holds(analyzed(piece))]

    def _holds(self, known: Chunk) -> bool:
        if not self.whole.isdisjoint(known.parts) or self._is_asked(known.whole):
            return True
        return bool(self.begins) and (known.typed.startswith(self.begins) or any(map(self._is_asked, known.parts)))

    def _is_asked(self, form: str) -> bool:
        return bool(form) and (form in self.whole or form.startswith(self.begins))


def cut(title: str, text: str, wanted: Wanted) -> Snippet:
    """Answer the piece of a text that holds most of what was asked for, its beginning where it holds none of it."""
    text = _CONTROL.sub(" ", text)
    marks = wanted.marks_in(text)
    start = _start(text, marks)
    before = "…" if start else ""
    end = start + SNIPPET_CHARS - len(before)
    after = "…" if end < len(text) else ""
    end -= len(after)
    shown = [(max(first, start), min(last, end)) for first, last in marks if first < end and last > start]
    why = [text[first:last] for first, last in marks] + [title[first:last] for first, last in wanted.marks_in(title)]
    return Snippet(
        before + text[start:end] + after,
        [(first - start + len(before), last - start + len(before)) for first, last in shown],
        list({word.casefold(): word[:SNIPPET_CHARS] for word in reversed(why)}.values())[-_WHY:][::-1],
    )


def _start(text: str, marks: Sequence[Mark]) -> int:
    """Answer where a snippet begins: a little before the place with most of the different words close together."""
    if not marks or len(text) <= SNIPPET_CHARS:
        return 0
    reach = SNIPPET_CHARS - _BEFORE

    def different(place: Mark) -> int:
        near = (text[first:last].casefold() for first, last in marks if place[0] <= first and last <= place[0] + reach)
        return len(set(near))

    best = max(marks, key=different)[0]
    start = max(0, min(best - _BEFORE, len(text) - SNIPPET_CHARS + 1))
    space = text.find(" ", start, best)
    return space + 1 if start and space >= 0 else start
