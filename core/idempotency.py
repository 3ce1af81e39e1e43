"""Idempotency keys: a retry returns the first result, the same key with another body is a conflict (AGT-02)."""

import hashlib
import json
from typing import Any

from core.errors import HubError, invalid

MAX_KEY_CHARS = 128


def fingerprint(verb: str, place: str, arguments: dict[str, Any]) -> str:
    """Answer the hash that tells a retry from another call under the same key."""
    text = json.dumps([verb, place, arguments], sort_keys=True, default=str, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def check_key(key: str) -> None:
    """Refuse a key nobody can have meant: `invalid_argument` naming the limit."""
    if not 1 <= len(key) <= MAX_KEY_CHARS or not key.isprintable():
        raise invalid("idempotency_key", f"must be 1 to {MAX_KEY_CHARS} printable characters", limit=MAX_KEY_CHARS)


def replayed(key: str, stored_fingerprint: str, wanted: str) -> None:
    """Refuse the reuse of a key for another call."""
    if stored_fingerprint != wanted:
        raise HubError(
            "conflict",
            "This idempotency_key was used for another call.",
            field="idempotency_key",
            idempotency_key=key,
        )
