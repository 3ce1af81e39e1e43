"""Evidence of a completed task becomes memory: once, however often it is delivered (MEM-07, MEM-08, MEM-09)."""

from typing import Any

from core.actor import HUB
from memory.entries import Said, checked
from memory.jobs import announce_proposals
from memory.kinds import LAYER_OF, WORKING, task_scope
from memory.operations import take_evidence
from memory.planning import planned
from memory.screening import screened


def apply(key: str, subject: int, task: str, items: list[dict[str, Any]], *, project: str = "") -> bool:
    """Take what a task contributed; False when it was taken before, and then nothing changes.

    What would be resident waits for the person, in the inbox of ``project`` and on their memory page.
    """
    taken, rejected = screened(items)
    said = [_said(task, item) for item in taken]
    counts = {"rejected": len(rejected)} if rejected else {}
    plan = planned(subject, said)
    applied = take_evidence(HUB, subject, key=key, task=task, said=said, plan=plan, counts=counts, project=project)
    if applied and project:
        announce_proposals()
    return applied


def _said(task: str, item: dict[str, Any]) -> Said:
    kind = item["kind"]
    working = LAYER_OF[kind] == WORKING
    confidence = item.get("confidence")
    return checked(
        kind,
        item["text"],
        scope=task_scope(task) if working else "",
        source_ref=item.get("source_ref") or task_scope(task),
        confidence=None if confidence is None else min(max(float(confidence), 0.0), 1.0),
    )
