"""The human API of tasks, delegations, recalls and the outbox (TSK-01..06, MEM-08)."""

from typing import Any

from core import limits
from core.actor import Actor
from core.calls import Arguments
from core.errors import not_found
from core.human_calls import Nothing, human_call
from core.page import DEFAULT_LIMIT
from tasks import library, operations, outbox_queries, preflight, queries
from tasks.agent_calls import NodeInput


class TaskQuery(Arguments):
    """Which tasks to list."""

    project: str | None = None
    status: str | None = None
    limit: int = DEFAULT_LIMIT
    cursor: str | None = None


class NewTask(Arguments):
    """A task for the caller."""

    title: str
    text: str
    agent: str
    subject: str | None = None
    nodes: list[NodeInput] | None = None
    spaces: list[str] | None = None
    scopes: list[str] | None = None
    lifetime: int = limits.DELEGATION_DEFAULT_SECONDS
    idempotency_key: str | None = None


class Seen(Arguments):
    """The revision the caller saw."""

    expected_revision: int | None = None
    idempotency_key: str | None = None


class End(Seen):
    """An end, and why."""

    note: str = ""


class Rebuild(Seen):
    """The next generation, perhaps with another agent."""

    agent: str | None = None


class Cursor(Arguments):
    """A page of a list."""

    limit: int = DEFAULT_LIMIT
    cursor: str | None = None


class Setting(Arguments):
    """What the caller allows agents."""

    agents_may_create: bool


class OutboxQuery(Arguments):
    """Which deliveries to list."""

    state: str | None = None
    limit: int = DEFAULT_LIMIT
    cursor: str | None = None


class Discard(Arguments):
    """Why it is given up."""

    reason: str


@human_call(TaskQuery)
def task_list(actor: Actor, given: TaskQuery) -> dict[str, Any]:
    """List tasks, newest first."""
    rows = queries.tasks_of(actor, project=given.project, status=given.status)
    return queries.page_of(rows, cursor=given.cursor, limit=given.limit).as_dict("tasks", queries.task_json)


@human_call(NewTask)
def task_create(actor: Actor, given: NewTask, project: str) -> dict[str, Any]:
    """Create a task and prepare it."""
    created = operations.create_task(actor, project, **given.model_dump())
    return preflight.prepared(actor, queries.task_of(actor, created["task"]), created)


@human_call(Nothing)
def task(actor: Actor, given: Nothing, task: str) -> dict[str, Any]:
    """Show a task, its timeline and its delegations."""
    row = queries.task_of(actor, task)
    delegations = [queries.delegation_json(one) for one in row.delegations.order_by("-generation")]
    rejected = list(row.rejected.order_by("number").values("kind", "reason", "sha256"))
    more = {"timeline": queries.timeline(row), "delegations": delegations, "rejected": rejected}
    return queries.whole_json(actor, row) | more


@human_call(Seen)
def prepare(actor: Actor, given: Seen, task: str) -> dict[str, Any]:
    """Prepare a task again."""
    return preflight.prepare(actor, queries.task_of(actor, task), given.expected_revision, given.idempotency_key)


@human_call(Seen)
def start(actor: Actor, given: Seen, task: str) -> dict[str, Any]:
    """Start a task."""
    row = queries.task_of(actor, task)
    return operations.start_task(actor, row.project_id, task=row.pk, **given.model_dump())


@human_call(End)
def complete(actor: Actor, given: End, task: str) -> dict[str, Any]:
    """Complete a task."""
    row = queries.task_of(actor, task)
    return operations.complete_task(actor, row.project_id, task=row.pk, **given.model_dump())


@human_call(End)
def fail(actor: Actor, given: End, task: str) -> dict[str, Any]:
    """Say that a task failed."""
    row = queries.task_of(actor, task)
    return operations.fail_task(actor, row.project_id, task=row.pk, **given.model_dump())


@human_call(End)
def cancel(actor: Actor, given: End, task: str) -> dict[str, Any]:
    """Cancel a task."""
    row = queries.task_of(actor, task)
    return operations.cancel_task(actor, row.project_id, task=row.pk, **given.model_dump())


@human_call(Rebuild)
def rebuild(actor: Actor, given: Rebuild, task: str) -> dict[str, Any]:
    """Begin the next generation of a task and prepare it."""
    row = queries.task_of(actor, task)
    rebuilt = operations.rebuild_task(actor, row.project_id, task=row.pk, **given.model_dump())
    return preflight.prepared(actor, queries.task_of(actor, task), rebuilt)


@human_call(Nothing)
def snapshot(actor: Actor, given: Nothing, task: str) -> dict[str, Any]:
    """Show what a task knows of the caller, as it was frozen."""
    return queries.snapshot_json(queries.readable_snapshot(actor, queries.task_of(actor, task)))


@human_call(Cursor)
def recalls(actor: Actor, given: Cursor, task: str) -> dict[str, Any]:
    """List the evidence of a task's recalls, newest first."""
    return queries.recalls_page(queries.task_of(actor, task), cursor=given.cursor, limit=given.limit)


@human_call(Nothing)
def revoke(actor: Actor, given: Nothing, task: str, delegation: str) -> dict[str, Any]:
    """End a delegation at once."""
    row = queries.task_of(actor, task)
    return operations.revoke_delegation(actor, row.project_id, task=row.pk, delegation=delegation)


@human_call(Nothing)
def node_skill_remove(actor: Actor, given: Nothing, task: str, node: str, skill: str) -> dict[str, Any]:
    """Take a chosen skill from a step. There is no such skill as the system's own."""
    row = queries.task_of(actor, task)
    if not (node.isascii() and node.isdecimal() and len(node) < 4):  # noqa: PLR2004 - more than a task may have
        raise not_found("node")
    return operations.remove_node_skill(actor, row.project_id, task=row.pk, node=int(node), skill=skill)


@human_call(Nothing)
def library_list(actor: Actor, given: Nothing) -> dict[str, Any]:
    """List the kinds of steps and the skills there are to choose from."""
    return library.listed()


@human_call(Nothing)
def library_skill(actor: Actor, given: Nothing, skill: str) -> dict[str, Any]:
    """Show a skill of the library."""
    return library.skill_of(skill).as_json()


@human_call(Nothing)
def setting(actor: Actor, given: Nothing) -> dict[str, Any]:
    """Tell what the caller allows agents."""
    return queries.setting_of(actor)


@human_call(Setting)
def setting_change(actor: Actor, given: Setting) -> dict[str, Any]:
    """Let agents create tasks for the caller, or no longer."""
    return operations.allow_agents(actor, create_tasks=given.agents_may_create)


@human_call(OutboxQuery)
def outbox(actor: Actor, given: OutboxQuery) -> dict[str, Any]:
    """List what is on its way to memory, newest first."""
    page = outbox_queries.page_of(outbox_queries.rows_of(given.state), cursor=given.cursor, limit=given.limit)
    return page.as_dict("deliveries", outbox_queries.row_json) | {"counts": outbox_queries.counts()}


@human_call(Nothing)
def redrive(actor: Actor, given: Nothing, row: str) -> dict[str, Any]:
    """Deliver a dead one again."""
    return {"id": operations.redrive_evidence(actor, row=row), "state": "pending"}


@human_call(Discard)
def discard(actor: Actor, given: Discard, row: str) -> dict[str, Any]:
    """Give a dead one up and erase its items."""
    return {"id": operations.discard_evidence(actor, row=row, reason=given.reason), "state": "discarded"}
