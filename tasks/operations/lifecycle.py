"""Tasks from their creation to their end (TSK-01, TSK-04, MEM-07)."""

from collections.abc import Sequence
from typing import Any

from django.contrib.auth import get_user_model
from django.utils import timezone

from core import ids, limits
from core.actor import Actor
from core.checks import check_text
from core.errors import HubError, invalid, not_found
from core.operation import Right, operation
from identity.models import Agent
from knowledge.drafts import project_space
from knowledge.roles import visible_spaces
from memory.screening import screened
from projects.models import Project
from tasks import library, outbox
from tasks.delegations import check_scope
from tasks.models import ENDED, RejectedEvidence, Scope, Status, SubjectSetting, Task, TaskNode
from tasks.standing import check_revision, conflict, standing
from tasks.transitions import check_runnable, held, moved, told


@operation(Right.WRITE)
def create_task(
    actor: Actor,
    project: Project,
    /,
    *,
    title: str,
    text: str,
    subject: str | None = None,
    agent: str | None = None,
    nodes: Sequence[dict[str, Any]] | None = None,
    spaces: Sequence[str] | None = None,
    scopes: Sequence[str] | None = None,
    lifetime: int = limits.DELEGATION_DEFAULT_SECONDS,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Create a task: a person for themself and any agent, an agent for itself and a person who has allowed it.

    `scope_exceeds_subject` or `scope_exceeds_actor` when it names a space that one of them may not read.
    """
    title = check_text(title, "title", limits.TITLE_CHARS).strip()
    if "\n" in title:
        raise invalid("title", "title must be one line.")
    now = timezone.now()
    task = Task(
        id=str(ids.fresh()),
        project=project,
        subject=_subject(actor, subject),
        agent=_agent(actor, agent),
        title=title,
        text=check_text(text, "text", limits.TASK_CHARS),
        spaces=_spaces(actor, spaces),
        scopes=_scopes(scopes),
        lifetime=_lifetime(lifetime),
        created_by=str(actor),
        created_at=now,
        updated_at=now,
    )
    steps = library.checked_nodes(nodes)
    check_scope(task, task.spaces)
    project_space(actor, project)  # the task's delegation names it also where nothing has been written yet
    task.save(force_insert=True)
    TaskNode.objects.bulk_create([TaskNode(task=task, **step) for step in steps])
    told(actor, task, "create")
    return standing(task)


def _subject(actor: Actor, subject: str | None) -> Any:  # noqa: ANN401 - Django's user
    """Answer whom the task is for. To an agent, who is not there and who has not allowed it look the same."""
    users = get_user_model().objects
    if not actor.is_agent:
        if subject not in {None, actor.name}:
            raise HubError("forbidden", "A task is for the person who creates it.", field="subject")
        return users.get(pk=actor.key or 0)
    if subject is None:
        raise invalid("subject", "Say whom this task is for.")
    user = users.filter(username=subject, is_active=True, is_staff=True).first()
    if user is None or not SubjectSetting.objects.filter(user=user, agents_may_create=True).exists():
        raise HubError("forbidden", f"{subject} has not allowed agents to create tasks.", reason="not_allowed")
    return user


def _agent(actor: Actor, agent: str | None) -> Agent:
    if actor.is_agent:
        if agent not in {None, actor.name}:
            raise HubError("forbidden", "An agent creates tasks for itself.", field="agent")
        return Agent.objects.get(pk=actor.key or 0)
    if agent is None:
        raise invalid("agent", "Say which agent is to do it.")
    row = Agent.objects.filter(name=agent).first()
    if row is None:
        raise not_found("agent")
    return row


def _spaces(actor: Actor, given: Sequence[str] | None) -> list[str]:
    """Answer the ids of the spaces named; what the caller may not see is not there."""
    wanted = sorted({space.upper() for space in given or ()})
    if visible_spaces(actor).filter(pk__in=wanted).count() != len(wanted):
        raise not_found("space")
    return wanted


def _scopes(given: Sequence[str] | None) -> list[str]:
    wanted = Scope.values if given is None else sorted(set(given))
    if not wanted or set(wanted) - set(Scope.values):
        raise invalid("scopes", f"scopes must be some of {', '.join(Scope.values)}.")
    return list(wanted)


def _lifetime(seconds: int) -> int:
    least, most = limits.DELEGATION_SECONDS
    if not least <= seconds <= most:
        raise invalid("lifetime", f"lifetime must be from {least} to {most} seconds.", limit=most)
    return seconds


@operation(Right.WRITE)
def start_task(
    actor: Actor,
    project: Project,
    /,
    *,
    task: str,
    expected_revision: int | None = None,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Let a ready task run. `conflict` when its snapshot is not what was frozen."""
    row = held(actor, project, task)
    check_revision(row, expected_revision)
    if row.status == Status.READY:
        check_runnable(row)
    return standing(moved(actor, row, "start"))


@operation(Right.WRITE)
def complete_task(
    actor: Actor,
    project: Project,
    /,
    *,
    task: str,
    expected_revision: int | None = None,
    generation: int | None = None,
    memory_evidence: Sequence[dict[str, Any]] | None = None,
    note: str = "",
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Complete a running task; what it says of its subject waits to be remembered, in the same transaction (MEM-07)."""
    row = _running(actor, project, task, expected_revision, generation)
    items = list(memory_evidence or ())
    if len(items) > limits.EVIDENCE_ITEMS:
        message = f"At most {limits.EVIDENCE_ITEMS} items."
        raise invalid("memory_evidence", message, limit=limits.EVIDENCE_ITEMS)
    moved(actor, row, "complete", note=_note(note))
    return standing(row) | {"memory_evidence": _offered(row, items)}


def _offered(task: Task, items: list[dict[str, Any]]) -> dict[str, Any]:
    """Let what may be remembered wait for its delivery; of the rest only what it was and why is kept (MEM-09)."""
    taken, rejected = screened(items)
    RejectedEvidence.objects.bulk_create(
        [RejectedEvidence(task=task, number=number, **one._asdict()) for number, one in enumerate(rejected, 1)]
    )
    if taken:
        outbox.enqueue(task.pk, task.generation, task.subject_id, taken)
    refused = [{"kind": one.kind, "reason": one.reason} for one in rejected]
    return {"taken": len(taken), "rejected": refused}


@operation(Right.WRITE)
def fail_task(
    actor: Actor,
    project: Project,
    /,
    *,
    task: str,
    expected_revision: int | None = None,
    generation: int | None = None,
    note: str = "",
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Say that a running task failed. Nothing is remembered of it."""
    return standing(
        moved(actor, _running(actor, project, task, expected_revision, generation), "fail", note=_note(note))
    )


@operation(Right.WRITE)
def cancel_task(
    actor: Actor,
    project: Project,
    /,
    *,
    task: str,
    expected_revision: int | None = None,
    generation: int | None = None,
    note: str = "",
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Give a task up before its end; its delegation ends with it."""
    row = _running(actor, project, task, expected_revision, generation)
    return standing(moved(actor, row, "cancel", note=_note(note)))


@operation(Right.STAFF)
def rebuild_task(
    actor: Actor,
    project: Project,
    /,
    *,
    task: str,
    expected_revision: int | None = None,
    agent: str | None = None,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Begin the next generation of a task, perhaps with another agent; what the last one was given ends."""
    row = held(actor, project, task)
    check_revision(row, expected_revision)
    doer = row.agent if agent is None else _agent(actor, agent)
    before = row.generation
    moved(actor, row, "rebuild", generation=before + 1, begun=row.revision + 1, problem="", agent=doer)
    return standing(row)


@operation(Right.WRITE)
def remove_node_skill(actor: Actor, project: Project, /, *, task: str, node: int, skill: str) -> dict[str, Any]:
    """Take a chosen skill from a step of a task that has not ended; `not_found` for one it was not given (TSK-06)."""
    row = held(actor, project, task)
    step = TaskNode.objects.filter(task=row, number=node).first()
    if step is None or skill not in step.skills:
        raise not_found("skill")
    if row.status in ENDED:
        raise conflict(row, "This task has ended.", "ended")
    step.skills = [name for name in step.skills if name != skill]
    step.save(update_fields=["skills"])
    return {"task": row.pk, "node": step.number, "skills": step.skills}


def _running(actor: Actor, project: Project, task: str, expected_revision: int | None, generation: int | None) -> Task:
    """Answer a task as its caller saw it; `conflict` for work on a generation that was rebuilt since."""
    row = held(actor, project, task)
    if generation is not None and generation != row.generation:
        message = f"The task is at generation {row.generation} now, not {generation}."
        raise conflict(row, message, "stale_generation")
    check_revision(row, expected_revision)
    return row


def _note(note: str) -> str:
    return check_text(note, "note", limits.REASON_CHARS, empty=True)
