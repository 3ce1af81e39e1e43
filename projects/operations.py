"""Changes to projects and to how far the human has looked."""

from core import live
from core.actor import Actor
from core.checks import check_name, check_text
from core.errors import HubError, invalid, not_found
from core.ids import parse
from core.operation import Right, operation, staff_operation
from projects import feed, removal
from projects.models import ArtifactPolicy, Event, FeedCursor, Kind, Project

NAME_CHARS = 200


@staff_operation
def create_project(actor: Actor, /, *, slug: str, name: str = "", restricted: bool = False) -> Project:
    """Create a project. `conflict` when the slug is taken; it can never be changed (HUB-06)."""
    check_name(slug, "slug")
    check_text(name, "name", NAME_CHARS, empty=True)
    if Project.objects.filter(slug=slug).exists():
        raise HubError("conflict", f"A project {slug} exists already.", field="slug")
    project = Project.objects.create(slug=slug, name=name or slug, restricted=restricted)
    feed.append(project, Kind.SYSTEM, actor, f"created project {slug}", payload={"action": "project_created"})
    live.announce("projects", project=slug)
    return project


@operation(Right.STAFF)
def update_project(
    actor: Actor,
    project: Project,
    /,
    *,
    name: str | None = None,
    restricted: bool | None = None,
    artifact_policy: ArtifactPolicy | None = None,
) -> Project:
    """Rename a project or change its access or artifact policy; nothing else moves (HUB-06)."""
    wanted = {"name": name, "restricted": restricted, "artifact_policy": artifact_policy}
    changes = {
        field: value for field, value in wanted.items() if value is not None and value != getattr(project, field)
    }
    if name is not None:
        check_text(name, "name", NAME_CHARS)
    if project.personal and restricted:
        raise HubError("conflict", "A personal space has its own access rule.", field="restricted")
    if changes:
        Project.objects.filter(pk=project.pk).update(**changes)
        payload = {"action": "project_updated", "changes": changes}
        feed.append(project, Kind.SYSTEM, actor, f"changed {', '.join(changes)}", payload=payload)
        live.announce("projects", project=project.slug)
    return Project.objects.get(pk=project.pk)


@operation(Right.STAFF)
def open_feed(actor: Actor, project: Project, /, *, event: str) -> bool:
    """Move the human's cursor forward to an event of this project; answers whether it moved (HUB-07)."""
    event = parse(event, "event")
    if not Event.objects.filter(project=project, pk=event).exists():
        raise not_found("event")
    cursor, created = FeedCursor.objects.get_or_create(project=project, defaults={"event": event})
    moved = created or bool(FeedCursor.objects.filter(pk=cursor.pk, event__lt=event).update(event=event))
    if moved:
        live.announce("cursors", project=project.slug)
    return moved


@operation(Right.STAFF, after=removal.remove_files)
def delete_project(actor: Actor, project: Project, /, *, confirm: str) -> str:
    """Delete a project with everything of it, files after the commit (`projects.removal`); answers its slug (HUB-08).

    ``confirm`` repeats the slug. `conflict` for a personal space, which stays with its agent.
    """
    if project.personal:
        raise HubError("conflict", "A personal space stays with its agent.", project=project.slug)
    if confirm != project.slug:
        raise invalid("confirm", "Repeat the project's slug to delete it.")
    removal.remove_rows(project)
    feed.forget(project)
    live.announce("projects", project=project.slug)
    return project.slug
