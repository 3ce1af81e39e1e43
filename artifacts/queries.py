"""Reading artifacts, their versions and comments."""

from typing import Any

from django.db.models import Count, F, QuerySet

from artifacts.blobs import is_missing
from artifacts.models import Artifact, ArtifactVersion, Comment, Kind
from core.actor import Actor
from core.errors import invalid, not_found
from core.ids import parse
from core.operation import Right
from core.page import Page, check_limit, cut, number_cursor
from core.times import rfc3339
from identity.access import authorized, visible_projects
from projects.models import Event, Project
from projects.models import Kind as EventKind


def artifacts_of(actor: Actor, /, *, project: str | None = None, **wanted: str | None) -> QuerySet[Artifact]:
    """Answer the artifacts `actor` may read, newest first; ``wanted`` are kind, label, actor and session.

    `not_found` for a named project that is hidden or not there.
    """
    rows = Artifact.objects.filter(project__in=visible_projects(actor))
    if project is not None:
        rows = Artifact.objects.filter(project=authorized(actor, project, Right.READ))
    if wanted.get("kind") is not None and wanted["kind"] not in Kind.values:
        raise invalid("kind", f"kind must be one of {', '.join(Kind.values)}.")
    if wanted.get("session") is not None:
        wanted["session"] = parse(str(wanted["session"]), "session")
    return rows.filter(**{name: value for name, value in wanted.items() if value is not None}).order_by("-pk")


def listed(rows: QuerySet[Artifact], *, cursor: str | None, limit: int) -> Page[Artifact]:
    """Page artifacts by id, each with its newest version and how many comments are open: three queries a page."""
    check_limit(limit)
    if cursor is not None:
        rows = rows.filter(pk__lt=parse(cursor, "cursor"))
    found = list(rows.select_related("project")[: limit + 1])
    newest = ArtifactVersion.objects.filter(artifact__in=[row.pk for row in found], number=F("artifact__version"))
    versions = {row.artifact_id: row for row in newest}
    counted = dict(
        Comment.objects.filter(artifact__in=[row.pk for row in found], resolved_at__isnull=True)
        .values_list("artifact")
        .annotate(n=Count("pk"))
    )
    for row in found:
        vars(row)["newest"] = versions[row.pk]
        vars(row)["open_comments"] = counted.get(row.pk, 0)
    return cut(found, limit, lambda artifact: artifact.pk)


def artifact_of(actor: Actor, artifact: str) -> Artifact:
    """Answer one artifact `actor` may read; `not_found` for any other."""
    row = artifacts_of(actor).filter(pk=parse(artifact, "artifact")).select_related("project").first()
    if row is None:
        raise not_found("artifact")
    return row


def place_of(actor: Actor, artifact: str) -> str:
    """Answer the project of an artifact `actor` may read; of one that is deleted too, so that a retry is answered."""
    told = Event.objects.filter(thread=parse(artifact, "artifact"), kind=EventKind.ARTIFACT)
    return _place(actor, told, "artifact")


def place_of_comment(actor: Actor, comment: str) -> str:
    """Answer the project of a comment `actor` may read; of one that is deleted too."""
    return _place(actor, Event.objects.filter(pk=parse(comment, "comment"), kind=EventKind.ARTIFACT), "comment")


def comment_of(actor: Actor, comment: str) -> Comment:
    """Answer one comment `actor` may read; `not_found` for any other."""
    row = Comment.objects.filter(pk=parse(comment, "comment"), project__in=visible_projects(actor)).first()
    if row is None:
        raise not_found("comment")
    return row


def _place(actor: Actor, told: QuerySet[Event], what: str) -> str:
    slug: str | None = told.filter(project__in=visible_projects(actor)).values_list("project", flat=True).first()
    if slug is None:
        raise not_found(what)
    return slug


def locked_artifact(project: Project, artifact: str) -> Artifact:
    """Answer an artifact of a project, held for the rest of the transaction."""
    row = Artifact.objects.select_for_update().filter(project=project, pk=parse(artifact, "artifact")).first()
    if row is None:
        raise not_found("artifact")
    return row


