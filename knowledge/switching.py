"""How a version becomes the current one: parsed, indexed, switched to, all at once (GOV-04).

A retrieval plane, where one is configured, has the version's text before readers have it. While it does not answer the
version waits as ``indexing`` and the one before stays (MEM-10).
"""

import logging
from typing import Final

from django.db import transaction
from django.utils import timezone

from knowledge.chunks import parts_of
from knowledge.document_search import index_version, unindex
from knowledge.models import Chunk, CitedPage, Document, DocumentVersion, Draft
from knowledge.retrieval.base import PlaneUnavailable
from knowledge.retrieval.upkeep import forget_later, index_ahead, remember_later

logger: Final = logging.getLogger("muster.knowledge")
_State = DocumentVersion.State


def attempt(document: Document, version: DocumentVersion) -> None:
    """Make a version the current one, in the caller's transaction, or leave everything else and say on it why not."""
    try:
        with transaction.atomic():
            _index(document, version)
            _switch(document, version)
            _settle_draft(document, version)
    except PlaneUnavailable as waiting:
        document.refresh_from_db()
        end(version, _State.INDEXING, f"The retrieval plane does not answer ({waiting}). The hub tries it again.")
    except Exception as error:  # whatever it was, the old version stays and this one says why
        logger.exception("publishing %s failed", version)
        document.refresh_from_db()
        told = f"It could not be parsed and indexed ({type(error).__name__}). The hub's log has the rest."
        end(version, _State.FAILED, told)


def end(version: DocumentVersion, state: DocumentVersion.State, error: str = "") -> None:
    """Note how a version got on."""
    version.state, version.error = state, error
    version.save(update_fields=["state", "error"])


def _settle_draft(document: Document, version: DocumentVersion) -> None:
    """Let the draft go that was published; one that was saved since goes on from there."""
    drafts = Draft.objects.filter(document=document)
    drafts.filter(revision=version.revision).delete()
    drafts.update(base_version=version.number)


def _index(document: Document, version: DocumentVersion) -> None:
    """Parse the text into chunks and index them in place of the current version's."""
    parts = parts_of(version.body)
    index_ahead(document, version, [part.text for part in parts])
    Chunk.objects.bulk_create(
        [
            Chunk(version=version, number=number, heading=part.heading, text=part.text)
            for number, part in enumerate(parts)
        ]
    )
    _hide(document)
    _show(document, version)


def show(document: Document, version: DocumentVersion) -> None:
    """Let a version be found, and the pages it cites be promoted by it, in the caller's transaction."""
    _show(document, version)
    remember_later(document)


def hide(document: Document) -> None:
    """Take what a document's current version shows out of search, and from the pages it cites, in one go."""
    _hide(document)
    forget_later(document)


def _show(document: Document, version: DocumentVersion) -> None:
    index_version(document, version)
    cited = {source["path"]: source["version"] for source in version.sources if source["kind"] == "page"}
    CitedPage.objects.bulk_create(
        [
            CitedPage(project_id=document.project_id, document=document, path=path, version=hash_)
            for path, hash_ in cited.items()
        ]
    )


def _hide(document: Document) -> None:
    unindex(document)
    CitedPage.objects.filter(document=document).delete()


def _switch(document: Document, version: DocumentVersion) -> None:
    """Make the version the current one: from the commit on readers have it, and only it."""
    if document.current_id is not None:
        DocumentVersion.objects.filter(pk=document.current_id).update(state=_State.SUPERSEDED)
    end(version, _State.PUBLISHED)
    document.current, document.state, document.updated_at = version, Document.State.PUBLISHED, timezone.now()
    document.save(update_fields=["current", "state", "updated_at"])
