"""Indexing anew: what another analyzer folded, or everything; batch by batch, while old rows still answer (SRC-02)."""

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Final

from django.db.models import Max

from core.actor import HUB
from search.analyzer import VERSION
from search.families import Family, Key, families
from search.following import catch_up, entries_again
from search.models import SearchDocument, SearchFile
from search.operations import follow_from_start, index_again, index_missing, mark_outdated, store_news

BATCH: Final = 200
_MARKED: Final = 2_000


def outdated(family: str | None = None) -> int:
    """Count the documents that are to be indexed anew."""
    rows = SearchDocument.objects.filter(version__lt=VERSION)
    return (rows.filter(family=family) if family else rows).count()


def refresh() -> Iterator[int]:
    """Index outdated documents anew, in batches; yields how many each had. What cannot be read stays as it is."""
    for family in families().values():
        above = 0
        while True:
            rows = SearchDocument.objects.filter(family=family.name, version__lt=VERSION, pk__gt=above).order_by("pk")
            some = list(rows.values_list("pk", "project", "ref")[:BATCH])
            if not some:
                break
            above = some[-1][0]
            _again(family, [(project, ref) for _, project, ref in some])
            yield len(some)


def rebuild(told: Callable[[], None], *, resume: bool = False) -> None:
    """Index everything anew, and what is missing; ``told`` is called after each step. Stopped, it can be resumed."""
    if not resume:
        newest = SearchDocument.objects.aggregate(newest=Max("pk"))["newest"] or 0
        for above in range(0, newest, _MARKED):
            mark_outdated(HUB, above=above, number=_MARKED)
    for family in families().values():
        if family.files is not None:
            _follow_all(family, told, resume=resume)
            continue
        after: str | None = ""
        while after is not None:
            after = index_missing(HUB, family=family.name, after=after, number=BATCH)
            told()
    for _ in refresh():
        told()


def _again(family: Family, keys: list[Key]) -> None:
    if family.files is None:
        index_again(HUB, family=family.name, keys=keys)
    else:
        store_news(HUB, news=entries_again(family, keys))


def _follow_all(family: Family, told: Callable[[], None], *, resume: bool) -> None:
    """Follow every file of a family from the beginning of its log; resumed, those alone where that is not done."""
    known = sorted(family.files.known()) if family.files else []
    for project, files in groupby(known, key=lambda file: file[0]):
        for _, key in files:
            if not resume or _is_undone(family.name, project, key):
                follow_from_start(HUB, family=family.name, project=project, key=key)
        catch_up([family], [project])
        told()


def _is_undone(family: str, project: str, key: str) -> bool:
    entries = SearchDocument.objects.filter(family=family, project=project, session=key or None)
    followed = SearchFile.objects.filter(family=family, project=project, key=key, last__gt=0).exists()
    return not followed or entries.filter(version__lt=VERSION).exists()
