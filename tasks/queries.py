"""Reading tasks, each under its reader's rights (TSK-01..05).

People see the tasks of every project. An agent sees its own, and one that a live session of its own is bound to.
"""

from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from core.actor import Actor
from core.errors import HubError, invalid, not_found
from core.ids import parse
from core.operation import Right
from core.page import Page, check_limit, cut
from core.times import rfc3339
from identity.access import authorized, visible_projects
from sessions_app.models import Session
from sessions_app.models import Status as SessionStatus
from tasks import library
from tasks.context import PLACE, URI, snapshot_of
from tasks.models import Delegation, RecallEvidence, Snapshot, Status, SubjectSetting, Task
from tasks.recalling import evidence_json


def _bound(actor: Actor) -> QuerySet[Session]:
    rows = Session.objects.filter(agent=actor.key, status=SessionStatus.LIVE, deleted_at__isnull=True)
    return rows if actor.is_agent else rows.none()


def is_bound(actor: Actor) -> bool:
    """Tell whether an agent runs a task: it has a live session bound to one that is running."""
    running = Task.objects.filter(pk=OuterRef("task"), status=Status.RUNNING)
    return _bound(actor).filter(Exists(running)).exists()


def visible_tasks(actor: Actor) -> QuerySet[Task]:
    """Answer the tasks `actor` may see, newest first."""
    rows = Task.objects.filter(project__in=visible_projects(actor)).select_related("project", "subject", "agent")
    if actor.is_agent:
        rows = rows.filter(Q(agent=actor.key) | Exists(_bound(actor).filter(task=OuterRef("pk"))))
    return rows.order_by("-pk")


def running_tasks(actor: Actor) -> list[Task]:
    """Answer the tasks an agent runs."""
    rows = visible_tasks(actor).filter(agent=actor.key, status=Status.RUNNING)
    return list(rows[:20]) if actor.is_agent else []


def setting_of(actor: Actor) -> dict[str, Any]:
    """Answer what a person allows agents to do in their name."""
    allowed = SubjectSetting.objects.filter(user=actor.key, agents_may_create=True)
    return {"agents_may_create": allowed.exists()}


def tasks_of(actor: Actor, *, project: str | None = None, status: str | None = None) -> QuerySet[Task]:
    """Answer the tasks of a project, or of all; `not_found` for a named one that is hidden."""
    if project is not None:
        authorized(actor, project, Right.READ)
    if status is not None and status not in Status.values:
        raise invalid("status", f"status must be one of {', '.join(Status.values)}.")
    wanted = {"project": project, "status": status}
    return visible_tasks(actor).filter(**{field: value for field, value in wanted.items() if value is not None})


def page_of(rows: QuerySet[Task], *, cursor: str | None, limit: int) -> Page[Task]:
    """Page tasks by id."""
    check_limit(limit)
    if cursor is not None:
        rows = rows.filter(pk__lt=parse(cursor, "cursor"))
    return cut(list(rows[: limit + 1]), limit, lambda task: task.pk)


def task_of(actor: Actor, task: str) -> Task:
    """Answer one task `actor` may see; `not_found` for any other."""
    row = visible_tasks(actor).filter(pk=parse(task, "task")).first()
    if row is None:
        raise not_found("task")
    return row


def own_task(actor: Actor, task: str | None) -> Task:
    """Answer the task a call means: named, or the one that the caller's live sessions are bound to, a running first."""
    if task is not None:
        return task_of(actor, task)
    bound = list(visible_tasks(actor).filter(Exists(_bound(actor).filter(task=OuterRef("pk")))))
    rows = [row for row in bound if row.status == Status.RUNNING] or bound
    if not rows:
        raise HubError("no_active_session", "No live session of yours is bound to a task. Name the task.")
    if len(rows) > 1:
        raise HubError("ambiguous_session", "Your sessions are bound to several tasks; name one as 'task'.")
    return rows[0]


def may_have_snapshot(actor: Actor, task: Task) -> bool:
    """Tell who gets to see a snapshot: the agent the task is for, and the person it is about."""
    return task.agent_id == actor.key if actor.is_agent else task.subject_id == actor.key


