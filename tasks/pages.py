"""Tasks in the browser: a project's list, and one with all that was issued, recalled and done (TSK-01..05)."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from core.actor import Actor
from core.errors import HubError, not_found
from core.operation import Right
from identity.access import authorized
from identity.models import Agent
from identity.pages import human_page, newest_event, page, told
from knowledge.models import Document, Space
from projects.models import Project
from sessions_app.models import Session
from tasks import library, operations, preflight, queries
from tasks.models import ENDED, MAY_PREPARE, RecallEvidence, Snapshot, Status, Task

PAGE: Final = 50
AGENTS: Final = 500
RECALLS: Final = 50


@human_page
def tasks(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    """List a project's tasks, newest first."""
    return _list(request, actor, authorized(actor, slug, Right.READ))


@require_POST
@human_page
def new(request: HttpRequest, actor: Actor, slug: str) -> HttpResponseBase:
    """Create a task and prepare it; what was refused stays typed."""
    project, form = authorized(actor, slug, Right.READ), request.POST
    typed: dict[str, Any] = {name: form.get(name, "").replace("\r\n", "\n") for name in ("title", "text", "agent")}
    steps = [{"kind": kind} for kind in form.getlist("kind")]
    try:
        made = operations.create_task(actor, slug, **typed, nodes=steps, spaces=form.getlist("space"))
    except HubError as refusal:
        chosen = {"kinds": form.getlist("kind"), "spaces": form.getlist("space")}
        return _list(request, actor, project, refusal=refusal, typed={**typed, **chosen})
    with told(request):
        preflight.prepared(actor, queries.task_of(actor, made["task"]), made)
    return redirect("admin:task", made["task"])


