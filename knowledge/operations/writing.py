"""Writes to a project's pages: any agent with write, and people (KNB-03..05). None of them makes a feed event."""

from typing import Any

from agentfs import Writer, Written, canonical
from core import limits
from core.actor import Actor
from core.errors import HubError
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


@file_operation(Right.WRITE, locate)
def promote_page(
    actor: Actor,
    project: Project,
    pages: Writer,
    /,
    *,
    path: str,
    content: bytes,
    source: dict[str, str],
    if_version: str | None = None,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Store what was read from a brain as a page; its log row cites the session and the path it came from."""
    path = canonical(path, pages_only=True)
    return _shown(
        pages.put(
            path,
            content,
            actor=str(actor),
            if_version=if_version,
            op="promote",
            max_bytes=limits.PAGE_BYTES,
            note=dict(source),
        )
    )


@file_operation(Right.WRITE, locate)
def import_pages(
    actor: Actor,
    project: Project,
    pages: Writer,
    /,
    *,
    contents: dict[str, bytes],
    overwrite: bool = False,
) -> dict[str, Any]:
    """Store a folder of pages in one transaction of the file: all of them, or none.

    `conflict`, listing them, when pages are there with another content and they are not to be overwritten.
    """
    contents = {canonical(path, pages_only=True): content for path, content in contents.items()}
    stored = {path: _content(pages, path) for path in contents}
    changed = sorted(path for path, content in contents.items() if stored[path] != content)
    different = [path for path in changed if stored[path] is not None]
    if different and not overwrite:
        raise HubError("conflict", f"{len(different)} pages are there with another content.", conflicts=different[:100])
    for path in changed:
        pages.put(path, contents[path], actor=str(actor), op="import", max_bytes=limits.PAGE_BYTES)
    return {"stored": changed, "unchanged": sorted(set(contents) - set(changed))}


def _note(session: str | None) -> dict[str, Any] | None:
    return {"session": session} if session else None


def _shown(written: Written) -> dict[str, Any]:
    return {"path": written.path, "version": written.version, "size": written.size, "created": written.created}


def _content(pages: Writer, path: str) -> bytes | None:
    try:
        return pages.get(path).content
    except HubError as refusal:
        if refusal.code != "not_found":
            raise
        return None
