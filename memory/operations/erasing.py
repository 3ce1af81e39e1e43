"""Erasing all of a person's memory."""

from core.actor import Actor
from core.operation import subject_operation
from memory.subjects import managers


@subject_operation()
def erase_person(actor: Actor, subject: int, /) -> int:
    """Erase every row of a person, tombstones and receipts too; answers how many there were."""
    return sum(rows.of(subject).delete()[0] for rows in managers())
