"""Canonical paths: one spelling for each page and key, before anything keys on it."""

import unicodedata
from typing import Final

from core.errors import invalid

MAX_NAME_BYTES: Final = 255
MAX_PATH_BYTES: Final = 512
_REFUSED_CATEGORIES: Final = frozenset({"Cc", "Cs"})
# NFC maps three non-ASCII characters (Kelvin, Greek question mark, varia) to these.
_ASCII_FROM_WIDER: Final = frozenset("K;`")


def canonical(path: str, *, pages_only: bool = False) -> str:
    """Answer the one spelling of a path: NFC, with '.', '..', '//' and a trailing '/' resolved.

    Raises `invalid_argument` (field `path`) for what no file may be called, and for `/kv` under `pages_only`.
    """
    if not path.startswith("/") or len(path) > 4 * MAX_PATH_BYTES:
        raise invalid("path", f"A path starts with /fs or /kv and has at most {MAX_PATH_BYTES} bytes.")
    parts = _resolved(unicodedata.normalize("NFC", path).split("/"))
    if not all(is_name(part) for part in parts):
        raise invalid("path", f"No backslash or control character, at most {MAX_NAME_BYTES} bytes for a name.")
    clean = "/" + "/".join(parts)
    if len(clean.encode()) > MAX_PATH_BYTES:
        raise invalid("path", f"A path has at most {MAX_PATH_BYTES} bytes.", limit=MAX_PATH_BYTES)
    _check_namespace(parts, pages_only=pages_only)
    return clean


def _resolved(names: list[str]) -> list[str]:
    parts: list[str] = []
    for name in names:
        if name == "..":
            del parts[-1:]
        elif name not in ("", "."):
            parts.append(name)
    return parts


def _check_namespace(parts: list[str], *, pages_only: bool) -> None:
    if parts and parts[0] not in ("fs", "kv"):
        raise invalid("path", "A path starts with /fs (files) or /kv (keys).")
    if pages_only and parts[:1] == ["kv"]:
        raise invalid("path", "There are no keys here: a path starts with /fs.")


def is_name(name: str) -> bool:
    """Tell whether a canonical path may hold this name; a foreign file can hold others."""
    if name in ("", ".", "..") or "/" in name or "\\" in name:
        return False
    if name.isascii() and name.isprintable():
        return len(name) <= MAX_NAME_BYTES
    if any(unicodedata.category(character) in _REFUSED_CATEGORIES for character in name):
        return False
    return len(name.encode()) <= MAX_NAME_BYTES


def nfc(name: str) -> str:
    """Answer the name in the form canonical paths use."""
    return unicodedata.normalize("NFC", name)


def may_be_stored_otherwise(name: str) -> bool:
    """Tell whether a foreign file could hold this canonical name in another normal form."""
    return not name.isascii() or not _ASCII_FROM_WIDER.isdisjoint(name)


def parts_of(path: str) -> list[str]:
    """Answer the names below `/fs` of a canonical path."""
    return path.split("/")[2:]


def key_of(path: str) -> str:
    """Answer the key of a canonical path: what follows `/kv/`, or '' for `/kv` itself."""
    return path[len("/kv/") :]
