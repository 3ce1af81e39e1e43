"""Writes to a project's pages: any agent with write, and people (KNB-03..05). None of them makes a feed event."""

from typing import Any

from agentfs import Writer, Written, canonical
from core import limits
from core.actor import Actor
from core.operation import Right, file_operation
from knowledge.files import locate
from projects.models import Project


@file_operation(Right.WRITE, locate)
def put_page(
    actor: Actor,
    project: Project,
    pages: Writer,
    /,
    *,
    path: str,
    content: bytes,
    if_version: str | None = None,
    session: str | None = None,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Store a page; with ``if_version`` only while the stored content still hashes to it (KNB-03).

    Page and log row are one transaction of the file. `version_mismatch` names ``current`` and writes nothing.
    """
    path = canonical(path, pages_only=True)
    return _shown(
        pages.put(
            path, content, actor=str(actor), if_version=if_version, max_bytes=limits.PAGE_BYTES, note=_note(session)
        )
    )


@file_operation(Right.WRITE, locate)
def append_page(
    actor: Actor,
    project: Project,
    pages: Writer,
    /,
    *,
    path: str,
    content: bytes,
    if_version: str | None = None,
    session: str | None = None,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Add to the end of a page, making it where it is absent."""
    path = canonical(path, pages_only=True)
    return _shown(
        pages.append(
            path, content, actor=str(actor), if_version=if_version, max_bytes=limits.PAGE_BYTES, note=_note(session)
        )
    )


@file_operation(Right.WRITE, locate)
def delete_page(
    actor: Actor,
    project: Project,
    pages: Writer,
    /,
    *,
    path: str,
    if_version: str | None = None,
    session: str | None = None,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Delete a page or an empty directory; its history stays in the log (KNB-05)."""
    path = canonical(path, pages_only=True)
    pages.delete(path, actor=str(actor), if_version=if_version, note=_note(session))
    return {"path": path, "version": "absent"}


def _note(session: str | None) -> dict[str, Any] | None:
    return {"session": session} if session else None


def _shown(written: Written) -> dict[str, Any]:
    return {"path": written.path, "version": written.version, "size": written.size, "created": written.created}
