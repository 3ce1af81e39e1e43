"""How a version of an artifact is shown: by its kind, and no more of it than a page holds (ART-04)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.html import escape, format_html_join
from django.utils.safestring import SafeString, mark_safe

from artifacts.blobs import is_missing, open_blob
from artifacts.models import TEXTUAL, Artifact, ArtifactVersion, Kind
from hubsite.markdown import highlighted

SHOWN_BYTES: Final = 512 * 1024
SHOWN_LINES: Final = 10_000
# Longer Markdown would take longer to render than a page may; it is shown as it was written.
RENDERED_BYTES: Final = 100_000
LAID_OUT_BYTES: Final = 100_000
DEEPEST_INDENT: Final = 40
_LANGUAGES: Final = {Kind.JSON: "json", Kind.MARKDOWN: "markdown", Kind.HTML: "html"}
_JSON_PART: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+')


@dataclass(frozen=True, slots=True)
class Shown:
    """What the viewer holds, and how; ``lines`` is text whose lines are numbered as comments count them."""

    how: str
    text: str | SafeString = ""
    is_cut: bool = False


def shown(artifact: Artifact, version: ArtifactVersion, *, source: bool) -> Shown:
    """Answer how a version is shown; ``source`` asks for the text of what would be rendered."""
    if is_missing(version):
        return Shown("missing")
    if version.protected:
        return Shown("protected")
    if artifact.kind not in TEXTUAL:
        return Shown({Kind.IMAGE: "image", Kind.PDF: "pdf"}.get(artifact.kind, "other"))  # type: ignore[call-overload]
    if artifact.kind == Kind.HTML and not source:
        return Shown("frame")
    try:
        return _text_shown(artifact, version, source=source)
    except FileNotFoundError:  # deleted while this page was made
        return Shown("missing")


def _text_shown(artifact: Artifact, version: ArtifactVersion, *, source: bool) -> Shown:
    text = text_of(version, SHOWN_BYTES)
    if artifact.kind == Kind.MARKDOWN and not source and version.size <= RENDERED_BYTES:
        return Shown("markdown", text)
    rows = text.splitlines()
    if artifact.kind == Kind.JSON and len(rows) == 1 and version.size <= LAID_OUT_BYTES:
        return Shown("json", coloured(laid_out(text), "json"))
    is_cut = version.size > SHOWN_BYTES or len(rows) > SHOWN_LINES
    language = version.language or _LANGUAGES.get(artifact.kind, "")  # type: ignore[call-overload]
    return Shown("lines", numbered(lines_of(rows[:SHOWN_LINES], language)), is_cut)


def text_of(version: ArtifactVersion, most: int) -> str:
    """Answer the beginning of a version as text."""
    with open_blob(version) as file:
        return file.read(most).decode(errors="replace")


def lines_of(rows: Sequence[str], language: str) -> Sequence[str | SafeString]:
    """Answer lines coloured by their language, as many as there were."""
    text = highlighted("\n".join(rows), language) if language else None
    if text is None:
        return rows
    found = text.split("\n")[: len(rows)]  # Pygments ends every span at the end of its line
    return [mark_safe(row) for row in found] if len(found) == len(rows) else rows  # noqa: S308 - Pygments escapes


def numbered(rows: Sequence[str | SafeString]) -> SafeString:
    """Answer lines that can be linked, by their number."""
    return format_html_join("", '<span id="L{}">{}</span>', enumerate(rows, start=1))


def coloured(text: str, language: str) -> SafeString:
    """Answer text coloured by its language."""
    return mark_safe(highlighted(text, language) or escape(text))  # noqa: S308 - Pygments escapes


def laid_out(text: str) -> str:
    """Answer JSON on many lines, every name and number as it was written."""
    made: list[str] = []
    depth, before = 0, ""
    for part in _JSON_PART.findall(text):
        ends = part in "]}"
        depth -= ends
        if (ends and before not in "[{") or (not ends and before and before in "[{,"):
            made.append("\n" + "  " * min(depth, DEEPEST_INDENT))
        made.append(": " if part == ":" else part)
        if part in "[{":
            depth += 1
        before = part
    return "".join(made)
