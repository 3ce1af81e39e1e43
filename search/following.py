"""Following AgentFS files: what was written since the index last looked, read from their logs (SRC-02).

A file's commit is the truth and the index comes after it; so before a search, whatever it could see is looked at. A
look costs two `stat` calls; only a file that changed is read. Files are read first, then stored in one transaction of
the hub, so nobody who holds the hub store waits for a file.
"""

import logging
import os
import time
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from agentfs import AgentFile, LogRow, Reader
from core.actor import HUB
from core.errors import HubError
from search.families import Document, Family, Key, entry_of, families, ref_of
from search.models import SearchFile
from search.operations import News, store_news
from search.texts import text_of, title_of

logger = logging.getLogger("muster.search")

# A look at a file that was written so shortly before proves nothing: the next write may carry the same time.
RACY_NS: Final = 50_000_000
ROWS: Final = 500
# So much text is gathered before it is stored.
CHARS: Final = 4_000_000
_WAIT_SECONDS: Final = 0.005

type Name = tuple[str, str, str]
type Watched = dict[Name, SearchFile]


class Look(NamedTuple):
    """What a file looked like; ``stamp`` is '' where there is none, ``proves`` whether any later write would show."""

    stamp: str
    proves: bool


# What this process has read to its end, and what it looked like before: no need to store that each time.
_clean: dict[tuple[str, str, str], tuple[str, int]] = {}
# What could not be read, and was logged.
_told: set[tuple[str, str, str]] = set()


def catch_up(kinds: Iterable[Family], projects: Collection[str]) -> set[Key]:
    """Index what was written in these projects, and answered, before this call; answers the files it could not read."""
    kinds = [family for family in kinds if family.files is not None]
    unread: set[Key] = set()
    waiting = _watched(kinds, projects) if kinds else {}
    while waiting:
        news, later = _gathered(waiting, unread)
        again = {(one.family, one.project, one.key) for one in _late(news)} | later
        if not again:
            break
        if not later:  # somebody else is at it, and nearly done
            time.sleep(_WAIT_SECONDS)
        waiting = {file: row for file, row in _watched(kinds, projects).items() if file in again}
    return unread


def look(path: Path) -> Look:
    """Look at a file and its write-ahead log."""
    now = time.time_ns()
    try:
        file = os.stat(path)  # noqa: PTH116 - twice before every search, for every file
    except FileNotFoundError:
        return Look("", proves=True)
    try:
        log = os.stat(f"{path}-wal")  # noqa: PTH116 - as above
    except FileNotFoundError:
        return Look(f"{file.st_ino}:{file.st_size}:{file.st_mtime_ns}", now - file.st_mtime_ns > RACY_NS)
    stamp = f"{file.st_ino}:{file.st_size}:{file.st_mtime_ns}:{log.st_size}:{log.st_mtime_ns}"
    return Look(stamp, now - max(file.st_mtime_ns, log.st_mtime_ns) > RACY_NS)


def entries_again(family: Family, keys: Sequence[Key]) -> list[News]:
    """Answer these entries as they are now, to be stored only while their files are followed no further than now."""
    paths: dict[Key, list[str]] = {}
    for project, ref in keys:
        key, path = entry_of(ref)
        paths.setdefault((project, key), []).append(path)
    news = []
    for (project, key), some in paths.items():
        row = SearchFile.objects.filter(family=family.name, project=project, key=key).first()
        row = row or SearchFile(family=family.name, project_id=project, key=key)
        try:
            documents = _documents(row, some)
        except HubError as refusal:
            logger.warning("could not read %s of %s again: %s", key or family.name, project, refusal.message)
            continue
        refs = {ref_of(key, path) for path in some} - {document.ref for document in documents}
        news.append(_news(row, row.last, row.stamp, documents, sorted(refs)))
    return news


def file_of(row: SearchFile) -> AgentFile:
    """Answer the file that is followed."""
    files = families()[row.family].files
    if files is None:
        message = f"{row.family} is no family of files"
        raise TypeError(message)
    return files.file(row.project_id, row.key)


