"""What agents publish for their human, and the comments on it (ART-01..03, INB-07)."""

from typing import Annotated, Any, Literal

from pydantic import Field

from artifacts import queries
from artifacts.blobs import Incoming, open_blob, receiving
from artifacts.content import content_of
from artifacts.models import ArtifactVersion
from artifacts.operations import (
    delete_artifact,
    delete_comment,
    post_comment,
    publish_artifact,
    reopen_comment,
    resolve_comment,
    update_artifact,
)
from core import parts
from core.actor import Actor
from core.calls import Arguments, Json, agent_call
from core.operation import Right
from core.page import limit_or_default
from identity.access import authorized

Envelope = Annotated[dict[str, Any] | None, Field(description="How content was encrypted; see the guide.")]


class Publishing(Arguments):
    """What is said of an artifact, beside its bytes."""

    project: str
    title: str
    kind: Annotated[str, Field(description="html, markdown, text, code, image, pdf, json or other.")]
    description: str = ""
    label: str = ""
    language: str = ""
    envelope: Envelope = None
    session: str | None = None
    idempotency_key: str | None = None

    def publish(self, actor: Actor, incoming: Incoming) -> Json:
        """Publish the bytes."""
        given = self.model_dump(exclude={"project", "kind", "language", "envelope", "content", "encoding"})
        content = content_of(incoming, kind=self.kind, language=self.language, envelope=self.envelope)
        return publish_artifact(actor, self.project, content=content, **given)


class Updating(Arguments):
    """What is said of a new version, beside its bytes."""

    artifact: str
    base_version: Annotated[int | None, Field(description="The version you changed.")] = None
    force: bool = False
    title: str | None = None
    description: str | None = None
    label: str | None = None
    language: str = ""
    envelope: Envelope = None
    session: str | None = None
    idempotency_key: str | None = None

    def place(self, actor: Actor) -> str:
        """Answer the artifact's project."""
        return queries.place_of(actor, self.artifact)

    def publish(self, actor: Actor, incoming: Incoming) -> Json:
        """Publish the bytes as the next version."""
        row = queries.artifact_of(actor, self.artifact)
        given = self.model_dump(exclude={"language", "envelope", "content", "encoding"})
        content = content_of(incoming, kind=row.kind, language=self.language, envelope=self.envelope)
        return update_artifact(actor, row.project_id, content=content, **given)


class InlineContent(Arguments):
    """Bytes small enough to stand in a call; larger ones are uploaded."""

    content: str
    encoding: parts.Encoding = "text"


class ArtifactPublish(InlineContent, Publishing):
    """Arguments of artifact_publish."""


class ArtifactUpdate(InlineContent, Updating):
    """Arguments of artifact_update."""


class ArtifactGet(Arguments):
    """Arguments of artifact_get."""

    artifact: str
    version: int | None = None
    encoding: parts.Encoding = "text"
    offset: Annotated[int, Field(ge=0)] = 0
    limit: Annotated[int | None, Field(ge=1, le=parts.MOST_BYTES, description="Bytes; default 12000.")] = None


class ArtifactList(Arguments):
    """Arguments of artifact_list."""

    project: str | None = None
    kind: str | None = None
    label: str | None = None
    session: str | None = None
    actor: str | None = None
    limit: int | None = None
    cursor: str | None = None


class ArtifactVersions(Arguments):
    """Arguments of artifact_versions."""

    artifact: str
    limit: int | None = None
    cursor: str | None = None


class ArtifactDelete(Arguments):
    """Arguments of artifact_delete."""

    artifact: str
    idempotency_key: str | None = None


class CommentPost(Arguments):
    """Arguments of comment_post."""

    artifact: str
    body: str
    version: int | None = None
    anchor: Annotated[
        dict[str, Any] | None, Field(description='{"quote": text} or {"line": n, "end_line": m}, in a text.')
    ] = None
    idempotency_key: str | None = None


class CommentList(Arguments):
    """Arguments of comment_list."""

    artifact: str | None = None
    project: str | None = None
    status: Literal["open", "resolved"] | None = None
    limit: int | None = None
    cursor: str | None = None


class CommentResolve(Arguments):
    """Arguments of comment_resolve."""

    comment: str
    reopen: bool = False
    idempotency_key: str | None = None


class CommentDelete(Arguments):
    """Arguments of comment_delete."""

    comment: str
    idempotency_key: str | None = None


@agent_call(
    "artifact_publish",
    title="Show the human something",
    http=("POST", "/projects/{project}/artifacts"),
    arguments=ArtifactPublish,
    session="own",
)
def artifact_publish(actor: Actor, arguments: ArtifactPublish) -> Json:
    """Publish a report, page, image or file for the human to open. Returns the artifact. Over 3 MB: upload (guide)."""
    authorized(actor, arguments.project, Right.WRITE)
    return _inline(actor, arguments)


@agent_call(
    "artifact_update",
    title="Publish a new version",
    http=("POST", "/artifacts/{artifact}/versions"),
    arguments=ArtifactUpdate,
    session="own",
)
def artifact_update(actor: Actor, arguments: ArtifactUpdate) -> Json:
    """Add a version, with the base_version you changed (or force); a stale one is refused."""
    authorized(actor, arguments.place(actor), Right.WRITE)
    return _inline(actor, arguments)


