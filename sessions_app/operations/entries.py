"""Writes to a brain, by the session's owner alone (SES-02)."""

from typing import Any

from agentfs import Writer, Written, canonical
from core import limits
from core.actor import Actor
from core.operation import Right, file_operation
from projects.models import Project
from sessions_app.brain import locate, own_live
from sessions_app.hub_files import check_writable


@file_operation(Right.WRITE, locate)
def put_entry(
    actor: Actor,
    project: Project,
    brain: Writer,
    /,
    *,
    session: str,
    path: str,
    content: bytes,
    if_version: str | None = None,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Store a file or key in the caller's brain; `version_mismatch` with ``current`` when it moved (KNB-03)."""
    check_writable(path)
    own_live(actor, project, session)
    return _shown(brain.put(path, content, actor=str(actor), if_version=if_version, max_bytes=limits.BRAIN_VALUE_BYTES))


@file_operation(Right.WRITE, locate)
def append_entry(
    actor: Actor,
    project: Project,
    brain: Writer,
    /,
    *,
    session: str,
    path: str,
    content: bytes,
    if_version: str | None = None,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Add to the end of a file in the caller's brain, making it where it is absent."""
    check_writable(path)
    own_live(actor, project, session)
    return _shown(
        brain.append(path, content, actor=str(actor), if_version=if_version, max_bytes=limits.BRAIN_VALUE_BYTES)
    )


@file_operation(Right.WRITE, locate)
def delete_entry(
    actor: Actor,
    project: Project,
    brain: Writer,
    /,
    *,
    session: str,
    path: str,
    if_version: str | None = None,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Delete a file, key or empty directory of the caller's brain; `not_found` when it is not there."""
    check_writable(path)
    own_live(actor, project, session)
    path = canonical(path)
    brain.delete(path, actor=str(actor), if_version=if_version)
    return {"path": path, "version": "absent"}


def _shown(written: Written) -> dict[str, Any]:
    return {"path": written.path, "version": written.version, "size": written.size, "created": written.created}
