"""Snapshots of memory for who runs a task (MEM-04): the one way memory leaves towards an agent."""

from typing import Any

from core import limits
from core.actor import HUB
from memory.composing import NOTICE, Bounds, Frozen
from memory.operations import freeze_memory

__all__ = ["NOTICE", "Frozen", "freeze"]


def freeze(  # noqa: PLR0913 - what bounds a snapshot
    subject: int,
    text: str,
    defaults: dict[str, Any],
    *,
    tokens: int = limits.SNAPSHOT_TOKENS,
    max_bytes: int = limits.SNAPSHOT_BYTES,
    scope: str = "",
) -> Frozen:
    """Freeze what a person's memory has for a text: resident, relevant, and the working memory of ``scope``."""
    return freeze_memory(HUB, subject, text=text, defaults=defaults, scope=scope, bounds=Bounds(tokens, max_bytes))
