"""What the hub puts into a session beside its brain, read-only: below ``/fs/.hub`` (MEM-05).

Nothing of it is in the brain's file: a fork, a promotion, the index and the page of a brain never meet it.
"""

from collections.abc import Callable
from functools import cache
from typing import Final

from django.utils.module_loading import import_string

from agentfs import Entry, Row, canonical
from agentfs.versions import version_of
from core.actor import Actor
from core.errors import HubError, invalid, not_found
from sessions_app import queries
from sessions_app.models import Session

PLACE: Final = "/fs/.hub"
FILES: Final = "tasks.context.files_of"
"""The function that answers the files of a session; named, since higher apps are not imported here."""


def _is_below(path: str, directory: str) -> bool:
    return path == directory or path.startswith(f"{directory}/")


def check_writable(path: str) -> None:
    """Refuse to write what is the hub's own: `forbidden`."""
    if _is_below(canonical(path), PLACE):
        raise HubError("forbidden", f"What is below {PLACE} is the hub's own and can only be read.", path=PLACE)


def get(actor: Actor, session: Session, path: str) -> Entry:
    """Answer an entry of a session: of its brain, or what the hub put beside it."""
    path = canonical(path)
    if not _is_below(path, PLACE):
        return queries.brain_get(session, path)
    files = _files(actor, session)
    if path in files:
        content = files[path]
        return Entry(path, "file", content, version_of(content), len(content), None)
    if any(_is_below(file, path) for file in files):
        raise invalid("path", "This is a directory.", type="dir")
    raise not_found("path")


def listed(actor: Actor, session: Session, path: str, *, limit: int, after: str | None = None) -> list[Row]:
    """Answer one level of a session: its brain's, and where the hub's files lie."""
    path = canonical(path)
    if path != "/fs" and not _is_below(path, PLACE):
        return queries.brain_list(session, path, limit=limit, after=after)
    ours = _level(_files(actor, session), path)
    if path != "/fs" and not ours:
        raise not_found("path")
    brain = queries.brain_list(session, path, limit=limit, after=after) if path == "/fs" else []
    rows = [row for row in brain if row.path != PLACE] + [row for row in ours if after is None or row.name > after]
    return sorted(rows, key=lambda row: row.name.encode())[:limit]


def _level(files: dict[str, bytes], directory: str) -> list[Row]:
    """Answer the rows of one directory of the hub's files."""
    rows: dict[str, Row] = {}
    for file, content in files.items():
        if file.startswith(f"{directory}/"):
            name, slash, _ = file.removeprefix(f"{directory}/").partition("/")
            path = f"{directory}/{name}"
            rows[name] = Row(name, path, "dir", 0, None) if slash else Row(name, path, "file", len(content), None)
    return list(rows.values())


def _files(actor: Actor, session: Session) -> dict[str, bytes]:
    return _of_session()(actor, session)


@cache
def _of_session() -> Callable[[Actor, Session], dict[str, bytes]]:
    files: Callable[[Actor, Session], dict[str, bytes]] = import_string(FILES)
    return files
