"""Idempotency keys: a retry returns the first result, the same key with another body is a conflict (AGT-02)."""

import hashlib
import json
from collections.abc import Callable
from typing import Any, Protocol

from core.actor import Actor
from core.errors import HubError, invalid
from core.limits import IDEMPOTENCY_HOURS

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


class Memory(Protocol):
    """Where the results of calls with an idempotency key are kept: with what they wrote, in the same transaction."""

    def recall(self, actor: Actor, key: str, fingerprint: str) -> dict[str, Any] | None:
        """Answer the result stored under an idempotency key; `conflict` when it was for another call."""

    def remember(self, actor: Actor, key: str, fingerprint: str, result: dict[str, Any]) -> None:
        """Store the result under the key, in the caller's transaction."""


class MemoWriter(Protocol):
    """What the door needs of an AgentFS writer: whether it wrote, and a place for memos in the same transaction."""

    changed: bool

    def memo(self, key: str) -> str | None:
        """Answer the memo kept under a key."""

    def keep_memo(self, key: str, value: str, *, seconds: int) -> None:
        """Keep a memo for some seconds."""


class FileMemory:
    """Idempotency keys of writes to an AgentFS file, kept in that file (AGT-02)."""

    def __init__(self, writer: MemoWriter) -> None:
        self._writer = writer

    def recall(self, actor: Actor, key: str, fingerprint: str) -> dict[str, Any] | None:
        """Answer the result stored under the key; `conflict` when it was for another call."""
        memo = self._writer.memo(f"{actor}\n{key}")
        if memo is None:
            return None
        stored: dict[str, Any] = json.loads(memo)
        replayed(key, stored["fingerprint"], fingerprint)
        return dict(stored["result"])

    def remember(self, actor: Actor, key: str, fingerprint: str, result: dict[str, Any]) -> None:
        """Store the result beside what was written; a call that wrote nothing needs no memory."""
        if self._writer.changed:
            memo = json.dumps({"fingerprint": fingerprint, "result": result})
            self._writer.keep_memo(f"{actor}\n{key}", memo, seconds=IDEMPOTENCY_HOURS * 3600)


class Once[R]:
    """Runs a call once per idempotency key; the first result answers every retry (AGT-02)."""

    def __init__(self, memory: Memory, actor: Actor, call: tuple[str, str, dict[str, Any]]) -> None:
        self._memory = memory
        self._actor = actor
        self._key: str | None = call[2].get("idempotency_key")
        self._fingerprint = ""
        if self._key is not None:
            check_key(self._key)
            self._fingerprint = fingerprint(*call)

    def seen(self, look: Callable[[Actor, str, str], dict[str, Any] | None]) -> R | None:
        """Answer what `look` finds stored for this call: the memory's `recall`, or one that claims nothing."""
        if self._key is None:
            return None
        stored: Any = look(self._actor, self._key, self._fingerprint)
        return stored  # type: ignore[no-any-return]

    def run(self, body: Callable[[], R]) -> R:
        """Answer what was stored for this call, or run it and store what it answers, in the transaction that is open.

        `conflict` when the key was used for another call.
        """
        stored = self.seen(self._memory.recall)
        if stored is not None:
            return stored
        result = body()
        if self._key is not None:
            self._memory.remember(self._actor, self._key, self._fingerprint, result)  # type: ignore[arg-type]
        return result
