"""Who the caller is, where it may work, and its sessions."""

from typing import Annotated, Any, Literal

from django.db.models import Count
from pydantic import Field

from core.actor import Actor
from core.calls import Arguments, Json, agent_call
from core.errors import invalid
from core.operation import Right
from core.page import DEFAULT_LIMIT, fitting, limit_or_default
from core.version import VERSION
from identity.access import projects_for, rights_on, visible_projects
from inbox.models import OPEN, InboxItem
from projects.models import Project
from sessions_app import queries
from sessions_app.jobs import close_due_prunes
from sessions_app.models import Session, Status
from sessions_app.operations import end_session, pick_up_session, start_session


class NoArguments(Arguments):
    """No arguments."""


class PickupSource(Arguments):
    """Whose work to go on with: a session by id, or the newest of an agent by name."""

    session: str | None = None
    agent: str | None = None
    name: str | None = None
    mode: Annotated[
        Literal["adopt", "fork"] | None, Field(description="Insist on one; else adopt what ended, fork what runs.")
    ] = None


class SessionStart(Arguments):
    """Arguments of session_start."""

    project: str
    name: str
    source: Annotated[PickupSource | None, Field(alias="from")] = None
    task: str | None = None
    idempotency_key: str | None = None


class SessionEnd(Arguments):
    """Arguments of session_end."""

    session: str | None = None
    handoff: str = ""
    idempotency_key: str | None = None


class SessionList(Arguments):
    """Arguments of session_list."""

    project: str | None = None
    status: str | None = None
    agent: str | None = None
    limit: int | None = None
    cursor: str | None = None


@agent_call("whoami", title="Who am I", http=("GET", "/whoami"), arguments=NoArguments, read_only=True)
def whoami(actor: Actor, arguments: NoArguments) -> Json:
    """Tell your name, projects with your rights, and live sessions. Start here."""
    live = queries.sessions_of(actor, status=Status.LIVE).filter(agent=actor.key)[:DEFAULT_LIMIT]
    return {
        "agent": actor.name,
        "trusted": actor.trusted,
        "personal_space": f"~{actor.name}",
        "projects": [{"project": row.slug, "right": _right(actor, row)} for row in _projects(actor)[:DEFAULT_LIMIT]],
        "sessions": [{"id": row.pk, "name": row.name, "project": row.project_id} for row in live],
        "version": VERSION,
    }


@agent_call("project_list", title="List projects", http=("GET", "/projects"), arguments=NoArguments, read_only=True)
def project_list(actor: Actor, arguments: NoArguments) -> Json:
    """List the projects you may read, with your right and what is open in each."""
    projects = list(_projects(actor))
    open_items = _tally(InboxItem.objects.filter(status__in=OPEN, project__in=projects))
    live = _tally(Session.objects.filter(status=Status.LIVE, deleted_at__isnull=True, project__in=projects))
    rows = [
        {
            "slug": row.slug,
            "project": row.slug,
            "project_name": row.name,
            "right": _right(actor, row),
            "counts": {"open_items": open_items.get(row.slug, 0), "live_sessions": live.get(row.slug, 0)},
        }
        for row in projects
    ]
    shown = fitting(rows)
    return {"projects": rows[:shown], "truncated": shown < len(rows)}


def _projects(actor: Actor) -> Any:  # noqa: ANN401 - a queryset with annotations
    return projects_for(actor).filter(pk__in=visible_projects(actor)).order_by("personal", "slug")


def _tally(rows: Any) -> dict[str, int]:  # noqa: ANN401 - a queryset of any model with a project
    return dict(rows.order_by().values_list("project").annotate(n=Count("pk")))


def _right(actor: Actor, project: Project) -> str:
    return str(Right.WRITE if Right.WRITE in rights_on(actor, project) else Right.READ)


@agent_call(
    "session_start",
    title="Start or resume a session",
    http=("POST", "/projects/{project}/sessions"),
    arguments=SessionStart,
    idempotent=True,
)
def session_start(actor: Actor, arguments: SessionStart) -> Json:
    """Start a session, or resume your own of that name with the same brain. Do this before you post or write.

    With from, go on with another session's brain: adopt it if it ended, a copy (fork) if it still runs.
    """
    close_due_prunes()  # a name is free from the moment nobody can bring its session back
    given: Any = {"name": arguments.name, "idempotency_key": arguments.idempotency_key}
    if arguments.source is None:
        return start_session(actor, arguments.project, task=arguments.task, **given)
    if arguments.task is not None:
        raise invalid("task", "What you go on with keeps its task; a fork has none.")
    source = arguments.source.model_dump(exclude={"mode"})
    return pick_up_session(actor, arguments.project, source=source, mode=arguments.source.mode, **given)


@agent_call("session_end", title="End a session", http=("POST", "/sessions/{session}/end"), arguments=SessionEnd)
def session_end(actor: Actor, arguments: SessionEnd) -> Json:
    """End your session and leave a handoff note (up to 4096 characters) for whoever goes on."""
    key = arguments.idempotency_key
    named = queries.ended_by(actor, key) if arguments.session is None and key else arguments.session
    # With a key it may be a retry: the session it names has ended.
    row = queries.session_of(actor, named) if key and named else queries.resolve_session(actor, None, named)
    return end_session(
        actor,
        row.project_id,
        session=row.pk,
        handoff=arguments.handoff,
        idempotency_key=key,
    )


@agent_call("session_list", title="List sessions", http=("GET", "/sessions"), arguments=SessionList, read_only=True)
def session_list(actor: Actor, arguments: SessionList) -> Json:
    """List sessions of the projects you may read, newest first: owner, status (live, ended), handoff, last activity."""
    rows = queries.listed(actor, project=arguments.project, status=arguments.status, agent=arguments.agent)
    page = queries.page_of(rows, cursor=arguments.cursor, limit=limit_or_default(arguments.limit))
    page = page.within_reply(arguments.limit, queries.session_json, lambda row: row.pk)
    return page.as_dict("sessions", queries.session_json)