@require_POST
@human_page
def setting(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    """Let agents create tasks for the person who looks, or no longer."""
    with told(request, "Saved."):
        operations.allow_agents(actor, create_tasks=request.POST.get("agents_may_create") == "on")
    return redirect("admin:tasks", slug)


def _list(
    request: HttpRequest, actor: Actor, project: Project, refusal: HubError | None = None, **more: object
) -> HttpResponse:
    since = newest_event()
    status = request.GET.get("status", "")
    status = status if status in Status.values else ""
    rows = queries.tasks_of(actor, project=project.pk)
    counts = dict(rows.order_by().values_list("status").annotate(n=Count("pk")))
    wanted = rows.filter(status=status) if status else rows
    found = queries.page_of(wanted, cursor=request.GET.get("before"), limit=PAGE)
    return page(
        request,
        "tasks/tasks.html",
        parts=("tasks",),
        place=project.pk,
        title=f"Tasks of {project.name}",
        status=refusal.status if refusal else 200,
        refusal=refusal,
        since=since,
        project=project,
        tasks=found.rows,
        older=found.next_cursor,
        before=request.GET.get("before", ""),
        wanted=status,
        chips=[(name, label, counts[name]) for name, label in Status.choices if counts.get(name)],
        agents=Agent.objects.order_by("name").values_list("name", flat=True)[:AGENTS],
        kinds=library.KINDS.values(),
        spaces=Space.objects.filter(project=project).order_by("-kind", "name"),
        setting=queries.setting_of(actor),
        **more,
    )


@human_page
def task(request: HttpRequest, actor: Actor, task: str) -> HttpResponse:
    """Show a task."""
    since = newest_event()
    row = queries.task_of(actor, task)
    recalls = list(RecallEvidence.objects.filter(task=row).order_by("-pk")[: RECALLS + 1])
    snapshot, altered = _snapshot(actor, row)
    line = queries.snapshot_line(row)
    return page(
        request,
        "tasks/task.html",
        parts=("task",),
        place=row.project_id,
        title=row.title,
        since=since,
        project=row.project,
        task=row,
        nodes=queries.nodes_json(row),
        line=line,
        frozen_at=datetime.fromisoformat(line["created_at"]) if line else None,
        snapshot=snapshot,
        altered=altered,
        delegations=row.delegations.order_by("-generation"),
        spaces=_names(row),
        recalls=_with_titles(recalls[:RECALLS]),
        more_recalls=len(recalls) > RECALLS,
        changes=row.changes.order_by("-pk")[:200],
        rejected=row.rejected.order_by("number"),
        sessions=Session.objects.filter(task=row.pk, deleted_at__isnull=True).select_related("agent").order_by("-pk"),
        agents=Agent.objects.order_by("name").values_list("name", flat=True)[:AGENTS],
        **_may(row),
    )


def _may(task: Task) -> dict[str, bool]:
    """Answer what can be done with a task as it stands."""
    return {
        "may_prepare": task.status in MAY_PREPARE,
        "may_start": task.status == Status.READY,
        "may_end": task.status == Status.RUNNING,
        "is_open": task.status not in ENDED,
    }


def _snapshot(actor: Actor, task: Task) -> tuple[Snapshot | None, bool]:
    """Answer the snapshot for the person it is about, and whether its bytes were altered."""
    try:
        return queries.readable_snapshot(actor, task), False
    except HubError as refusal:
        return None, refusal.code == "conflict"


def _names(task: Task) -> dict[str, str]:
    """Answer the names of the spaces a task's delegations name."""
    ids = {space for row in task.delegations.all() for space in row.spaces}
    return {row.pk: f"{row.project_id}/{row.name}" for row in Space.objects.filter(pk__in=ids)}


def _with_titles(recalls: list[RecallEvidence]) -> list[RecallEvidence]:
    """Add to what was found the titles as they are now; a fixed number of queries."""
    ids = {hit["document"] for row in recalls for hit in row.hits}
    current = Document.objects.filter(pk__in=ids, current__isnull=False).select_related("current")
    titles = {row.pk: row.current.title for row in current if row.current}
    for row in recalls:
        vars(row)["found"] = [{**hit, "title": titles.get(hit["document"], hit["document"])} for hit in row.hits]
    return recalls


type _Step = Callable[[Actor, Task, HttpRequest], object]


def _seen(request: HttpRequest) -> int | None:
    given = request.POST.get("expected_revision", "")
    return int(given) if given.isascii() and given.isdecimal() and len(given) < 10 else None  # noqa: PLR2004 - the column's reach


def _prepare(actor: Actor, task: Task, request: HttpRequest) -> None:
    preflight.prepare(actor, task, _seen(request))


def _start(actor: Actor, task: Task, request: HttpRequest) -> None:
    operations.start_task(actor, task.project_id, task=task.pk, expected_revision=_seen(request))


def _end(operation: Callable[..., object]) -> _Step:
    def end(actor: Actor, task: Task, request: HttpRequest) -> None:
        note = request.POST.get("note", "")
        operation(actor, task.project_id, task=task.pk, expected_revision=_seen(request), note=note)

    return end


def _rebuild(actor: Actor, task: Task, request: HttpRequest) -> None:
    agent = request.POST.get("agent") or None
    rebuilt = operations.rebuild_task(
        actor, task.project_id, task=task.pk, expected_revision=_seen(request), agent=agent
    )
    preflight.prepared(actor, queries.task_of(actor, task.pk), rebuilt)


def _revoke(actor: Actor, task: Task, request: HttpRequest) -> None:
    operations.revoke_delegation(actor, task.project_id, task=task.pk, delegation=request.POST.get("delegation", ""))


_STEPS: Final[dict[str, tuple[_Step, str]]] = {
    "prepare": (_prepare, "It is ready."),
    "start": (_start, "It runs."),
    "complete": (_end(operations.complete_task), "It is completed."),
    "fail": (_end(operations.fail_task), "It is marked as failed."),
    "cancel": (_end(operations.cancel_task), "It is cancelled."),
    "rebuild": (_rebuild, "It is rebuilt: a new snapshot, a new delegation."),
    "revoke": (_revoke, "The delegation has ended."),
}


@require_POST
@human_page
def step(request: HttpRequest, actor: Actor, task: str, action: str) -> HttpResponseBase:
    """Take a task a step on, as it was shown."""
    row = queries.task_of(actor, task)
    if action not in _STEPS:
        raise not_found("page")
    run, done = _STEPS[action]
    with told(request, done):
        run(actor, row, request)
    return redirect("admin:task", row.pk)


ROUTES = [
    ("project/<str:slug>/tasks/", tasks, "tasks"),
    ("project/<str:slug>/tasks/new/", new, "task-new"),
    ("project/<str:slug>/tasks/setting/", setting, "task-setting"),
    ("task/<str:task>/", task, "task"),
    ("task/<str:task>/<str:action>/", step, "task-step"),
]
