"""How a task stands, as its callers are told: after a change, and when what they saw is not how it is (TSK-01)."""

from typing import Any

from core.errors import HubError
from tasks.models import Delegation, Snapshot, Task, TaskChange


def standing(task: Task) -> dict[str, Any]:
    """Answer what every change of a task answers."""
    return {
        "task": task.pk,
        "status": str(task.status),
        "generation": task.generation,
        "revision": task.revision,
    }


def readied(task: Task, generation: int) -> dict[str, Any] | None:
    """Answer what preparing a generation answered; None while it was not prepared."""
    change = TaskChange.objects.filter(task=task, generation=generation, action="ready").first()
    if change is None:
        return None
    return {
        "task": task.pk,
        "status": change.status,
        "generation": generation,
        "revision": change.revision,
        "delegation": Delegation.objects.values_list("pk", flat=True).get(task=task, generation=generation),
        "snapshot": Snapshot.objects.values_list("sha256", flat=True).get(task=task, generation=generation),
    }


def check_revision(task: Task, expected_revision: int | None) -> None:
    """Refuse a change by somebody who has not seen how the task stands."""
    if expected_revision is None:
        raise HubError(
            "precondition_required",
            "Say which revision you saw as expected_revision.",
            field="expected_revision",
            current_revision=task.revision,
        )
    if expected_revision != task.revision:
        stale = expected_revision < task.begun
        raise conflict(
            task,
            f"The task is at revision {task.revision} now, not {expected_revision}."
            + (" It was rebuilt since." if stale else " Look at it, then try again."),
            "stale_generation" if stale else "revision",
        )


def conflict(task: Task, message: str, reason: str) -> HubError:
    """Answer the refusal of a move, with how the task stands."""
    return HubError(
        "conflict",
        message,
        reason=reason,
        task=task.pk,
        status=str(task.status),
        current_revision=task.revision,
        generation=task.generation,
    )
