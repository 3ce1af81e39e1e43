"""The human API of artifacts and their comments."""

from typing import Annotated, Any, Literal

from pydantic import Field

from artifacts import agent_calls as calls
from artifacts import queries
from artifacts.operations import delete_artifact, delete_comment, post_comment, reopen_comment, resolve_comment
from core import parts
from core.actor import Actor
from core.calls import Arguments
from core.human_calls import Nothing, human_call
from core.page import DEFAULT_LIMIT


class ArtifactQuery(Arguments):
    """Which artifacts to list."""

    project: str | None = None
    kind: str | None = None
    label: str | None = None
    session: str | None = None
    actor: str | None = None
    limit: int = DEFAULT_LIMIT
    cursor: str | None = None


class Part(Arguments):
    """Which bytes of which version."""

    version: int | None = None
    encoding: parts.Encoding = "text"
    offset: Annotated[int, Field(ge=0)] = 0
    limit: Annotated[int | None, Field(ge=1, le=parts.MOST_BYTES)] = None


class Cursor(Arguments):
    """A page of a list."""

    limit: int = DEFAULT_LIMIT
    cursor: str | None = None


class CommentQuery(Arguments):
    """Which comments to list."""

    artifact: str | None = None
    project: str | None = None
    status: Literal["open", "resolved"] | None = None
    limit: int = DEFAULT_LIMIT
    cursor: str | None = None


class NewComment(Arguments):
    """A comment."""

    body: str
    version: int | None = None
    anchor: dict[str, Any] | None = None
    idempotency_key: str | None = None


@human_call(ArtifactQuery)
def artifact_list(actor: Actor, given: ArtifactQuery) -> dict[str, Any]:
    """List artifacts, newest first."""
    rows = queries.artifacts_of(actor, **given.model_dump(exclude={"limit", "cursor"}))
    return queries.listed(rows, cursor=given.cursor, limit=given.limit).as_dict("artifacts", queries.artifact_json)


@human_call(Part)
def artifact(actor: Actor, given: Part, artifact: str) -> dict[str, Any]:
    """Show one version, with its content or a part of it."""
    shown: dict[str, Any] = calls.artifact_get(actor, calls.ArtifactGet(artifact=artifact, **given.model_dump()))
    return shown


@human_call(Nothing)
def artifact_delete(actor: Actor, given: Nothing, artifact: str) -> dict[str, Any]:
    """Delete an artifact with its versions and comments."""
    return delete_artifact(actor, queries.place_of(actor, artifact), artifact=artifact)


@human_call(Cursor)
def versions(actor: Actor, given: Cursor, artifact: str) -> dict[str, Any]:
    """List an artifact's versions, newest first."""
    page = queries.versions_page(queries.artifact_of(actor, artifact), cursor=given.cursor, limit=given.limit)
    return page.as_dict("versions", queries.version_json)


@human_call(CommentQuery)
def comment_list(actor: Actor, given: CommentQuery) -> dict[str, Any]:
    """List comments on an artifact or in a project, oldest first."""
    rows = queries.comments_of(actor, **given.model_dump(exclude={"limit", "cursor"}))
    return queries.comments_page(rows, cursor=given.cursor, limit=given.limit).as_dict("comments", queries.comment_json)


@human_call(NewComment)
def comment_post(actor: Actor, given: NewComment, artifact: str) -> dict[str, Any]:
    """Comment on an artifact, or on one version; its publisher is told."""
    return post_comment(actor, queries.place_of(actor, artifact), artifact=artifact, **given.model_dump())


@human_call(Nothing)
def comment_delete(actor: Actor, given: Nothing, comment: str) -> dict[str, Any]:
    """Delete a comment."""
    return delete_comment(actor, queries.place_of_comment(actor, comment), comment=comment)


@human_call(Nothing)
def comment_resolve(actor: Actor, given: Nothing, comment: str) -> dict[str, Any]:
    """Mark a comment as dealt with."""
    return resolve_comment(actor, queries.place_of_comment(actor, comment), comment=comment)


@human_call(Nothing)
def comment_reopen(actor: Actor, given: Nothing, comment: str) -> dict[str, Any]:
    """Take back that a comment was dealt with."""
    return reopen_comment(actor, queries.place_of_comment(actor, comment), comment=comment)
