"""What search finds of artifacts and comments (SRC-01); of a protected one only what its publisher wrote openly."""

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import nh3
from django.db.models import F

from artifacts.blobs import open_blob
from artifacts.models import TEXTUAL, Artifact, ArtifactVersion, Comment, Kind
from core.actor import Actor
from identity.access import visible_projects
from search import index
from search.families import Document, Family, Hit, Key, register

# Past this a text is not read: the index would hold no more of it.
_READ_BYTES: Final = 256 * 1024
_UNSEEN: Final = {"script", "style"}


def index_artifact(artifact: Artifact, version: ArtifactVersion) -> None:
    """Index an artifact by its newest version, in the caller's transaction."""
    index.put_all("artifact", [_artifact(artifact, version)])


def index_comment(comment: Comment) -> None:
    """Index a comment, in the caller's transaction."""
    index.put_all("comment", [_comment(comment)])


def remove_artifact(artifact: Artifact) -> None:
    """Take an artifact and its comments out of the index, in the caller's transaction."""
    index.remove("artifact", artifact.project_id, artifact.pk)
    index.remove("comment", artifact.project_id, *artifact.comments.values_list("pk", flat=True))


def _artifact(artifact: Artifact, version: ArtifactVersion) -> Document:
    body = "\n".join([artifact.description, artifact.label, text_of(artifact, version)])
    return Document(
        artifact.project_id, artifact.pk, artifact.title, body, artifact.updated_at, session=artifact.session
    )


def text_of(artifact: Artifact, version: ArtifactVersion) -> str:
    """Answer the words a reader sees; none of ciphertext, of what is no text, or of bytes that are gone."""
    if version.protected or artifact.kind not in TEXTUAL:
        return ""
    try:
        with open_blob(version) as file:
            text = file.read(_READ_BYTES).decode(errors="ignore")
    except FileNotFoundError:
        return ""
    if artifact.kind == Kind.HTML:
        return html.unescape(nh3.clean(text, tags=set(), clean_content_tags=_UNSEEN))
    return text


def _newest(keys: Sequence[Key]) -> Iterable[tuple[Artifact, ArtifactVersion]]:
    rows = ArtifactVersion.objects.filter(artifact__in=[ref for _, ref in keys], number=F("artifact__version"))
    return [(row.artifact, row) for row in rows.select_related("artifact")]


def _artifact_documents(keys: Sequence[Key]) -> Iterable[Document]:
    return [_artifact(artifact, version) for artifact, version in _newest(keys)]


def _artifact_hits(actor: Actor, keys: Sequence[Key]) -> Mapping[Key, Hit]:
    readable = set(visible_projects(actor).filter(pk__in={project for project, _ in keys}).values_list("pk", flat=True))
    return {
        (artifact.project_id, artifact.pk): Hit(
            title=artifact.title,
            text="\n".join(part for part in (artifact.description, text_of(artifact, version)) if part),
            at=artifact.updated_at,
            actor=artifact.actor,
            shows={
                "artifact": artifact.pk,
                "version": version.number,
                "kind": artifact.kind,
                "size": version.size,
                "protected": version.protected,
            },
        )
        for artifact, version in _newest(keys)
        if artifact.project_id in readable
    }


def _comment(comment: Comment) -> Document:
    return Document(comment.project_id, comment.pk, "", comment.body, comment.created_at)


def _comment_documents(keys: Sequence[Key]) -> Iterable[Document]:
    return [_comment(comment) for comment in Comment.objects.filter(pk__in=[ref for _, ref in keys])]


def _comment_hits(actor: Actor, keys: Sequence[Key]) -> Mapping[Key, Hit]:
    rows = Comment.objects.filter(pk__in=[ref for _, ref in keys], project__in=visible_projects(actor))
    return {
        (comment.project_id, comment.pk): Hit(
            title=comment.artifact.title,
            text=comment.body,
            at=comment.created_at,
            actor=comment.actor,
            shows={"comment": comment.pk, "artifact": comment.artifact_id, "version": comment.version},
        )
        for comment in rows.select_related("artifact")
    }


def _artifact_refs(after: str, number: int) -> Sequence[Key]:
    return list(Artifact.objects.filter(pk__gt=after).order_by("pk").values_list("project_id", "pk")[:number])


def _comment_refs(after: str, number: int) -> Sequence[Key]:
    return list(Comment.objects.filter(pk__gt=after).order_by("pk").values_list("project_id", "pk")[:number])


register(Family("artifact", _artifact_hits, refs=_artifact_refs, documents=_artifact_documents))
register(Family("comment", _comment_hits, refs=_comment_refs, documents=_comment_documents))
