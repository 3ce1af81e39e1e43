"""The layers of memory and what each may hold (MEM-02). A kind belongs to one layer, and so says it."""

from datetime import timedelta
from typing import Final

WORKING: Final = "working"
SEMANTIC: Final = "semantic"
RESIDENT: Final = "resident"

KINDS: Final[dict[str, tuple[str, ...]]] = {
    RESIDENT: ("identity", "goal", "preference", "rule", "agent_configuration"),
    SEMANTIC: ("experience", "fact"),
    WORKING: ("episodic_summary", "observation", "decision", "open_item"),
}
LAYERS: Final = tuple(KINDS)
LAYER_OF: Final[dict[str, str]] = {kind: layer for layer, kinds in KINDS.items() for kind in kinds}
WORKING_LIVES: Final = timedelta(days=30)
"""How long working memory lives when nobody says otherwise, and at the most."""


def conversation_scope(conversation: str) -> str:
    """Answer the scope of a conversation's working memory."""
    return f"conversation:{conversation}"


def task_scope(task: str) -> str:
    """Answer the scope of a task's working memory."""
    return f"task:{task}"
