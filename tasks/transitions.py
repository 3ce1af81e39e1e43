"""How a task moves: guarded by what its caller saw, never out of an end (TSK-01). Steps of operations."""

from typing import Any, Final

from django.utils import timezone

from core import live
from core.actor import Actor
from core.errors import not_found
from core.ids import parse
from projects import feed
from projects.models import Kind, Project
from tasks import context
from tasks.models import ENDED, MAY_PREPARE, Delegation, Snapshot, Status, Task, TaskChange
from tasks.standing import conflict

# From where each action may be taken, and where it leads.
MOVES: Final = {
    "ready": (MAY_PREPARE, Status.READY),
    "preflight_failed": (MAY_PREPARE, Status.PREFLIGHT_FAILED),
    "start": ((Status.READY,), Status.RUNNING),
    "complete": ((Status.RUNNING,), Status.COMPLETED),
    "fail": ((Status.RUNNING,), Status.FAILED),
    "cancel": ((*MAY_PREPARE, Status.READY, Status.RUNNING), Status.CANCELLED),
    "rebuild": ((*MAY_PREPARE, Status.READY, Status.RUNNING), Status.CREATED),
}
_DONE: Final = {
    "create": "created",
    "ready": "prepared",
    "preflight_failed": "could not prepare",
    "start": "started",
    "complete": "completed",
    "fail": "failed",
    "cancel": "cancelled",
    "rebuild": "rebuilt",
    "revoke": "revoked the delegation of",
}


def held(actor: Actor, project: Project, task: str) -> Task:
    """Answer a task of the project, held for the rest of the transaction; an agent's own alone."""
    rows = Task.objects.select_for_update(of=("self",)).select_related("agent")
    row = rows.filter(project=project, pk=parse(task, "task")).first()
    if row is None or (actor.is_agent and row.agent_id != actor.key):
        raise not_found("task")
    return row


def moved(actor: Actor, task: Task, action: str, *, note: str = "", **columns: Any) -> Task:  # noqa: ANN401
    """Take a task, held, to where an action leads: one row changes, if it stands where it was read, or `conflict`."""
    sources, target = MOVES[action]
    if task.status not in sources:
        reason = "ended" if task.status in ENDED else "status"
        raise conflict(task, f"This task is {task.get_status_display().lower()}.", reason)
    now = timezone.now()
    columns |= {"status": target, "revision": task.revision + 1, "updated_at": now}
    columns |= {"ended_at": now} if target in ENDED else {}
    same = Task.objects.filter(pk=task.pk, revision=task.revision, generation=task.generation, status=task.status)
    if not same.update(**columns):
        raise conflict(task, "The task changed meanwhile. Look at it, then try again.", "revision")
    for column, value in columns.items():
        setattr(task, column, value)
    if target in ENDED or action == "rebuild":
        revoke(actor, task, str(target) if target in ENDED else "rebuilt")
    told(actor, task, action, note)
    return task


def told(actor: Actor, task: Task, action: str, note: str = "") -> None:
    """Note in the timeline what was done, tell the feed, and whoever looks. Titles only: the feed is everyone's."""
    TaskChange.objects.create(
        task=task,
        revision=task.revision,
        generation=task.generation,
        action=action,
        status=task.status,
        actor=str(actor),
        note=note,
        at=timezone.now(),
    )
    payload = {"action": f"task.{action}", "task": task.pk, "status": str(task.status), "generation": task.generation}
    feed.append(task.project, Kind.SYSTEM, actor, f"{_DONE[action]} {task.title}", payload=payload)
    live.announce(f"project:{task.project_id}", task=task.pk)


def revoke(actor: Actor, task: Task, reason: str, *delegation: str) -> int:
    """End the delegations of a task that hold, in the caller's transaction; answers how many."""
    live_ones = Delegation.objects.filter(task=task, revoked_at__isnull=True)
    if delegation:
        live_ones = live_ones.filter(pk__in=delegation)
    return live_ones.update(revoked_at=timezone.now(), revoked_by=str(actor), revoked_for=reason)


def check_runnable(task: Task) -> None:
    """Refuse to run a task whose snapshot is not what was frozen (TSK-01, MEM-04)."""
    snapshot = Snapshot.objects.filter(task=task, generation=task.generation).first()
    if snapshot is None:
        raise conflict(task, "This task has no snapshot. Prepare it first.", "status")
    context.verified(snapshot)


def bind(actor: Actor, project: Project, task: str) -> str:
    """Let a session that begins run a task, in its transaction: what is ready is running from now on.

    `not_found` for a task that is not the caller's; `conflict` for one that is neither ready nor running.
    """
    row = held(actor, project, task)
    if row.status not in {Status.READY, Status.RUNNING}:
        raise conflict(row, f"This task is {row.get_status_display().lower()}; a ready one can be run.", "status")
    check_runnable(row)
    if row.status == Status.READY:
        moved(actor, row, "start")
    bound: str = row.pk
    return bound
