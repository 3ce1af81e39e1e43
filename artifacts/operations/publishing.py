"""Publishing artifacts, a version at a time, and taking them away (ART-01..03)."""

from datetime import datetime
from typing import Any

from django.utils import timezone

from artifacts import blobs
from artifacts.content import Content
from artifacts.models import Artifact, ArtifactVersion
from artifacts.queries import locked_artifact
from artifacts.search_families import index_artifact, remove_artifact
from core import ids, limits
from core.actor import Actor
from core.checks import check_text
from core.errors import HubError, invalid
from core.operation import Right, operation
from inbox import entries
from inbox.models import Status
from projects import feed
from projects.models import ArtifactPolicy, Event, Kind, Project


@operation(Right.WRITE)
def publish_artifact(
    actor: Actor,
    project: Project,
    /,
    *,
    content: Content,
    title: str,
    description: str = "",
    label: str = "",
    session: str | None = None,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Publish version 1: a feed event and an unread inbox entry (ART-01, INB-06).

    `invalid_argument` for ciphertext or plaintext against the project's policy (ART-03).
    """
    _check_policy(project, content)
    now = timezone.now()
    artifact = Artifact.objects.create(
        id=str(ids.fresh()),
        project=project,
        title=_line(title, "title", limits.TITLE_CHARS),
        description=check_text(description, "description", limits.DESCRIPTION_CHARS, empty=True),
        kind=content.kind,
        label=_line(label, "label", limits.LABEL_CHARS, empty=True),
        actor=str(actor),
        session=session,
        created_at=now,
        updated_at=now,
    )
    version = _add_version(artifact, content, actor, session, now)
    event = _tell(project, actor, artifact, "publish", version, session)
    entries.add(event, Status.UNREAD)
    index_artifact(artifact, version)
    return _published(artifact, version, event)


@operation(Right.WRITE)
def update_artifact(
    actor: Actor,
    project: Project,
    /,
    *,
    artifact: str,
    content: Content,
    base_version: int | None = None,
    force: bool = False,
    title: str | None = None,
    description: str | None = None,
    label: str | None = None,
    session: str | None = None,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Add the next version; what is not given stays as it was, and so do the publisher and its session (ART-01).

    `precondition_required` without ``base_version`` or ``force``; `version_mismatch` with the current number when
    somebody was first.
    """
    row = locked_artifact(project, artifact)
    _check_policy(project, content)
    if content.kind != row.kind:
        raise invalid("kind", f"This artifact is {row.kind}; publish another for another kind.")
    if not force:
        _check_base(row, base_version)
    if title is not None:
        row.title = _line(title, "title", limits.TITLE_CHARS)
    if description is not None:
        row.description = check_text(description, "description", limits.DESCRIPTION_CHARS, empty=True)
    if label is not None:
        row.label = _line(label, "label", limits.LABEL_CHARS, empty=True)
    row.version += 1
    row.updated_at = timezone.now()
    row.save()
    version = _add_version(row, content, actor, session, row.updated_at)
    index_artifact(row, version)
    return _published(row, version, _tell(project, actor, row, "update", version, session))


@operation(Right.WRITE)
def delete_artifact(
    actor: Actor, project: Project, /, *, artifact: str, idempotency_key: str | None = None
) -> dict[str, Any]:
    """Delete an artifact with its versions and comments; the feed keeps that it was there.

    `forbidden` to agents but the one that published it.
    """
    row = locked_artifact(project, artifact)
    if actor.is_agent and row.actor != str(actor):
        raise HubError("forbidden", f"Only {row.actor} or a person may delete this artifact.", artifact=row.pk)
    blobs.remove_after_commit(row.versions.values_list("blob", flat=True))
    newest = row.versions.get(number=row.version)
    event = _tell(project, actor, row, "delete", newest, None)
    artifact_id = row.pk
    remove_artifact(row)
    row.delete()
    return {"artifact": artifact_id, "event": event.pk}


def _check_policy(project: Project, content: Content) -> None:
    if content.envelope is None and project.artifact_policy == ArtifactPolicy.REQUIRED:
        raise invalid("envelope", "This project takes protected artifacts only: encrypt, and send the envelope.")
    if content.envelope is not None and project.artifact_policy == ArtifactPolicy.OFF:
        raise invalid("envelope", "This project takes no protected artifacts.")


def _check_base(row: Artifact, base_version: int | None) -> None:
    if base_version is None:
        raise HubError(
            "precondition_required",
            "Say which version you changed as base_version, or force.",
            field="base_version",
            current=row.version,
        )
    if base_version != row.version:
        message = f"The newest version is {row.version}, not {base_version}. Look at it, then try again."
        raise HubError("version_mismatch", message, field="base_version", current=row.version)


def _line(value: str, field: str, limit: int, *, empty: bool = False) -> str:
    value = check_text(value, field, limit, empty=empty).strip()
    if len(value.splitlines()) > 1 or "\t" in value:
        raise invalid(field, f"{field} must be one line.")
    return value


def _add_version(
    artifact: Artifact, content: Content, actor: Actor, session: str | None, now: datetime
) -> ArtifactVersion:
    """Store the row of a version, its bytes promoted: the last thing that can fail but the commit."""
    return ArtifactVersion.objects.create(
        artifact=artifact,
        project_id=artifact.project_id,
        number=artifact.version,
        size=content.bytes.size,
        sha256=content.bytes.sha256,
        media_type=content.media_type,
        language=content.language,
        envelope=content.envelope,
        actor=str(actor),
        session=session,
        created_at=now,
        blob=content.bytes.promote(artifact.project_id),
    )


_DONE = {"publish": "Published", "update": "Updated", "delete": "Deleted"}


def _tell(  # noqa: PLR0917 - what the event is made of
    project: Project,
    actor: Actor,
    artifact: Artifact,
    action: str,
    version: ArtifactVersion,
    session: str | None,
) -> Event:
    """Append the event; its thread is the artifact, so a page that shows one hears of every change."""
    payload = {
        "action": action,
        "artifact": artifact.pk,
        "version": version.number,
        "title": artifact.title,
        "kind": artifact.kind,
        "size": version.size,
        "protected": version.protected,
    }
    summary = f"{_DONE[action]} {artifact.title}"
    return feed.append(project, Kind.ARTIFACT, actor, summary, payload=payload, session=session, thread=artifact.pk)


def _published(artifact: Artifact, version: ArtifactVersion, event: Event) -> dict[str, Any]:
    return {
        "artifact": artifact.pk,
        "version": version.number,
        "event": event.pk,
        "size": version.size,
        "sha256": version.sha256,
    }
