"""Spaces, who maintains them, whom they are shared with, and what a repository's sync reports (GOV-01, GOV-02)."""

import re
from typing import Any, Final

from django.contrib.auth import get_user_model
from django.utils import timezone

from core import ids, limits
from core.actor import Actor
from core.checks import check_name, check_text
from core.errors import HubError, invalid, not_found
from core.operation import Right, operation
from identity.models import Agent
from knowledge.models import Maintainer, RepositoryFile, Share, Space
from knowledge.roles import check_publisher, first_maintainers, hold_names, space_of
from projects import feed
from projects.models import Kind, Project

PROJECT_SPACE: Final = "project"
_BLOB: Final = re.compile(r"[0-9a-f]{7,64}")
MOST_FILES: Final = 10_000


@operation(Right.STAFF)
def create_space(
    actor: Actor, project: Project, /, *, name: str, url: str = "", sync_agent: str | None = None
) -> dict[str, Any]:
    """Make a repository space; a project's own project space comes with its first document."""
    name = check_name(name, "name")
    hold_names(project)
    if Space.objects.filter(project=project, name=name).exists() or name == PROJECT_SPACE:
        raise HubError("conflict", "This project has a space of that name.", field="name")
    space = Space.objects.create(
        id=str(ids.fresh()),
        project=project,
        kind=Space.Kind.REPOSITORY,
        name=name,
        url=_url(url),
        sync_agent=_agent(sync_agent, "sync_agent") if sync_agent else None,
        created_at=timezone.now(),
    )
    first_maintainers(space, actor)
    _audit(project, actor, "space.create", space)
    return {"space": space.pk, "name": space.name}


@operation(Right.STAFF)
def change_space(
    actor: Actor, project: Project, /, *, space: str, url: str | None = None, sync_agent: str | None = None
) -> dict[str, Any]:
    """Change a repository space's address or its sync identity; an empty name removes the identity."""
    row = space_of(project, space)
    if row.kind != Space.Kind.REPOSITORY:
        raise invalid("space", "Only a repository space has an address and a sync identity.")
    if url is not None:
        row.url = _url(url)
    if sync_agent is not None:
        row.sync_agent = _agent(sync_agent, "sync_agent") if sync_agent else None
    row.save(update_fields=["url", "sync_agent"])
    _audit(project, actor, "space.change", row, sync_agent=sync_agent)
    return {"space": row.pk, "name": row.name}


@operation(Right.STAFF)
def add_maintainer(actor: Actor, project: Project, /, *, space: str, user: str) -> dict[str, Any]:
    """Let a person maintain a space; again is harmless."""
    row, person = space_of(project, space), _person(user)
    Maintainer.objects.get_or_create(space=row, user=person)
    _audit(project, actor, "maintainer.add", row, user=user)
    return {"space": row.pk, "user": user}


@operation(Right.STAFF)
def remove_maintainer(actor: Actor, project: Project, /, *, space: str, user: str) -> dict[str, Any]:
    """Let a person maintain a space no longer; `conflict` for the last one."""
    row, person = space_of(project, space), _person(user)
    if not row.maintainers.exclude(user=person).exists():
        raise HubError("conflict", "Somebody must maintain a space. Add another person first.", field="user")
    row.maintainers.filter(user=person).delete()
    _audit(project, actor, "maintainer.remove", row, user=user)
    return {"space": row.pk, "user": user}


@operation(Right.STAFF)
def share_space(actor: Actor, project: Project, /, *, space: str, agent: str) -> dict[str, Any]:
    """Let an agent read a space's published documents and their versions, and nothing else (GOV-06)."""
    row = space_of(project, space)
    Share.objects.get_or_create(space=row, agent=_agent(agent, "agent"), defaults={"created_at": timezone.now()})
    _audit(project, actor, "share.add", row, agent=agent)
    return {"space": row.pk, "agent": agent}


@operation(Right.STAFF)
def unshare_space(actor: Actor, project: Project, /, *, space: str, agent: str) -> dict[str, Any]:
    """Take a share back; from the commit on the agent is refused."""
    row = space_of(project, space)
    row.shares.filter(agent=_agent(agent, "agent")).delete()
    _audit(project, actor, "share.remove", row, agent=agent)
    return {"space": row.pk, "agent": agent}


@operation(Right.WRITE)
def report_files(
    actor: Actor,
    project: Project,
    /,
    *,
    space: str,
    commit: str,
    files: dict[str, str | None],
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Store which blob a repository has at each path at a commit; None where there is no file any more.

    For the space's sync identity, and its maintainers. Documents that cite another blob are stale from then on.
    """
    row = space_of(project, space)
    if row.kind != Space.Kind.REPOSITORY:
        raise invalid("space", "Only a repository space has files.")
    check_publisher(actor, row)
    _check_files(commit, files)
    now = timezone.now()
    RepositoryFile.objects.bulk_create(
        [
            RepositoryFile(space=row, path=path, blob=blob or "", commit=commit, reported_at=now)
            for path, blob in sorted(files.items())  # two reports at once take their rows in one order
        ],
        batch_size=500,
        update_conflicts=True,
        unique_fields=["space", "path"],
        update_fields=["blob", "commit", "reported_at"],
    )
    return {"space": row.pk, "commit": commit, "files": len(files)}


def _check_files(commit: str, files: dict[str, str | None]) -> None:
    if not _BLOB.fullmatch(commit):
        raise invalid("commit", "commit must be a hash of 7 to 64 hexadecimal digits.")
    if not 1 <= len(files) <= MOST_FILES:
        raise invalid("files", f"files must be 1 to {MOST_FILES}.", limit=MOST_FILES)
    for path, blob in files.items():
        check_text(path, "files", limits.PATH_BYTES)
        if blob is not None and not _BLOB.fullmatch(blob):
            raise invalid("files", "A blob must be a hash of 7 to 64 hexadecimal digits, or null.")


def _url(url: str) -> str:
    url = check_text(url, "url", 500, empty=True)
    if url and not re.match(r"(https?|ssh)://[^\s/]|git@", url):
        raise invalid("url", "url must begin with https://, http://, ssh:// or git@.")
    return url


def _agent(name: str, field: str) -> Agent:
    agent = Agent.objects.filter(name=name).first()
    if agent is None:
        raise invalid(field, "There is no agent of that name.")
    return agent


def _person(name: str) -> Any:  # noqa: ANN401 - the user model's row
    people = get_user_model().objects.filter(is_active=True, is_staff=True)
    person = people.filter(username=name).first()
    if person is None:
        raise not_found("user")
    return person


def _audit(project: Project, actor: Actor, action: str, space: Space, **names: str | None) -> None:
    payload = {"action": action, "space": space.pk, **names}
    feed.append(project, Kind.SYSTEM, actor, f"{action}: {space.name}", payload=payload)
