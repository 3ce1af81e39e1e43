"""What changed between two texts of a document: title, words and sources, line by line."""

import difflib
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

# Two texts with more lines than this take longer to compare than a page may.
COMPARED_LINES: Final = 3000


class HasText(Protocol):
    """A draft, a version, or what somebody typed."""

    @property
    def title(self) -> str:
        """Its title."""

    @property
    def body(self) -> str:
        """Its words."""

    @property
    def sources(self) -> Any:  # noqa: ANN401 - a list of sources, in a column of JSON
        """What it rests on."""


def compared(old: HasText | None, new: HasText, old_name: str, new_name: str) -> dict[str, Any]:
    """Answer the difference as ``diff``, or ``why_not``."""
    before, after = _lines(old) if old else [], _lines(new)
    if max(len(before), len(after)) > COMPARED_LINES:
        return {"why_not": "These have too many lines to compare here."}
    lines = difflib.unified_diff(before, after, old_name, new_name, lineterm="")
    return {"diff": "\n".join(lines)}


def _lines(text: HasText) -> Sequence[str]:
    return [f"Title: {text.title}", "", *text.body.splitlines(), "", *map(_source, text.sources)]


def _source(source: Mapping[str, Any]) -> str:
    members = (f"{name} {value}" for name, value in sorted(source.items()) if name != "kind")
    return f"Source: {source.get('kind')}, {', '.join(members)}"
