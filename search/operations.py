"""Writes to the index that no other operation makes: what was read of files, and what is indexed anew.

The hub itself does them, for whoever searches: the index is derived, and by itself tells nobody anything.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import connection

from core.actor import Actor
from core.operation import staff_operation
from projects.models import Project
from search import index
from search.families import Document, Key, families
from search.models import SearchDocument, SearchFile


@dataclass(frozen=True, slots=True)
class News:
    """What a file says after row ``since`` of its log: up to row ``last`` it is all here.

    ``stamp`` is what the file looked like before it was read, '' where more may follow. ``anew`` is a file that is not
    the one that was followed: its former entries go.
    """

    family: str
    project: str
    key: str
    since: int
    last: int
    stamp: str
    documents: Sequence[Document] = ()
    gone: Sequence[str] = ()
    anew: bool = False


@staff_operation
def store_news(actor: Actor, /, *, news: Sequence[News]) -> list[News]:
    """Index what files say; answers what came too late, since somebody else has followed the file meanwhile."""
    projects = set(Project.objects.filter(pk__in={one.project for one in news}).values_list("pk", flat=True))
    late = []
    for one in news:
        if one.project not in projects:
            continue
        if not _moved(one):
            late.append(one)
            continue
        if one.anew:
            index.remove_entries(one.family, one.project, one.key)
        index.put_all(one.family, one.documents)
        if one.gone:
            index.remove(one.family, one.project, *one.gone)
    return late


def _moved(one: News) -> bool:
    """Note how far a file is followed, if nobody else did since it was read. A session's row is made with it.

    Never waits for who follows or deletes the same files in another order: that could wait for us.
    """
    rows = SearchFile.objects.filter(project=one.project, family=one.family, key=one.key)
    if not one.key and not rows.exists():
        new = SearchFile(project_id=one.project, family=one.family, key="")
        SearchFile.objects.bulk_create([new], ignore_conflicts=True)
    row = rows.select_for_update(skip_locked=True).first()
    return row is not None and row.last == one.since and bool(rows.update(last=one.last, stamp=one.stamp))


@staff_operation
def rest_files(actor: Actor, /, *, family: str, marks: Mapping[Key, str]) -> int:
    """Look no more at files that nobody can write, read to their end since these marks were set; answers how many."""
    files = families()[family].files
    rested = 0
    for (project, key), mark in marks.items():
        rows = SearchFile.objects.filter(project=project, family=family, key=key)
        # In this order: whoever lets it be written again has the row opened after that, and waits for it here.
        row = rows.select_for_update(skip_locked=True).first()
        if files and row and files.rest([(project, key)]).get((project, key)) == mark:
            rested += rows.update(open=False)
    return rested


@staff_operation
def mark_outdated(actor: Actor, /, *, above: int, number: int) -> None:
    """Have the documents with the next ids indexed anew, by the job or by the command."""
    _alone()
    SearchDocument.objects.filter(pk__gt=above, pk__lte=above + number).update(version=0)


@staff_operation
def index_again(actor: Actor, /, *, family: str, keys: Sequence[Key]) -> None:
    """Index these things of a family of rows as they are now; those that are gone leave the index."""
    _alone()
    _index(family, keys)


@staff_operation
def index_missing(actor: Actor, /, *, family: str, after: str, number: int) -> str | None:
    """Index what is missing among the next things of a family; answers where to go on, None at the end."""
    kind = families()[family]
    _alone()
    keys = kind.refs(after, number) if kind.refs else []
    refs = [ref for _, ref in keys]
    known = set(SearchDocument.objects.filter(family=family, ref__in=refs).values_list("project", "ref"))
    _index(family, [key for key in keys if key not in known])
    return refs[-1] if refs else None


@staff_operation
def follow_from_start(actor: Actor, /, *, family: str, project: str, key: str) -> None:
    """Have a file read from the beginning of its log."""
    if Project.objects.filter(pk=project).exists():
        index.follow(family, project, key)
        SearchFile.objects.filter(project=project, family=family, key=key).update(last=0, stamp="")


def _index(family: str, keys: Sequence[Key]) -> None:
    """Index these things as they are now; those that are gone leave the index."""
    kind = families()[family]
    documents = list(kind.documents(keys)) if kind.documents and keys else []
    index.put_all(family, documents)
    for project, ref in set(keys) - {(document.project, document.ref) for document in documents}:
        index.remove(family, project, ref)


def _alone() -> None:
    """Keep others from indexing: what changes between our reading it and our indexing it would stay as it was."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("LOCK TABLE search_docs IN SHARE ROW EXCLUSIVE MODE")
