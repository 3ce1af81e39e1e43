"""The text of a thing, out of the shapes it is stored in."""

import codecs
import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from agentfs import Entry, Reader
from core.errors import HubError
from search.families import Hit

# What is read of an entry of a file. The rest is neither indexed nor shown.
ENTRY_BYTES: Final = 256 * 1024
_HEADING: Final = re.compile(r"\s*#{1,6}[ \t]+(\S[^\n]{0,200})")


def strings_of(value: Any) -> Iterator[str]:  # noqa: ANN401 - any JSON value
    """Yield every text in a JSON value; names of fields are none. PostgreSQL forgets in which order the fields were."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in (value[name] for name in sorted(value)) if isinstance(value, dict) else value:
            yield from strings_of(inner)


def text_of(entry: Entry) -> str | None:
    """Answer the text of a file or a key; None for what is no text."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        text = decoder.decode(entry.content[:ENTRY_BYTES], final=len(entry.content) <= ENTRY_BYTES)
    except UnicodeDecodeError:
        return None
    if "\0" in text:
        return None
    return _of_key(text) if entry.type == "key" else text


def title_of(path: str, text: str) -> str:
    """Answer what an entry is called: its heading, if it begins with one, or its path below ``/fs``."""
    heading = _HEADING.match(text)
    return heading[1].rstrip(" #") if heading else path.removeprefix("/fs/")


def hit_of(reader: Reader, path: str, shows: Mapping[str, Any]) -> Hit | None:
    """Answer an entry as a hit; None where nothing is there that could be shown."""
    try:
        entry = reader.get(path)
    except HubError:
        return None
    text, last = text_of(entry), reader.last_write(path)
    if text is None:
        return None
    at = datetime.fromtimestamp(last.at, UTC) if last else None
    shown = {"path": path, "version": entry.version, **shows}
    return Hit(title_of(path, text), text, at, last.actor if last else None, shown)


def _of_key(text: str) -> str:
    try:
        return "\n".join(strings_of(json.loads(text)))
    except (ValueError, RecursionError):  # written by another program; shown as it is
        return text
