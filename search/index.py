"""Keeping the index. Everything here runs in the caller's transaction, and opens none.

An operation indexes what it stores in its own transaction, so the index neither misses a commit nor tells of what was
rolled back.
"""

from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from typing import Final

from search.analyzer import INDEXED_BYTES, VERSION, indexed
from search.families import Document
from search.models import SearchDocument, SearchFile

TITLE_BYTES: Final = 4 * 1024
_CHANGED: Final = ["session", "title", "body", "scope", "words", "at", "version"]


def put(  # noqa: PLR0913 - the fields of a document
    family: str, project: str, ref: str, *, title: str, at: datetime, body: str = "", session: str | None = None
) -> None:
    """Index a thing, or index it anew. Give the texts as they are; long ones are indexed as far as there is room."""
    put_all(family, [Document(project, ref, title, body, at, session)])


def put_all(family: str, documents: Iterable[Document]) -> None:
    """Index several things of a family; of one that is named twice, the last counts."""
    once = {(document.project, document.ref): document for document in documents}
    SearchDocument.objects.bulk_create(
        [_row(family, document) for document in once.values()],
        batch_size=100,
        update_conflicts=True,
        unique_fields=["project", "family", "ref"],
        update_fields=_CHANGED,
    )


def remove(family: str, project: str, *refs: str) -> None:
    """Take things out of the index; what is not in it is passed over."""
    SearchDocument.objects.filter(project=project, family=family, ref__in=refs).delete()


def follow(family: str, project: str, key: str) -> None:
    """Have an AgentFS file looked at before every search that could see it, from now on and until it rests."""
    SearchFile.objects.bulk_create(
        [SearchFile(family=family, project_id=project, key=key)],
        update_conflicts=True,
        unique_fields=["project", "family", "key"],
        update_fields=["open"],
    )


def forget(family: str, project: str, key: str) -> None:
    """Take a file and all its entries out of the index."""
    SearchFile.objects.filter(project=project, family=family, key=key).delete()
    remove_entries(family, project, key)


def remove_entries(family: str, project: str, key: str) -> None:
    """Take the entries of a file out of the index: a session's, or those of a project's one file."""
    SearchDocument.objects.filter(project=project, family=family, session=key or None).delete()


@lru_cache(maxsize=4096)
def scope_of(kind: str, name: str) -> str:
    """Answer the token a search is narrowed by, to a project, say, or a family; it begins as no word's token does."""
    return f"0{kind}{blake2b(name.encode(), digest_size=8).hexdigest()}"


def _row(family: str, document: Document) -> SearchDocument:
    title = indexed(document.title, TITLE_BYTES)
    body = indexed(document.body, INDEXED_BYTES - TITLE_BYTES)
    return SearchDocument(
        family=family,
        project_id=document.project,
        ref=document.ref,
        session=document.session,
        title=title.text,
        body=body.text,
        scope=_scope(family, document),
        words=title.words + body.words,
        at=document.at,
        version=VERSION,
    )


def _scope(family: str, document: Document) -> str:
    tokens = [scope_of("p", document.project), scope_of("f", family)]
    # What is shared by itself is of no session: the column has room for three.
    tokens += [scope_of("s", document.session)] if document.session else []
    return " ".join([*tokens, scope_of("d", document.share)] if document.share else tokens)
