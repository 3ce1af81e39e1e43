"""Making a draft out of what was jotted down: a page, a brain entry, an artifact, an answer (GOV-09).

What is copied is bound to its hash: a page that moved on since it was read is a conflict. Promotion never publishes and
never edits what it copies.
"""

from typing import Any

from agentfs import AgentFile, canonical
from artifacts.blobs import open_blob
from artifacts.models import TEXTUAL, Artifact
from artifacts.queries import version_of as artifact_version_of
from core import limits
from core.actor import Actor
from core.errors import HubError, invalid, not_found
from core.ids import parse
from core.operation import HubStep, Right, held_operation, operation
from knowledge.drafts import created
from knowledge.files import locate as locate_pages
from projects.models import Event, Kind, Project
from sessions_app.brain import locate as locate_brain
from sessions_app.brain import present


@held_operation(Right.WRITE, locate_pages)
def draft_from_page(
    actor: Actor,
    project: Project,
    hub: HubStep[AgentFile, dict[str, Any]],
    /,
    *,
    path: str,
    version: str,
    title: str,
    kind: str = "guide",
    space: str | None = None,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Draft a document from a page as it was read; `version_mismatch` once somebody changed it."""
    path = canonical(path, pages_only=True)
    body, source = _read(hub.file, path, version), {"kind": "page", "path": path, "version": version}
    return hub.commit(lambda: created(actor, project, title=title, body=body, kind=kind, space=space, cited=[source]))


@held_operation(Right.WRITE, locate_brain)
def draft_from_brain(
    actor: Actor,
    project: Project,
    hub: HubStep[AgentFile, dict[str, Any]],
    /,
    *,
    session: str,
    path: str,
    version: str,
    title: str,
    kind: str = "guide",
    space: str | None = None,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Draft a document from an entry of a session's brain as it was read."""
    row = present(project, session)
    path = canonical(path)
    body = _read(hub.file, path, version)
    source = {"kind": "brain", "session": row.pk, "path": path, "version": version}
    return hub.commit(lambda: created(actor, project, title=title, body=body, kind=kind, space=space, cited=[source]))


@operation(Right.WRITE)
def draft_from_artifact(
    actor: Actor,
    project: Project,
    /,
    *,
    artifact: str,
    version: int,
    title: str,
    kind: str = "guide",
    space: str | None = None,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Draft a document from one version of a text artifact."""
    row = Artifact.objects.filter(project=project, pk=parse(artifact, "artifact")).first()
    if row is None:
        raise not_found("artifact")
    snapshot = artifact_version_of(row, version)
    if snapshot.protected or row.kind not in TEXTUAL:
        raise invalid("artifact", "Only text the hub can read becomes a draft.")
    if snapshot.size > limits.DOCUMENT_CHARS * 4:
        message = f"A document has at most {limits.DOCUMENT_CHARS} characters."
        raise HubError("payload_too_large", message, field="artifact", limit=limits.DOCUMENT_CHARS)
    with open_blob(snapshot) as file:
        body = file.read().decode()
    source = {"kind": "artifact", "artifact": row.pk, "version": snapshot.number}
    return created(actor, project, title=title, body=body, kind=kind, space=space, cited=[source])


@operation(Right.WRITE)
def draft_from_answer(
    actor: Actor,
    project: Project,
    /,
    *,
    event: str,
    title: str,
    kind: str = "guide",
    space: str | None = None,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Draft a document from an answer: what was asked, and what was answered."""
    answer = Event.objects.filter(project=project, pk=parse(event, "event"), kind=Kind.ANSWER).first()
    if answer is None:
        raise not_found("event")
    question = Event.objects.filter(project=project, pk=answer.thread).first()
    words = str(answer.payload.get("body") or answer.payload.get("note") or answer.summary)
    body = f"> {question.summary}\n\n{words}" if question else words
    source = {"kind": "event", "event": answer.pk}
    return created(actor, project, title=title, body=body, kind=kind, space=space, cited=[source])


def _read(file: AgentFile, path: str, version: str) -> str:
    """Read an entry under the writer lock that is held, against the hash the caller saw."""
    if not file.exists():
        raise not_found("path")
    with file.reading() as reader:
        entry = reader.get(path)
    if entry.version != version:
        raise HubError(
            "version_mismatch", "This has changed since you read it.", field="version", current=entry.version
        )
    try:
        return entry.content.decode()
    except UnicodeDecodeError:
        raise invalid("path", "Only text becomes a draft.") from None