def _inline(actor: Actor, arguments: ArtifactPublish | ArtifactUpdate) -> Json:
    with receiving() as incoming:
        incoming.write(parts.decoded(arguments.content, arguments.encoding))
        return arguments.publish(actor, incoming.finish())


@agent_call(
    "artifact_get",
    title="Read an artifact",
    http=("GET", "/artifacts/{artifact}"),
    arguments=ArtifactGet,
    read_only=True,
)
def artifact_get(actor: Actor, arguments: ArtifactGet) -> Json:
    """Read one version, the newest by default. Long content comes in parts: pass next_offset as offset."""
    artifact = queries.artifact_of(actor, arguments.artifact)
    version = queries.version_of(artifact, arguments.version)
    # Actor, session and time stay those of publishing (ART-01); artifact_versions tells each version's own.
    return queries.version_json(version) | queries.artifact_json(artifact, version) | _content(version, arguments)


def _content(version: ArtifactVersion, arguments: ArtifactGet) -> Json:
    def read(start: int, end: int) -> bytes:
        with open_blob(version) as file:
            file.seek(start)
            return file.read(end - start)

    try:
        encoding: parts.Encoding = "base64" if version.protected else arguments.encoding
        return parts.part_of(read, version.size, encoding=encoding, offset=arguments.offset, limit=arguments.limit)
    except FileNotFoundError:
        return {"content": None, "encoding": None, "truncated": False, "next_offset": None}


@agent_call("artifact_list", title="List artifacts", http=("GET", "/artifacts"), arguments=ArtifactList, read_only=True)
def artifact_list(actor: Actor, arguments: ArtifactList) -> Json:
    """List artifacts, newest first."""
    rows = queries.artifacts_of(actor, **arguments.model_dump(exclude={"limit", "cursor"}))
    page = queries.listed(rows, cursor=arguments.cursor, limit=limit_or_default(arguments.limit))
    page = page.within_reply(arguments.limit, queries.artifact_json, lambda artifact: str(artifact.pk))
    return page.as_dict("artifacts", queries.artifact_json)


@agent_call(
    "artifact_versions",
    title="List versions",
    http=("GET", "/artifacts/{artifact}/versions"),
    arguments=ArtifactVersions,
    read_only=True,
    listing="outside_tasks",
)
def artifact_versions(actor: Actor, arguments: ArtifactVersions) -> Json:
    """List an artifact's versions, newest first."""
    artifact = queries.artifact_of(actor, arguments.artifact)
    page = queries.versions_page(artifact, cursor=arguments.cursor, limit=limit_or_default(arguments.limit))
    page = page.within_reply(arguments.limit, queries.version_json, lambda version: str(version.number))
    return {"artifact": artifact.pk, **page.as_dict("versions", queries.version_json)}


@agent_call(
    "artifact_delete",
    title="Delete an artifact",
    http=("DELETE", "/artifacts/{artifact}"),
    arguments=ArtifactDelete,
    destructive=True,
    listing="outside_tasks",
)
def artifact_delete(actor: Actor, arguments: ArtifactDelete) -> Json:
    """Delete an artifact you published, with its versions and comments."""
    return delete_artifact(actor, queries.place_of(actor, arguments.artifact), **arguments.model_dump())


@agent_call("comment_post", title="Comment", http=("POST", "/artifacts/{artifact}/comments"), arguments=CommentPost)
def comment_post(actor: Actor, arguments: CommentPost) -> Json:
    """Comment on an artifact or a version; its publisher and the human are told."""
    return post_comment(actor, queries.place_of(actor, arguments.artifact), **arguments.model_dump())


@agent_call("comment_list", title="List comments", http=("GET", "/comments"), arguments=CommentList, read_only=True)
def comment_list(actor: Actor, arguments: CommentList) -> Json:
    """List comments on an artifact or in a project, oldest first."""
    rows = queries.comments_of(actor, **arguments.model_dump(exclude={"limit", "cursor"}))
    page = queries.comments_page(rows, cursor=arguments.cursor, limit=limit_or_default(arguments.limit))
    page = page.within_reply(arguments.limit, queries.comment_json, lambda comment: comment.pk)
    return page.as_dict("comments", queries.comment_json)


@agent_call(
    "comment_resolve",
    title="Resolve a comment",
    http=("POST", "/comments/{comment}/resolution"),
    arguments=CommentResolve,
    idempotent=True,
)
def comment_resolve(actor: Actor, arguments: CommentResolve) -> Json:
    """Mark a comment as dealt with, or reopen it."""
    change = reopen_comment if arguments.reopen else resolve_comment
    slug = queries.place_of_comment(actor, arguments.comment)
    return change(actor, slug, **arguments.model_dump(exclude={"reopen"}))


@agent_call(
    "comment_delete",
    title="Delete a comment",
    http=("DELETE", "/comments/{comment}"),
    arguments=CommentDelete,
    destructive=True,
    listing="outside_tasks",
)
def comment_delete(actor: Actor, arguments: CommentDelete) -> Json:
    """Delete a comment you wrote."""
    slug = queries.place_of_comment(actor, arguments.comment)
    return delete_comment(actor, slug, **arguments.model_dump())
