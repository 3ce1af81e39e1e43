"""Checks of what callers send: a name, a text, a JSON value. Each refusal names the field and the limit."""

import json
import re
import unicodedata
from typing import Any, Final

from core.errors import HubError, invalid
from core.limits import NAME_CHARS, PAYLOAD_BYTES

_NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?")
# An escaped NUL, and not the six characters written after an escaped backslash.
_NUL: Final = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def check_name(value: str, field: str) -> str:
    """Answer a name of lower-case letters, digits, dots, dashes and underscores, or refuse it by field."""
    if len(value) > NAME_CHARS or not _NAME.fullmatch(value):
        raise invalid(
            field,
            f"{field} must be 1 to {NAME_CHARS} lower-case letters, digits, '.', '_' or '-', "
            "beginning and ending with a letter or digit.",
            limit=NAME_CHARS,
        )
    return value


def check_text(value: str, field: str, limit: int, *, empty: bool = False) -> str:
    """Answer text (NFC) of at most `limit` characters, without control characters but tab and newline."""
    # Composed first: a few characters become two or three, and the columns hold what is stored.
    value = unicodedata.normalize("NFC", value)
    if len(value) > limit:
        raise invalid(field, f"{field} must be at most {limit} characters, not {len(value)}.", limit=limit)
    if not empty and not value.strip():
        raise invalid(field, f"{field} must not be empty.")
    if _CONTROL.search(value):
        raise invalid(field, f"{field} holds control characters.")
    return value


def check_json(value: Any, field: str, limit: int = PAYLOAD_BYTES) -> Any:  # noqa: ANN401 - any JSON value
    """Answer a JSON value of at most `limit` bytes that both databases can keep, or refuse it by field."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        size = len(text.encode())
    except (TypeError, ValueError, RecursionError):
        raise invalid(field, f"{field} must be JSON without NaN, infinities or lone surrogates.") from None
    if _NUL.search(text):
        raise invalid(field, f"{field} holds a NUL character.")
    if size > limit:
        raise HubError(
            "payload_too_large", f"{field} must be at most {limit} bytes, not {size}.", field=field, limit=limit
        )
    return value
