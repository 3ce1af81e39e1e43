"""Reading a project's pages and their history."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import takewhile
from typing import Any

from agentfs import Entry, LogRow, Row, canonical
from core.errors import not_found
from core.page import MAX_LIMIT, Page, check_limit, cut, number_cursor
from core.times import rfc3339_seconds
from knowledge.files import knowledge_of
from knowledge.models import CitedPage
from projects.models import Project


def get_page(project: Project, path: str) -> Entry:
    """Answer a page; `not_found` where there is none."""
    path = canonical(path, pages_only=True)
    file = knowledge_of(project)
    if not file.exists():
        raise not_found("path")
    with file.reading() as pages:
        return pages.get(path)


def list_pages(project: Project, path: str = "/fs", *, limit: int | None = None, after: str | None = None) -> list[Row]:
    """Answer one level of the knowledge base, ordered by name; empty where nothing was written."""
    path = canonical(path, pages_only=True)
    file = knowledge_of(project)
    if not file.exists():
        if path != "/fs":
            raise not_found("path")
        return []
    with file.reading() as pages:
        return pages.list(path, limit=limit, after=after)


def all_pages(project: Project) -> list[Row]:
    """Answer every page of a project, ordered by path."""
    file = knowledge_of(project)
    if not file.exists():
        return []
    with file.reading() as pages:
        return list(pages.walk("/fs"))


def page_log(  # noqa: PLR0913 - each is one column a reader filters by
    project: Project,
    *,
    path: str | None = None,
    actor: str | None = None,
    op: str | None = None,
    limit: int = 50,
    cursor: str | None = None,
) -> Page[LogRow]:
    """Answer the log of writes, newest first (KNB-06): of one page, or of all."""
    check_limit(limit)
    wanted = canonical(path, pages_only=True) if path is not None else None
    before = number_cursor(cursor, 18) if cursor is not None else None
    file = knowledge_of(project)
    if not file.exists():
        return Page([], None)
    with file.reading() as pages:
        rows = pages.log(path=wanted, actor=actor, op=op, before_id=before, limit=limit + 1)
    return cut(rows, limit, lambda row: str(row.id))


def last_write(project: Project, path: str) -> LogRow | None:
    """Answer the newest write of a page, by seek."""
    path, file = canonical(path, pages_only=True), knowledge_of(project)
    if not file.exists():
        return None
    with file.reading() as pages:
        return pages.last_write(path)


def trust_of(project: Project, path: str) -> str | None:
    """Answer how far a page is confirmed (KNB-06); None where no page stands.

    ``promoted`` while a published document cites it as it is, ``drifted`` once it is another than was cited. Else it
    is told by its log since it was made, no further back than one page: ``human-touched`` once a person wrote it, or
    ``raw``.
    """
    path = canonical(path, pages_only=True)
    return trust_in(page_log(project, path=path, limit=MAX_LIMIT).rows, cited_versions(project, [path])[path])


def cited_versions(project: Project, paths: Collection[str]) -> Mapping[str, set[str]]:
    """Answer, in one query, the versions of pages that published documents rest on."""
    cited: dict[str, set[str]] = defaultdict(set)
    rows = CitedPage.objects.filter(project=project, path__in=paths)
    for path, version in rows.values_list("path", "version"):
        cited[path].add(version)
    return cited


def trust_in(log: Sequence[LogRow], cited: Collection[str]) -> str | None:
    """Answer `trust_of` out of a page's log, newest first, and the versions of it that documents cite."""
    since = list(takewhile(lambda row: row.op != "delete", log))
    if not since:
        return None
    if cited:
        return "promoted" if since[0].version in cited else "drifted"
    writers = [row.actor or "" for row in since]
    return "human-touched" if any(writer.startswith("human:") for writer in writers) else "raw"


def standing(project: Project, path: str | None) -> dict[str, Any]:
    """Answer a page's last writer and trust as every face shows them; without a page nobody's."""
    if path is None:
        return {"last_writer": None, "trust": None}
    last = last_write(project, path)
    return {"last_writer": last.actor if last else None, "trust": trust_of(project, path)}


def log_json(row: LogRow) -> dict[str, Any]:
    """Answer a log row as every face shows it; a promoted page's names the session and path it came from."""
    shown = {"id": row.id, "op": row.op, "path": row.path, "actor": row.actor}
    return (
        shown
        | {"at": rfc3339_seconds(row.at), "version": row.version}
        | {name: row.note.get(name) for name in ("session", "from_path")}
    )
