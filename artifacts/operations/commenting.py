"""Comments on artifacts, by agents and people (INB-07)."""

from typing import Any

from django.utils import timezone

from artifacts import anchors
from artifacts.models import Artifact, Comment
from artifacts.queries import locked_artifact, locked_comment, version_of
from artifacts.search_families import index_comment
from core import limits, live
from core.actor import Actor
from core.checks import check_text
from core.errors import HubError
from core.operation import Right, operation
from inbox import entries
from inbox.models import Status
from projects import feed
from projects.models import Kind, Project
from search import index


@operation(Right.WRITE)
def post_comment(
    actor: Actor,
    project: Project,
    /,
    *,
    artifact: str,
    body: str,
    version: int | None = None,
    anchor: dict[str, Any] | None = None,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Comment on an artifact, or on one version; an anchor is one in the newest unless a version is named.

    It reaches the publishing agent by its notifications and brief, and, from an agent, the human by the inbox.
    """
    row = locked_artifact(project, artifact)
    body = check_text(body, "body", limits.COMMENT_CHARS)
    if version is not None or anchor is not None:
        version = row.version if version is None else version
        about = version_of(row, version)
        anchor = None if anchor is None else anchors.checked(anchor, row, about)
    payload = {"action": "comment", "artifact": row.pk, "version": version, "title": row.title}
    summary = f"Commented on {row.title}"
    event = feed.append(project, Kind.ARTIFACT, actor, summary, payload=payload, thread=row.pk)
    comment = Comment.objects.create(
        id=event.pk,
        project=project,
        artifact=row,
        version=version,
        anchor=anchor,
        body=body,
        actor=str(actor),
        addressee="" if row.actor == str(actor) else row.actor,
        created_at=event.created_at,
    )
    index_comment(comment)
    if actor.is_agent:
        entries.add(event, Status.UNREAD)
    return {"comment": event.pk, "artifact": row.pk, "event": event.pk}


@operation(Right.WRITE)
def resolve_comment(
    actor: Actor, project: Project, /, *, comment: str, idempotency_key: str | None = None
) -> dict[str, Any]:
    """Mark a comment as dealt with; again is harmless and keeps who was first."""
    row = locked_comment(project, comment)
    if row.resolved_at is None:
        row.resolved_at, row.resolved_by = timezone.now(), str(actor)
        row.save(update_fields=["resolved_at", "resolved_by"])
        _announce(row.artifact)
    return {"comment": row.pk, "artifact": row.artifact_id, "resolved": True}


@operation(Right.WRITE)
def reopen_comment(
    actor: Actor, project: Project, /, *, comment: str, idempotency_key: str | None = None
) -> dict[str, Any]:
    """Take back that a comment was dealt with."""
    row = locked_comment(project, comment)
    if row.resolved_at is not None:
        row.resolved_at, row.resolved_by = None, ""
        row.save(update_fields=["resolved_at", "resolved_by"])
        _announce(row.artifact)
    return {"comment": row.pk, "artifact": row.artifact_id, "resolved": False}


@operation(Right.WRITE)
def delete_comment(
    actor: Actor, project: Project, /, *, comment: str, idempotency_key: str | None = None
) -> dict[str, Any]:
    """Delete a comment, its text with it; `forbidden` to agents but the one that wrote it."""
    row = locked_comment(project, comment)
    if actor.is_agent and row.actor != str(actor):
        raise HubError("forbidden", f"Only {row.actor} or a person may delete this comment.", comment=row.pk)
    answer = {"comment": row.pk, "artifact": row.artifact_id}
    _announce(row.artifact)
    index.remove("comment", project.slug, row.pk)
    row.delete()
    return answer


def _announce(artifact: Artifact) -> None:
    """Tell pages that show the artifact; no event is appended, so the feed is not told."""
    live.announce(f"thread:{artifact.pk}", artifact=artifact.pk)
