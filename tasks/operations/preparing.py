"""What comes of preparing a task: a snapshot and a delegation, or the reason why not (TSK-02, MEM-04, MEM-10)."""

import hashlib
from typing import Any

from django.utils import timezone

from core.actor import Actor
from core.errors import HubError
from core.operation import Right, operation
from memory.composing import Frozen
from projects.models import Project
from tasks.delegations import issue, wanted_spaces
from tasks.models import Snapshot, Task
from tasks.standing import check_revision, readied, standing
from tasks.transitions import held, moved


@operation(Right.WRITE)
def pass_preflight(
    actor: Actor,
    project: Project,
    frozen: Frozen,
    /,
    *,
    task: str,
    expected_revision: int | None,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Keep what was frozen for a task's generation, issue its delegation, and let it be ready: all or nothing.

    What was frozen is no part of the call that a key stands for: a retry has frozen nothing.
    """
    row = held(actor, project, task)
    check_revision(row, expected_revision)
    moved(actor, row, "ready", problem="")
    _keep(row, frozen)
    issue(row, wanted_spaces(row))
    return readied(row, row.generation) or {}


def _keep(task: Task, frozen: Frozen) -> None:
    if hashlib.sha256(frozen.content).hexdigest() != frozen.sha256:
        raise HubError("internal", "The frozen snapshot does not have the hash it came with.")
    Snapshot.objects.create(
        task=task,
        generation=task.generation,
        content=frozen.content,
        sha256=frozen.sha256,
        markdown=frozen.markdown,
        markdown_sha256=hashlib.sha256(frozen.markdown.encode()).hexdigest(),
        recall=frozen.recall,
        created_at=timezone.now(),
    )


@operation(Right.WRITE)
def fail_preflight(
    actor: Actor, project: Project, /, *, task: str, expected_revision: int, code: str
) -> dict[str, Any]:
    """Note why a task could not be prepared: no snapshot, no delegation, and it can be tried again."""
    row = held(actor, project, task)
    check_revision(row, expected_revision)
    return standing(moved(actor, row, "preflight_failed", problem=code, note=code))
