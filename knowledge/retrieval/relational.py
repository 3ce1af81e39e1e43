"""Retrieval out of the hub's own index: always kept, in the transaction that publishes, and always asked (MEM-10).

What may be found is decided in the ranking query itself: a part of a document's current version, in a space of the
caller's. A row of the index that is neither takes nobody's place (TSK-07).
"""

from collections.abc import Sequence
from itertools import islice
from typing import Any

from django.db import connection
from django.db.models import F, Q

from knowledge.models import Chunk, Decision, Document, DocumentVersion, Space
from knowledge.retrieval.base import FAMILY, Ref
from search.analyzer import terms_of
from search.matching import Place
from search.ranking import ranked


def search(query: str, spaces: Sequence[Space], k: int) -> list[Ref]:
    """Answer at most `k` parts of current versions in these spaces, best first."""
    terms = terms_of(query)
    if not terms or not spaces:
        return []
    place = Place(
        projects=(),
        shared={space.pk: space.project_id for space in spaces},
        families=(FAMILY,),
        only=_current_in(spaces),
    )
    return [Ref.of(row.ref) for row in islice(ranked(terms, place).rows, k)]


def current(refs: Sequence[Ref], spaces: Sequence[Space]) -> dict[Ref, Chunk]:
    """Answer, of these parts, those of current versions in these spaces, as they are now."""
    chunks = Chunk.objects.filter(
        Q(version__document__decision__isnull=True) | Q(version__document__decision__status=Decision.Status.ACCEPTED),
        version__document__in={ref.document for ref in refs},
        version=F("version__document__current"),
        version__document__state=Document.State.PUBLISHED,
        version__document__space__in=[space.pk for space in spaces],
    ).select_related("version")
    found = {Ref(chunk.version.document_id, chunk.version.number, chunk.number): chunk for chunk in chunks}
    return {ref: found[ref] for ref in refs if ref in found}


def _current_in(spaces: Sequence[Space]) -> tuple[str, Sequence[Any]]:
    """Answer the condition that a row of the index is of a current version in one of these spaces.

    A ref begins with the document's id, which is found by one seek; ids sort by bytes on every database.
    """
    documents, versions, decisions = (model._meta.db_table for model in (Document, DocumentVersion, Decision))  # noqa: SLF001 - Django's own way
    bytewise = ' COLLATE "C"' if connection.vendor == "postgresql" else ""
    condition = f"""EXISTS (SELECT 1 FROM {documents} AS document
        JOIN {versions} AS version ON version.id = document.current_id
        LEFT JOIN {decisions} AS decision ON decision.document_id = document.id
        WHERE document.id = substr(search_docs.ref, 1, 26){bytewise}
        AND search_docs.ref LIKE document.id{bytewise} || '.' || CAST(version.number AS text) || '.%%'
        AND document.state = %s AND document.space_id IN ({",".join(["%s"] * len(spaces))})
        AND (decision.status IS NULL OR decision.status = %s))"""  # noqa: S608 - names of tables and marks
    values = [Document.State.PUBLISHED, *(space.pk for space in spaces), Decision.Status.ACCEPTED]
    return condition, [str(value) for value in values]
