"""What a slug, an agent and a session may be called."""

import re
import unicodedata
from typing import Final

from core.errors import invalid
from core.limits import NAME_CHARS

_NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?")


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
    """Answer text of at most `limit` characters without control characters but tab and newline, or refuse it."""
    if len(value) > limit:
        raise invalid(field, f"{field} must be at most {limit} characters, not {len(value)}.", limit=limit)
    if not empty and not value.strip():
        raise invalid(field, f"{field} must not be empty.")
    if any(unicodedata.category(char) in {"Cc", "Cs"} and char not in "\t\n\r" for char in value):
        raise invalid(field, f"{field} holds control characters.")
    return value
