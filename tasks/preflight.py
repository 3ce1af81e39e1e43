"""Preparing a task: what it will know of its subject is frozen, and what it may recall is delegated (MEM-04, TSK-02).

The retrieval plane is asked first: with one that is down no task begins (MEM-10). What is asked of other stores is
asked outside the transaction that lets the task be ready, and that one notices if the task moved meanwhile.
"""

import contextlib
import logging
from typing import Any

from core.actor import Actor
from core.errors import HubError
from core.operation import answered_before
from knowledge import retrieval
from memory.composing import Frozen
from memory.snapshots import freeze
from tasks.models import MAY_PREPARE, Task
from tasks.operations import fail_preflight, pass_preflight
from tasks.standing import check_revision, conflict, readied, standing

logger = logging.getLogger("muster.tasks")


def prepare(
    actor: Actor, task: Task, expected_revision: int | None, idempotency_key: str | None = None
) -> dict[str, Any]:
    """Freeze, delegate, ready: or the refusal, after which the task is `preflight_failed` and can be tried again."""
    asked = {"task": task.pk, "expected_revision": expected_revision, "idempotency_key": idempotency_key}
    before = answered_before(pass_preflight, actor, task.project_id, **asked)
    if before is not None:
        return before
    check_revision(task, expected_revision)
    if task.status not in MAY_PREPARE:
        raise conflict(task, f"This task is {task.get_status_display().lower()}.", "status")
    try:
        _check_plane()
        return pass_preflight(actor, task.project_id, _frozen(task), **asked)
    except HubError as refusal:
        if refusal.code in {"conflict", "not_found", "forbidden"}:  # the task moved, or it is not the caller's to move
            raise
        refusal.details["task"] = task.pk
        with contextlib.suppress(HubError):  # somebody else has moved it since
            fail_preflight(actor, task.project_id, task=task.pk, expected_revision=task.revision, code=refusal.code)
        raise


def prepared(actor: Actor, task: Task, changed: dict[str, Any]) -> dict[str, Any]:
    """Prepare a task right after it was created or rebuilt; a retry of that is answered as the first was."""
    before = readied(task, changed["generation"])
    if before is not None:
        return before
    return prepare(actor, task, task.revision) if task.status in MAY_PREPARE else standing(task)


def _check_plane() -> None:
    """Refuse to begin while a plane that is configured does not answer: `retrieval_plane_unavailable`."""
    try:
        retrieval.check("preflight")
    except HubError as refusal:
        details = {name: value for name, value in refusal.details.items() if name != "reason"}
        raise HubError("retrieval_plane_unavailable", refusal.message, **details) from refusal


def _frozen(task: Task) -> Frozen:
    defaults = {
        "agent": task.agent.name,
        "project": task.project_id,
        "nodes": [{"kind": node.kind, "title": node.title} for node in task.nodes.order_by("number")],
    }
    try:
        return freeze(task.subject_id, f"{task.title}\n{task.text}", defaults)
    except HubError:
        raise
    except Exception as error:
        logger.exception("the snapshot of task %s could not be made", task.pk)
        raise HubError("unavailable", "The memory store is out of reach for a moment. Try again.") from error