def _watched(kinds: Sequence[Family], projects: Collection[str]) -> Watched:
    """Answer every file a search in these projects could see and that may have changed, with how far it is followed."""
    rows = SearchFile.objects.filter(family__in=[family.name for family in kinds], open=True, project__in=projects)
    watched = {(row.family, row.project_id, row.key): row for row in rows}
    for family in kinds:
        for project, key in family.files.always(projects) if family.files else ():
            name = (family.name, project, key)
            if name not in watched:
                watched[name] = SearchFile(family=family.name, project_id=project, key=key)
    return watched


def _gathered(waiting: Watched, unread: set[Key]) -> tuple[list[News], set[Name]]:
    """Read files until it is enough for one transaction; answers what they say, and which have more to say."""
    news: list[News] = []
    later: set[Name] = set()
    chars = 0
    for name, row in waiting.items():
        if chars > CHARS:
            later.add(name)
            continue
        try:
            one, is_all = _read(name, row)
        except HubError as refusal:  # somebody else's program holds it, or it is damaged: the others are searched
            if name not in _told:
                logger.warning("could not follow %s: %s", name, refusal.message)
                _told.add(name)
            unread.add((row.project_id, row.key))
            continue
        if one is not None:
            news.append(one)
            chars += sum(len(document.body) for document in one.documents)
        if not is_all:
            later.add(name)
    return news, later


def _late(news: Sequence[News]) -> Sequence[News]:
    """Store news; answers what came too late: all of it where a project was deleted at that moment."""
    try:
        return store_news(HUB, news=news) if news else []
    except HubError as refusal:
        if refusal.code != "conflict":
            raise
        return news


def _read(name: Name, row: SearchFile) -> tuple[News | None, bool]:
    """Answer what a file says that is not indexed, if anything, and whether that is all of it."""
    file = file_of(row)
    seen = look(file.path)
    if not seen.stamp:
        return (_news(row, 0, "", anew=True) if row.last else None), True
    if seen.stamp == row.stamp or _clean.get(name) == (seen.stamp, row.last):
        return None, True
    with file.reading() as reader:
        anew = reader.last_log_id() < row.last
        since = 0 if anew else row.last
        log = reader.log(after_id=since, limit=ROWS)
        documents, gone, last = _entries(row, reader, log)
    is_all = len(log) < ROWS and (not log or last == log[-1].id)
    if not log and not anew:
        if seen.proves:
            _clean[name] = (seen.stamp, row.last)
        return None, True
    stamp = seen.stamp if is_all and seen.proves else ""
    return _news(row, max(last, since), stamp, documents, gone, anew=anew), is_all


def _entries(row: SearchFile, reader: Reader, log: Sequence[LogRow]) -> tuple[list[Document], list[str], int]:
    """Answer the entries that a piece of a log names as they are now, those that are gone, and the last row used."""
    documents, gone, last = list[Document](), list[str](), 0
    newest = {line.path: line for line in log}
    chars = 0
    for line in log:
        last = line.id
        at = newest.pop(line.path, None)
        if at is None or line.path is None:
            continue
        document = _document(row, reader, line.path, at.at)
        if document is None:
            gone.append(ref_of(row.key, line.path))
            continue
        documents.append(document)
        chars += len(document.body)
        if chars > CHARS:
            break
    return documents, gone, last


def _documents(row: SearchFile, paths: Sequence[str]) -> list[Document]:
    """Answer these entries as they are now, without those that are gone."""
    file = file_of(row)
    if not file.exists():
        return []
    with file.reading() as reader:
        writes = [(path, reader.last_write(path)) for path in paths]
        found = [_document(row, reader, path, write.at) for path, write in writes if write]
    return [document for document in found if document is not None]


def _document(row: SearchFile, reader: Reader, path: str, at: int) -> Document | None:
    """Answer what is indexed of an entry; None for what is gone or no text, or was never a path of ours."""
    try:
        entry = reader.get(path)
    except HubError:
        return None
    text = text_of(entry)
    if text is None or entry.path != path:
        return None
    title = f"{path.removeprefix('/fs/')}\n{title_of(path, text)}"
    ref = ref_of(row.key, path)
    return Document(row.project_id, ref, title, text, datetime.fromtimestamp(at, UTC), row.key or None)


def _news(  # noqa: PLR0913 - the fields of news
    row: SearchFile,
    last: int,
    stamp: str,
    documents: Sequence[Document] = (),
    gone: Sequence[str] = (),
    *,
    anew: bool = False,
) -> News:
    return News(row.family, row.project_id, row.key, row.last, last, stamp, documents, gone, anew)
