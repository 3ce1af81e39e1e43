"""What search finds of documents: parts of current versions, and of decisions only what stands (SRC-01, GOV-06).

A version's parts are indexed in the transaction that makes it current and go in the one that ends it, so the index
never holds words a reader may not have.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from django.db import connection

from core.actor import Actor
from identity.access import visible_projects
from knowledge.models import Chunk, Decision, Document, DocumentVersion, Space
from knowledge.retrieval.base import FAMILY
from knowledge.retrieval.planes import unavailable
from knowledge.roles import visible_spaces
from knowledge.sources import is_stale, stale_versions
from search import index
from search.families import Document as Indexed
from search.families import Family, Hit, Key, register


def index_version(document: Document, version: DocumentVersion) -> None:
    """Index a version's parts, in the caller's transaction; each is found by its document's title too."""
    index.put_all(FAMILY, [_indexed(document, version, chunk) for chunk in version.chunks.order_by("number")])


def unindex(document: Document) -> None:
    """Take a document out of the index, in the caller's transaction: nothing of it is there but its current version."""
    if document.current is None:
        return
    numbers = document.current.chunks.values_list("number", flat=True)
    refs = [_ref(document, document.current, number) for number in numbers]
    index.remove(FAMILY, document.project_id, *refs)


def found(document: Document) -> bool:
    """Tell whether readers are to find a document: it is published, and, if a decision, accepted."""
    if document.state != Document.State.PUBLISHED:
        return False
    decision = Decision.objects.filter(document=document).first()
    return decision is None or decision.status == Decision.Status.ACCEPTED


def _indexed(document: Document, version: DocumentVersion, chunk: Chunk) -> Indexed:
    ref = _ref(document, version, chunk.number)
    return Indexed(document.project_id, ref, version.title, chunk.text, version.created_at, share=document.space_id)


def _ref(document: Document, version: DocumentVersion, chunk: int) -> str:
    return f"{document.pk}.{version.number}.{chunk}"


def _current(keys: Sequence[Key]) -> Iterable[tuple[str, Chunk]]:
    """Answer the parts the refs name, of current versions only."""
    wanted = {ref for _, ref in keys}
    documents = {ref.partition(".")[0] for ref in wanted}
    chunks = Chunk.objects.filter(
        version__document__in=documents,
        version__document__state=Document.State.PUBLISHED,
        version__state=DocumentVersion.State.PUBLISHED,
    ).select_related("version__document__space")
    for chunk in chunks:
        ref = _ref(chunk.version.document, chunk.version, chunk.number)
        if ref in wanted:
            yield ref, chunk


def _hits(actor: Actor, keys: Sequence[Key]) -> Mapping[Key, Hit]:
    spaces = set(
        visible_spaces(actor).filter(project__in={project for project, _ in keys}).values_list("pk", flat=True)
    )
    chunks = {ref: chunk for ref, chunk in _current(keys) if chunk.version.document.space_id in spaces}
    stale = stale_versions(chunk.version for chunk in chunks.values())
    return {
        (chunk.version.document.project_id, ref): _hit(chunk, stale=chunk.version.document_id in stale)
        for ref, chunk in chunks.items()
    }


def _hit(chunk: Chunk, *, stale: bool) -> Hit:
    version, document = chunk.version, chunk.version.document
    shows = {
        "document": document.pk,
        "version": version.number,
        "chunk": chunk.number,
        "heading": chunk.heading,
        "space": document.space.name,
        "kind": document.kind,
        "trust": trust_of(document, version, stale=stale),
    }
    return Hit(version.title, chunk.text, version.created_at, version.published_by, shows)


def trust_of(document: Document, version: DocumentVersion, *, stale: bool | None = None) -> str:
    """Answer how far people stand behind a document: reviewed, decided, or verified at a commit, or stale since.

    ``stale`` is what was found out for many at once; without it this one is looked up.
    """
    if document.kind == Document.Kind.DECISION:
        return "decided"
    if not version.verified_commit:
        return "reviewed"
    if stale is None:
        stale = is_stale(document.space, version.sources)
    return "stale" if stale else "verified"


def _documents(keys: Sequence[Key]) -> Iterable[Indexed]:
    return [
        _indexed(chunk.version.document, chunk.version, chunk)
        for _, chunk in _current(keys)
        if found(chunk.version.document)
    ]


def _refs(after: str, number: int) -> Sequence[Key]:
    """Answer the next parts of current versions in the order of their documents, whole documents at a time."""
    published = Document.objects.filter(state=Document.State.PUBLISHED, pk__gt=after.partition(".")[0])
    found: list[Key] = []
    for document in published.order_by("pk").select_related("current")[:number]:
        numbers = Chunk.objects.filter(version=document.current).values_list("number", flat=True)
        version = document.current.number if document.current else 0
        found += sorted((document.project_id, f"{document.pk}.{version}.{chunk}") for chunk in numbers)
        if len(found) >= number:
            break
    return found


# Asked before every search: written out, it costs a tenth of the query through the ORM.
_ANY_SHARE: Final = "SELECT 1 FROM knowledge_share WHERE agent_id = %s LIMIT 1"


def _shared(actor: Actor) -> Mapping[str, tuple[str, str]]:
    """Answer the spaces an agent may read of projects it may not, each with its project's slug and name."""
    if not actor.is_agent:  # people read every project
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_ANY_SHARE, [actor.key])
        if cursor.fetchone() is None:  # nearly always
            return {}
    spaces = Space.objects.filter(shares__agent=actor.key).exclude(project__in=visible_projects(actor))
    return {pk: (slug, name) for pk, slug, name in spaces.values_list("pk", "project", "project__name")}


register(Family(FAMILY, _hits, refs=_refs, documents=_documents, shared=_shared, degraded=unavailable))
