"""Cutting a document at its headings: what is found is a part somebody can read, not a whole document."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from markdown_it import MarkdownIt

MOST_CHARS: Final = 6000
HEADING_CHARS: Final = 300
# Blocks alone: what stands within a line cuts nothing, and parsing it can be made to take very long.
_MARKDOWN: Final = MarkdownIt("commonmark").disable("inline")
# Lines as the parser counts them. Python's own also end at characters that are none to it.
_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")


class Part(NamedTuple):
    """A part of a text: the headings above it, joined, and its lines, the heading's own among them."""

    heading: str
    text: str


def parts_of(body: str) -> list[Part]:
    """Answer a Markdown text cut at its headings, in order; long parts are cut again between lines."""
    lines = _LINE.findall(body)
    cuts: list[tuple[int, str]] = [(0, "")]
    above: list[tuple[int, str]] = []
    tokens = _MARKDOWN.parse(body)
    for token, inline in pairwise(tokens):
        if token.type == "heading_open" and token.map and token.level == 0:
            depth = int(token.tag[1])
            above = [(level, text) for level, text in above if level < depth] + [(depth, inline.content)]
            cuts.append((token.map[0], " / ".join(text for _, text in above)[:HEADING_CHARS]))
    ends = [start for start, _ in cuts[1:]] + [len(lines)]
    found = [Part(heading, "".join(lines[start:end])) for (start, heading), end in zip(cuts, ends, strict=True)]
    return [part for whole in found if whole.text.strip() for part in _fitting(whole)]


def _fitting(part: Part) -> list[Part]:
    pieces, piece = [], ""
    for line in _pieces(part.text):
        if piece and len(piece) + len(line) > MOST_CHARS:
            pieces.append(piece)
            piece = ""
        piece += line
    return [Part(part.heading, text) for text in [*pieces, piece] if text.strip()]


def _pieces(text: str) -> Iterator[str]:
    """Answer the lines of a text; those too long by themselves in pieces, cut after a space if there is one."""
    for line in _LINE.findall(text):
        start = 0
        while len(line) - start > MOST_CHARS:
            end = line.rfind(" ", start + 1, start + MOST_CHARS) + 1 or start + MOST_CHARS
            yield line[start:end]
            start = end
        yield line[start:]
