"""What agents call of tasks. Of all of it, four are listed as tools, and those to who runs a task alone (TSK-04)."""

from typing import Annotated, Any, Literal

from pydantic import Field

from core import limits, parts
from core.actor import Actor
from core.calls import Arguments, Json, agent_call
from core.errors import invalid
from core.page import DEFAULT_LIMIT, limit_or_default
from tasks import preflight, queries, recalling
from tasks.operations import cancel_task, complete_task, create_task, fail_task, start_task


class NodeInput(Arguments):
    """A step."""

    kind: str
    title: str | None = None
    skills: list[str] | None = None


class TaskCreate(Arguments):
    """Arguments of task_create."""

    project: str
    title: str
    text: str
    subject: Annotated[str, Field(description="The person it is for, who has allowed agents to create tasks.")]
    nodes: list[NodeInput] | None = None
    spaces: list[str] | None = None
    scopes: list[str] | None = None
    lifetime: Annotated[int, Field(description="Seconds its delegation holds.")] = limits.DELEGATION_DEFAULT_SECONDS
    idempotency_key: str | None = None


class Named(Arguments):
    """Arguments that name a task."""

    task: str


class Moved(Named):
    """Arguments of a move."""

    expected_revision: int | None = None
    idempotency_key: str | None = None


class TaskGet(Arguments):
    """Arguments of task_get."""

    task: str | None = None


class TaskList(Arguments):
    """Arguments of task_list."""

    project: str | None = None
    status: str | None = None
    limit: int | None = None
    cursor: str | None = None


class MemoryItem(Arguments):
    """What a task learned of its subject. Whose, of which task and generation is the hub's to say (MEM-07)."""

    kind: str
    text: Annotated[str, Field(max_length=limits.EVIDENCE_CHARS)]
    source_ref: str | None = None
    confidence: Annotated[float | None, Field(ge=0, le=1)] = None


class TaskComplete(Arguments):
    """Arguments of task_complete."""

    task: str
    expected_revision: int | None = None
    generation: int | None = None
    outcome: Literal["completed", "failed", "cancelled"] = "completed"
    memory_evidence: Annotated[list[MemoryItem] | None, Field(max_length=limits.EVIDENCE_ITEMS)] = None
    note: str = ""
    idempotency_key: str | None = None


class KnowledgeRecall(Arguments):
    """Arguments of knowledge_recall."""

    delegation: str
    query: str
    spaces: list[str] | None = None
    limit: int | None = None


class KnowledgeRead(Arguments):
    """Arguments of knowledge_read."""

    delegation: str
    document: str
    version: int | None = None
    offset: Annotated[int, Field(ge=0)] = 0
    limit: Annotated[int | None, Field(ge=1, le=parts.MOST_BYTES)] = None


@agent_call(
    "knowledge_recall",
    title="Recall knowledge",
    http=("GET", "/delegations/{delegation}/recall"),
    arguments=KnowledgeRecall,
    read_only=True,
    listing="in_task",
)
def knowledge_recall(actor: Actor, arguments: KnowledgeRecall) -> Json:
    """Find what the project's documents say now, best first, within your task's delegation. Each call is noted."""
    return recalling.knowledge_recall(actor, **arguments.model_dump())


@agent_call(
    "knowledge_read",
    title="Read a document",
    http=("GET", "/delegations/{delegation}/documents/{document}"),
    arguments=KnowledgeRead,
    read_only=True,
    listing="in_task",
)
def knowledge_read(actor: Actor, arguments: KnowledgeRead) -> Json:
    """Read a document as it is now, or a version, within your task's delegation. Each call is noted."""
    return recalling.knowledge_read(actor, **arguments.model_dump())


@agent_call("task_get", title="Get a task", http=("GET", "/task"), arguments=TaskGet, read_only=True, listing="in_task")
def task_get(actor: Actor, arguments: TaskGet) -> Json:
    """Get your task: text, nodes with their skills, delegation, revision, where its snapshot is."""
    return queries.whole_json(actor, queries.own_task(actor, arguments.task))


@agent_call(
    "task_complete",
    title="Complete a task",
    http=("POST", "/tasks/{task}/complete"),
    arguments=TaskComplete,
    listing="in_task",
)
def task_complete(actor: Actor, arguments: TaskComplete) -> Json:
    """End your task; a completed one may offer what it learned of its person. Its delegation ends too."""
    row = queries.task_of(actor, arguments.task)
    given: dict[str, Any] = arguments.model_dump(exclude={"outcome", "memory_evidence"})
    if arguments.outcome == "completed":
        evidence = [item.model_dump(exclude_none=True) for item in arguments.memory_evidence or ()]
        return complete_task(actor, row.project_id, memory_evidence=evidence, **given)
    if arguments.memory_evidence:
        raise invalid("memory_evidence", "Only a completed task offers evidence.")
    end = {"failed": fail_task, "cancelled": cancel_task}[arguments.outcome]
    return end(actor, row.project_id, **given)


@agent_call(
    "task_create",
    title="Create a task",
    http=("POST", "/projects/{project}/tasks"),
    arguments=TaskCreate,
    is_tool=False,
)
def task_create(actor: Actor, arguments: TaskCreate) -> Json:
    """Create a task for yourself in the name of a person who has allowed it, and prepare it."""
    given = arguments.model_dump(exclude={"project"})
    created = create_task(actor, arguments.project, **given)
    return preflight.prepared(actor, queries.task_of(actor, created["task"]), created)


@agent_call("task_list", title="List tasks", http=("GET", "/tasks"), arguments=TaskList, read_only=True, is_tool=False)
def task_list(actor: Actor, arguments: TaskList) -> Json:
    """List your tasks, newest first."""
    rows = queries.tasks_of(actor, project=arguments.project, status=arguments.status)
    page = queries.page_of(rows, cursor=arguments.cursor, limit=limit_or_default(arguments.limit or DEFAULT_LIMIT))
    page = page.within_reply(arguments.limit, queries.task_json, lambda row: row.pk)
    return page.as_dict("tasks", queries.task_json)


@agent_call(
    "task_prepare", title="Prepare a task", http=("POST", "/tasks/{task}/prepare"), arguments=Moved, is_tool=False
)
def task_prepare(actor: Actor, arguments: Moved) -> Json:
    """Prepare your task again, after that failed."""
    row = queries.task_of(actor, arguments.task)
    return preflight.prepare(actor, row, arguments.expected_revision, arguments.idempotency_key)


@agent_call("task_start", title="Start a task", http=("POST", "/tasks/{task}/start"), arguments=Moved, is_tool=False)
def task_start(actor: Actor, arguments: Moved) -> Json:
    """Start your task; a session that names it when it starts does so too."""
    row = queries.task_of(actor, arguments.task)
    return start_task(actor, row.project_id, **arguments.model_dump())


@agent_call(
    "task_snapshot",
    title="Get a task's snapshot",
    http=("GET", "/tasks/{task}/snapshot"),
    arguments=Named,
    read_only=True,
    is_tool=False,
)
def task_snapshot(actor: Actor, arguments: Named) -> Json:
    """Get what your task knows of its person, as it was frozen."""
    return queries.snapshot_json(queries.readable_snapshot(actor, queries.task_of(actor, arguments.task)))
