"""Content in a JSON answer: text or base64, a part at a time."""

import base64
import binascii
import json
from collections.abc import Callable
from typing import Any, Final, Literal

from core.errors import invalid
from core.page import DEFAULT_REPLY_BYTES

DEFAULT_BYTES: Final = 12_000
MOST_BYTES: Final = 4 * 1024 * 1024
type Encoding = Literal["text", "base64"]


def decoded(content: str, encoding: Encoding) -> bytes:
    """Answer the bytes a caller sent, or refuse them by name."""
    try:
        return base64.b64decode(content, validate=True) if encoding == "base64" else content.encode()
    except (binascii.Error, ValueError):
        raise invalid("content", f"content is not valid {encoding}.") from None


def part_of(
    read: Callable[[int, int], bytes], size: int, *, encoding: Encoding, offset: int, limit: int | None
) -> dict[str, Any]:
    """Answer ``content``, its ``encoding``, and with ``next_offset`` where the next part begins.

    ``read(start, end)`` answers bytes. Text that is not UTF-8 comes as base64. Who gives no limit gets what a default
    reply holds.
    """
    end = min(size, offset + (limit or DEFAULT_BYTES))
    part = read(offset, end) if offset < end else b""
    text = None if encoding == "base64" else _text(part, whole=end == size)
    if part and not text:  # a part too short for its first character
        text = None
    if text is not None:
        text = text if limit else _fitting(text)
        end = offset + len(text.encode())
    return {
        "content": base64.b64encode(part).decode() if text is None else text,
        "encoding": "base64" if text is None else "text",
        "truncated": end < size,
        "next_offset": end if end < size else None,
    }


def _fitting(text: str) -> str:
    """Cut text to what a default reply holds: in JSON, quotes and line ends take more room."""
    while len(json.dumps(text, ensure_ascii=False).encode()) > DEFAULT_REPLY_BYTES:
        text = text[: len(text) * 3 // 4]
    return text


def _text(part: bytes, *, whole: bool) -> str | None:
    """Decode UTF-8; a character cut by the end of a part is left for the next. None when it is not text."""
    for cut_bytes in range(1 if whole else 4):
        try:
            return part[: len(part) - cut_bytes].decode()
        except UnicodeDecodeError:
            continue
    return None
