"""Changes to a person's memory."""

from memory.operations.announcing import post_proposal
from memory.operations.consolidating import mark_announced, take_evidence
from memory.operations.conversing import allow_agent, end_conversation, freeze_memory, start_conversation, stop_agent
from memory.operations.erasing import erase_person
from memory.operations.proposals import decide_proposal
from memory.operations.remembering import edit_entry, expire_entries, forget_entry, remember

__all__ = [
    "allow_agent",
    "decide_proposal",
    "edit_entry",
    "end_conversation",
    "erase_person",
    "expire_entries",
    "forget_entry",
    "freeze_memory",
    "mark_announced",
    "post_proposal",
    "remember",
    "start_conversation",
    "stop_agent",
    "take_evidence",
]