def locked_comment(project: Project, comment: str) -> Comment:
    """Answer a comment of a project, held for the rest of the transaction."""
    rows = Comment.objects.select_for_update(of=("self",)).select_related("artifact")
    row = rows.filter(project=project, pk=parse(comment, "comment")).first()
    if row is None:
        raise not_found("comment")
    return row


def version_of(artifact: Artifact, number: int | None = None) -> ArtifactVersion:
    """Answer one version, the newest where no number is given; `not_found` for one that never was."""
    number = artifact.version if number is None else number
    # A number past the column's reach names no version either.
    row = artifact.versions.filter(number=number).first() if 1 <= number <= artifact.version else None
    if row is None:
        raise not_found("version")
    return row


def versions_page(artifact: Artifact, *, cursor: str | None, limit: int) -> Page[ArtifactVersion]:
    """Page an artifact's versions, newest first."""
    check_limit(limit)
    rows = artifact.versions.order_by("-number")
    if cursor is not None:
        rows = rows.filter(number__lt=number_cursor(cursor))
    return cut(list(rows[: limit + 1]), limit, lambda version: str(version.number))


def comments_of(
    actor: Actor, *, artifact: str | None = None, project: str | None = None, status: str | None = None
) -> QuerySet[Comment]:
    """Answer the comments on an artifact, or in a project, oldest first; ``status`` is open or resolved."""
    if artifact is not None:
        rows = artifact_of(actor, artifact).comments.all()
    elif project is not None:
        rows = Comment.objects.filter(project=authorized(actor, project, Right.READ))
    else:
        raise invalid("artifact", "Name an artifact, or a project.")
    if status is not None:
        if status not in {"open", "resolved"}:
            raise invalid("status", "status must be open or resolved.")
        rows = rows.filter(resolved_at__isnull=status == "open")
    return rows.order_by("pk")


def comments_page(rows: QuerySet[Comment], *, cursor: str | None, limit: int) -> Page[Comment]:
    """Page comments by id, oldest first."""
    check_limit(limit)
    if cursor is not None:
        rows = rows.filter(pk__gt=parse(cursor, "cursor"))
    return cut(list(rows[: limit + 1]), limit, lambda comment: comment.pk)


def artifact_json(artifact: Artifact, version: ArtifactVersion | None = None) -> dict[str, Any]:
    """Answer an artifact as every face shows it, with the figures of a version, the newest where none is given."""
    known = vars(artifact)
    shown: ArtifactVersion = version or known.get("newest") or version_of(artifact)
    if "open_comments" not in known:
        known["open_comments"] = artifact.comments.filter(resolved_at__isnull=True).count()
    return {
        "id": artifact.pk,
        "project": artifact.project_id,
        "project_name": artifact.project.name,
        "title": artifact.title,
        "description": artifact.description,
        "kind": artifact.kind,
        "label": artifact.label,
        "actor": artifact.actor,
        "session": artifact.session,
        "version": shown.number,
        "size": shown.size,
        "sha256": shown.sha256,
        "protected": shown.protected,
        "open_comments": known["open_comments"],
        "created_at": rfc3339(artifact.created_at),
        "updated_at": rfc3339(artifact.updated_at),
    }


def version_json(version: ArtifactVersion) -> dict[str, Any]:
    """Answer a version; ``missing`` says that its bytes are gone from the store, which the hub never does itself."""
    return {
        "version": version.number,
        "size": version.size,
        "sha256": version.sha256,
        "media_type": version.media_type,
        "language": version.language or None,
        "protected": version.protected,
        "envelope": version.envelope,
        "actor": version.actor,
        "session": version.session,
        "created_at": rfc3339(version.created_at),
        "missing": is_missing(version),
    }


def comment_json(comment: Comment) -> dict[str, Any]:
    """Answer a comment as every face shows it."""
    return {
        "id": comment.pk,
        "project": comment.project_id,
        "artifact": comment.artifact_id,
        "version": comment.version,
        "anchor": comment.anchor,
        "body": comment.body,
        "actor": comment.actor,
        "resolved": comment.resolved_at is not None,
        "resolved_by": comment.resolved_by or None,
        "resolved_at": rfc3339(comment.resolved_at),
        "created_at": rfc3339(comment.created_at),
    }