def readable_snapshot(actor: Actor, task: Task) -> Snapshot:
    """Answer the snapshot of a task's generation, verified; `not_found` for who may not have it."""
    row = snapshot_of(task) if may_have_snapshot(actor, task) else None
    if row is None:
        raise not_found("snapshot")
    return row


def current_delegation(task: Task) -> Delegation | None:
    """Answer the delegation of a task's generation."""
    return Delegation.objects.filter(task=task, generation=task.generation).first()


def task_json(task: Task) -> dict[str, Any]:
    """Answer a task as lists show it."""
    return {
        "id": task.pk,
        "project": task.project_id,
        "project_name": task.project.name,
        "title": task.title,
        "subject": task.subject.get_username(),
        "agent": task.agent.name,
        "status": task.status,
        "generation": task.generation,
        "revision": task.revision,
        "problem": task.problem or None,
        "created_by": task.created_by,
        "created_at": rfc3339(task.created_at),
        "updated_at": rfc3339(task.updated_at),
        "ended_at": rfc3339(task.ended_at),
    }


def whole_json(actor: Actor, task: Task) -> dict[str, Any]:
    """Answer a task with what whoever runs it needs: its steps as they are served, its snapshot, its delegation."""
    delegation = current_delegation(task)
    shows = delegation is not None and (not actor.is_agent or task.agent_id == actor.key)
    return task_json(task) | {
        "text": task.text,
        "nodes": nodes_json(task),
        "snapshot": snapshot_line(task),
        "delegation": delegation_json(delegation) if delegation and shows else None,
    }


def nodes_json(task: Task) -> list[dict[str, Any]]:
    """Answer the steps of a task, each with its specification as it is served now (TSK-06)."""
    return [
        {"number": node.number, **library.specification(node.kind, node.title, node.skills)}
        for node in task.nodes.order_by("number")
    ]


def snapshot_line(task: Task) -> dict[str, Any] | None:
    """Answer what names a snapshot, and where its words are, without them."""
    row = Snapshot.objects.filter(task=task, generation=task.generation).defer("content", "markdown").first()
    if row is None:
        return None
    return {
        "generation": row.generation,
        "sha256": row.sha256,
        "created_at": rfc3339(row.created_at),
        "resource": URI.format(task=task.pk),
        "path": f"{PLACE}/snapshot.md",
    }


def snapshot_json(snapshot: Snapshot) -> dict[str, Any]:
    """Answer a snapshot: its canonical bytes as text, and the same to read."""
    return {
        "task": snapshot.task_id,
        "generation": snapshot.generation,
        "sha256": snapshot.sha256,
        "content": bytes(snapshot.content).decode(),
        "markdown": snapshot.markdown,
        "created_at": rfc3339(snapshot.created_at),
    }


def delegation_json(row: Delegation) -> dict[str, Any]:
    """Answer a delegation."""
    return {
        "id": row.pk,
        "generation": row.generation,
        "agent": row.agent_name,
        "project": row.project,
        "spaces": row.spaces,
        "scopes": row.scopes,
        "issued_at": rfc3339(row.issued_at),
        "expires_at": rfc3339(row.expires_at),
        "revoked_at": rfc3339(row.revoked_at),
        "revoked_by": row.revoked_by or None,
        "revoked_for": row.revoked_for or None,
    }


def timeline(task: Task) -> list[dict[str, Any]]:
    """Answer what was done with a task, oldest first."""
    names = ("revision", "generation", "action", "status", "actor", "note")
    rows = task.changes.order_by("pk")[:500]
    return [{**{name: getattr(row, name) for name in names}, "at": rfc3339(row.at)} for row in rows]


def recalls_page(task: Task, *, cursor: str | None, limit: int) -> dict[str, Any]:
    """Answer the evidence of a task's recalls, newest first."""
    check_limit(limit)
    rows = RecallEvidence.objects.filter(task=task).order_by("-pk")
    if cursor is not None:
        rows = rows.filter(pk__lt=parse(cursor, "cursor"))
    return cut(list(rows[: limit + 1]), limit, lambda row: row.pk).as_dict("recalls", evidence_json)
