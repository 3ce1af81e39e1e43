"""Keeping a plane in step with the documents, where one is configured.

Publishing waits for it: a version becomes current once the plane has it. Whatever else changes is told it after the
commit, and what it did not hear then is found out by the job; it could never show more than is current anyway.
"""

import logging
from collections.abc import Iterator, Sequence
from itertools import batched

from django.db import transaction
from django.db.models import F, Q, QuerySet

from knowledge.models import Chunk, Decision, Document, DocumentVersion
from knowledge.retrieval.base import PlaneUnavailable, Published
from knowledge.retrieval.planes import plane

logger = logging.getLogger("muster.retrieval")
_BATCH = 100


def index_ahead(document: Document, version: DocumentVersion, texts: Sequence[str]) -> None:
    """Let the plane have a version's parts before it becomes current; `PlaneUnavailable` where it cannot."""
    configured = plane()
    if configured is not None:
        replaces = document.current.number if document.current else None
        configured.index(Published(document.pk, version.number, document.space_id, version.title, replaces), texts)


def forget_later(document: Document) -> None:
    """Have the plane forget a document once this is committed."""
    transaction.on_commit(lambda: _forget(document.pk))


def remember_later(document: Document) -> None:
    """Have the plane index a document's current version once this is committed."""
    transaction.on_commit(lambda: _remember([document.pk]))


def rebuild() -> int:
    """Make the plane anew out of the current versions; answers how many there are. Nothing where none is configured."""
    configured = plane()
    if configured is None:
        return 0
    configured.rebuild(_published(_findable()))
    return len(configured.held())


def tend() -> int:
    """Build a plane that is not built yet, and bring one that is in step; answers how many documents that took."""
    configured = plane()
    if configured is None:
        return 0
    try:
        held = configured.held()
    except PlaneUnavailable as refusal:
        return rebuild() if refusal.reason == "not_built" else 0
    shown = dict(_findable().values_list("document", "number"))
    missing = [document for document, number in shown.items() if (document, number) not in held]
    gone = _gone(held, shown)
    for document in gone:
        _forget(document)
    _remember(missing)
    return len(missing) + len(gone)


def _gone(held: set[tuple[str, int]], shown: dict[str, int]) -> list[str]:
    """Answer documents nobody is to find any more. A version above the current one is just being published."""
    hidden = {document: number for document, number in sorted(held) if document not in shown}
    known = dict(Document.objects.filter(pk__in=hidden).values_list("pk", "current__number"))
    return [
        document for document, number in hidden.items() if document not in known or number <= (known[document] or 0)
    ]


def _findable(documents: Sequence[str] | None = None) -> QuerySet[DocumentVersion]:
    rows = DocumentVersion.objects.filter(
        Q(document__decision__isnull=True) | Q(document__decision__status=Decision.Status.ACCEPTED),
        pk=F("document__current"),
        document__state=Document.State.PUBLISHED,
    )
    return rows if documents is None else rows.filter(document__in=documents)


def _published(versions: QuerySet[DocumentVersion]) -> Iterator[tuple[Published, list[str]]]:
    """Read versions with their parts, some at a time."""
    keys = list(versions.order_by("pk").values_list("pk", flat=True))
    for some in batched(keys, _BATCH):
        texts: dict[int, list[str]] = {pk: [] for pk in some}
        chunks = Chunk.objects.filter(version__in=some).order_by("version", "number")
        for version, text in chunks.values_list("version", "text"):
            texts[version].append(text)
        for row in versions.filter(pk__in=some).select_related("document"):
            yield Published(row.document_id, row.number, row.document.space_id, row.title), texts[row.pk]


def _remember(documents: Sequence[str]) -> None:
    configured = plane()
    if configured is None:
        return
    try:
        for version, texts in _published(_findable(documents)):
            configured.index(version, texts)
    except PlaneUnavailable:
        logger.warning("the retrieval plane lacks %s documents for now", len(documents))


def _forget(document: str) -> None:
    configured = plane()
    if configured is None:
        return
    try:
        configured.delete(document)
    except PlaneUnavailable:
        logger.warning("the retrieval plane has not forgotten %s yet", document)
