"""What an artifact's bytes are: their kind looked at before anything is stored (ART-04).

The kind decides how a browser shows them, so bytes that are something else than they are called are refused.
"""

import codecs
import json
from dataclasses import dataclass
from typing import Any, Final

import filetype  # type: ignore[import-untyped]
from pygments.lexers import find_lexer_class_by_name
from pygments.util import ClassNotFound

from artifacts import envelope as envelopes
from artifacts.blobs import Incoming
from artifacts.images import IMAGES, is_whole
from artifacts.models import TEXTUAL, Kind
from core import limits
from core.errors import HubError, invalid

_OPAQUE: Final = "application/octet-stream"
_TYPES: Final[dict[str, str]] = {
    Kind.HTML: "text/html",
    Kind.MARKDOWN: "text/markdown",
    Kind.TEXT: "text/plain",
    Kind.CODE: "text/plain",
    Kind.JSON: "application/json",
    Kind.PDF: "application/pdf",
    Kind.OTHER: _OPAQUE,
}
_CHUNK: Final = 256 * 1024


@dataclass(frozen=True, slots=True)
class Content:
    """Bytes whose kind was looked at; only `content_of` makes one. Of ciphertext the media type is not known."""

    bytes: Incoming
    kind: str
    media_type: str
    language: str
    envelope: dict[str, Any] | None

    def __str__(self) -> str:
        """Answer what a retry must repeat."""
        return f"{self.bytes} {self.kind} {self.language} {self.envelope}"


def content_of(incoming: Incoming, *, kind: str, language: str = "", envelope: dict[str, Any] | None = None) -> Content:
    """Answer bytes as the content of an artifact; `invalid_argument` when they are not what they are called."""
    if kind not in Kind.values:
        raise invalid("kind", f"kind must be one of {', '.join(Kind.values)}.")
    if language and (kind != Kind.CODE or not _is_language(language)):
        raise invalid("language", "language goes with kind code, and names a language Pygments knows, such as python.")
    if envelope is not None:
        return Content(incoming, kind, _OPAQUE, language, envelopes.checked(envelope, incoming.size))
    if incoming.size == 0:
        raise invalid("content", "content must not be empty.")
    return Content(incoming, kind, _media_type(incoming, kind), language, None)


def _is_language(name: str) -> bool:
    try:
        return len(name) <= 40 and bool(find_lexer_class_by_name(name))  # noqa: PLR2004 - the column
    except ClassNotFound:
        return False


def _media_type(incoming: Incoming, kind: str) -> str:
    if kind in TEXTUAL:
        _check_text(incoming, kind)
        return _TYPES[kind]
    guessed = filetype.guess_mime(str(incoming.path))
    if kind == Kind.IMAGE:
        if guessed not in IMAGES:
            raise invalid("content", "An image must be PNG, JPEG, GIF, WebP or AVIF; show SVG as kind html.")
        if not is_whole(incoming.path, str(guessed)):
            raise invalid("content", "This image is cut short.")
        return str(guessed)
    if kind == Kind.PDF and guessed != _TYPES[Kind.PDF]:
        raise invalid("content", "This is not a PDF: it does not begin with %PDF.")
    return _TYPES[kind]


def _check_text(incoming: Incoming, kind: str) -> None:
    """Read through once, a chunk at a time, so that a large text costs no memory."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with incoming.path.open("rb") as file:
            for chunk in iter(lambda: file.read(_CHUNK), b""):
                if "\0" in decoder.decode(chunk):
                    raise invalid("content", f"{kind} is text, and this holds NUL characters.")
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        raise invalid("content", f"{kind} is text, and this is not valid UTF-8.") from None
    if kind == Kind.JSON:
        _check_json(incoming)


def _check_json(incoming: Incoming) -> None:
    limit = limits.ARTIFACT_JSON_BYTES
    if incoming.size > limit:
        message = f"JSON must be at most {limit} bytes; publish more as kind text."
        raise HubError("payload_too_large", message, field="content", limit=limit)
    try:
        json.loads(incoming.path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise invalid("content", f"This is not JSON: {error}.") from None
