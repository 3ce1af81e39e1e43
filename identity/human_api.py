"""The human API of projects and feeds."""

from typing import Any

from pydantic import Field

from core.actor import Actor
from core.calls import Arguments
from core.human_calls import Nothing, human_call
from core.operation import Right
from core.page import DEFAULT_LIMIT
from identity.access import authorized
from projects.models import ArtifactPolicy, Kind, Project
from projects.operations import create_project, delete_project, open_feed, update_project
from projects.queries import event_json, events_of, read_feed, with_unseen


class NewProject(Arguments):
    """A project to create."""

    slug: str
    name: str = ""
    restricted: bool = False


class ProjectChange(Arguments):
    """What of a project to change."""

    name: str | None = None
    restricted: bool | None = None
    artifact_policy: ArtifactPolicy | None = None


class Confirm(Arguments):
    """The slug, once more."""

    confirm: str


class FeedQuery(Arguments):
    """Which part of a feed to read; system events come only when asked for by kind."""

    since: str | None = None
    before: str | None = None
    kinds: list[Kind] = Field(default_factory=list)
    session: str | None = None
    agent: str | None = None
    limit: int = DEFAULT_LIMIT


class Cursor(Arguments):
    """How far the person has looked."""

    event: str


@human_call(Nothing)
def project_list(actor: Actor, given: Nothing) -> dict[str, Any]:
    """List projects with what is unseen in each."""
    rows = with_unseen(Project.objects.order_by("personal", "slug"))
    return {"projects": [project_json(row) for row in rows]}


@human_call(NewProject)
def project_create(actor: Actor, given: NewProject) -> dict[str, Any]:
    """Create a project."""
    return project_json(create_project(actor, **given.model_dump()))


@human_call(ProjectChange)
def project_update(actor: Actor, given: ProjectChange, project: str) -> dict[str, Any]:
    """Rename a project, or change its access or artifact policy."""
    return project_json(update_project(actor, project, **given.model_dump()))


@human_call(Confirm)
def project_delete(actor: Actor, given: Confirm, project: str) -> dict[str, Any]:
    """Delete a project with everything of it; confirm repeats its slug."""
    return {"deleted": delete_project(actor, project, confirm=given.confirm)}


@human_call(FeedQuery)
def feed(actor: Actor, given: FeedQuery, project: str) -> dict[str, Any]:
    """Read a feed; reading it here does not move the cursor."""
    row = authorized(actor, project, Right.READ)
    events = events_of(
        row, kinds=given.kinds, session=given.session, actor=given.agent, system=Kind.SYSTEM in given.kinds
    )
    page = read_feed(events, since=given.since, before=given.before, limit=given.limit)
    return {
        "events": [event_json(event) for event in page.events],
        "next_since": page.next_since,
        "next_before": page.next_before,
        "truncated": page.truncated,
    }


@human_call(Cursor)
def cursor(actor: Actor, given: Cursor, project: str) -> dict[str, Any]:
    """Move the cursor forward to an event of this project."""
    return {"moved": open_feed(actor, project, event=given.event)}


def project_json(row: Project) -> dict[str, Any]:
    """Answer a project as the human sees it."""
    shown = {"slug": row.slug, "project_name": row.name, "restricted": row.restricted, "personal": row.personal}
    return shown | {"artifact_policy": row.artifact_policy, "unseen": getattr(row, "unseen", None)}
