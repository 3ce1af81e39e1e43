"""What a document rests on (GOV-07): citations, checked when they are made, told as they are when they are read.

A source is a JSON object with ``kind`` and the members below; it is kept as it was given, so that a version shows what
it was published with, also when the thing is gone.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any, Final

from artifacts.models import ArtifactVersion
from core import limits
from core.checks import check_text
from core.errors import HubError, invalid
from core.ids import parse
from knowledge.models import VISIBLE, Document, DocumentVersion, RepositoryFile, Space
from knowledge.queries import get_page, page_log
from projects.models import Event, Kind, Project
from sessions_app.brain import present
from sessions_app.queries import brain_get

type Source = dict[str, Any]
MEMBERS: Final[dict[str, tuple[frozenset[str], frozenset[str]]]] = {
    "page": (frozenset({"path", "version"}), frozenset()),
    "brain": (frozenset({"session", "path", "version"}), frozenset()),
    "artifact": (frozenset({"artifact", "version"}), frozenset()),
    "event": (frozenset({"event"}), frozenset()),
    "document": (frozenset({"document", "version"}), frozenset()),
    "repository": (frozenset({"commit", "path", "blob"}), frozenset({"lines"})),
    "url": (frozenset({"url"}), frozenset({"title"})),
}
"""Per kind the members it must and may have."""
_HASH: Final = re.compile(r"[0-9a-f]{7,64}")


def checked(project: Project, sources: list[Source]) -> list[Source]:
    """Answer sources that name something of the project, or refuse the first that does not: by place and member."""
    if len(sources) > limits.SOURCES:
        raise invalid("sources", f"sources must be at most {limits.SOURCES}.", limit=limits.SOURCES)
    return [_checked(project, source, f"sources.{number}") for number, source in enumerate(sources)]


def _checked(project: Project, source: Source, field: str) -> Source:
    kind = source.get("kind")
    if kind not in MEMBERS:
        raise invalid(f"{field}.kind", f"kind must be one of {', '.join(MEMBERS)}.")
    must, may = MEMBERS[kind]
    given = source.keys() - {"kind"}
    if not must <= given <= must | may:
        known = ", ".join([*sorted(must), *(f"{name}?" for name in sorted(may))])
        raise invalid(field, f"A source of kind {kind} has {known}.")
    for name in given - {"lines"}:
        if not isinstance(source[name], int if (kind, name) in _NUMBERS else str):
            raise invalid(f"{field}.{name}", f"{name} has the wrong type.")
    _CHECKS[kind](project, source, field)
    return source


_NUMBERS: Final = frozenset({("artifact", "version"), ("document", "version")})


def _check_page(project: Project, source: Source, field: str) -> None:
    rows = page_log(project, path=source["path"], limit=500).rows
    if source["version"] not in {row.version for row in rows}:
        raise invalid(f"{field}.version", "This page never had this version.")


def _check_brain(_project: Project, source: Source, field: str) -> None:
    """Only promotion makes one, from bytes it read; what is checked here is the shape."""
    parse(source["session"], f"{field}.session")


def _check_artifact(project: Project, source: Source, field: str) -> None:
    rows = ArtifactVersion.objects.filter(artifact=parse(source["artifact"], f"{field}.artifact"), project=project)
    _exists(rows.filter(number=source["version"]), field, "artifact version")


def _check_event(project: Project, source: Source, field: str) -> None:
    rows = Event.objects.filter(project=project, pk=parse(source["event"], f"{field}.event"))
    _exists(rows.exclude(kind=Kind.SYSTEM), field, "event")


def _check_document(project: Project, source: Source, field: str) -> None:
    rows = DocumentVersion.objects.filter(
        document=parse(source["document"], f"{field}.document"), document__project=project, state__in=VISIBLE
    )
    _exists(rows.filter(number=source["version"]), field, "document version")


def _exists(rows: Any, field: str, what: str) -> None:  # noqa: ANN401 - a queryset of anything
    if not rows.exists():
        raise invalid(field, f"This project has no such {what}.")


def _check_repository(_project: Project, source: Source, field: str) -> None:
    for name in ("commit", "blob"):
        if not _HASH.fullmatch(source[name]):
            raise invalid(f"{field}.{name}", f"{name} must be a hash of 7 to 64 hexadecimal digits.")
    check_text(source["path"], f"{field}.path", limits.PATH_BYTES)
    lines = source.get("lines", [1, 1])
    if not (isinstance(lines, list) and len(lines) == 2 and all(isinstance(line, int) for line in lines)):  # noqa: PLR2004
        raise invalid(f"{field}.lines", "lines is [first, last].")


def _check_url(_project: Project, source: Source, field: str) -> None:
    check_text(source["url"], f"{field}.url", 2000)
    check_text(source.get("title", ""), f"{field}.title", limits.TITLE_CHARS, empty=True)
    if not re.match(r"https?://[^\s/]", source["url"]):
        raise invalid(f"{field}.url", "url must begin with http:// or https://.")


_CHECKS: Final[dict[str, Callable[[Project, Source, str], None]]] = {
    "page": _check_page,
    "brain": _check_brain,
    "artifact": _check_artifact,
    "event": _check_event,
    "document": _check_document,
    "repository": _check_repository,
    "url": _check_url,
}


def standing(project: Project, space: Space, sources: list[Source]) -> list[Source]:
    """Answer sources with ``state``: ok, gone, drifted (a page that moved on) or stale (a file that did)."""
    return [source | {"state": _state(project, space, source)} for source in sources]


def _state(project: Project, space: Space, source: Source) -> str:
    kind = source["kind"]
    if kind in {"page", "brain"}:
        return _content_state(project, source)
    if kind == "repository":
        return "stale" if is_stale(space, [source]) else "ok"
    if kind in {"artifact", "event", "document"}:
        try:
            _CHECKS[kind](project, source, "sources")
        except HubError:
            return "gone"
    return "ok"


def _content_state(project: Project, source: Source) -> str:
    """Compare a page, or an entry of a brain, with what was cited; a pruned session's is gone."""
    try:
        if source["kind"] == "page":
            entry = get_page(project, source["path"])
        else:
            entry = brain_get(present(project, source["session"]), source["path"])
    except HubError:
        return "gone"
    return "ok" if entry.version == source["version"] else "drifted"


def is_stale(space: Space, sources: list[Source]) -> bool:
    """Tell whether a repository's sync has reported another file where one was cited (GOV-01)."""
    cited = {source["path"]: source["blob"] for source in sources if source["kind"] == "repository"}
    if not cited:
        return False
    now = dict(RepositoryFile.objects.filter(space=space, path__in=cited).values_list("path", "blob"))
    return any(path in now and now[path] != blob for path, blob in cited.items())


def stale_documents(documents: Iterable[Document]) -> set[str]:
    """Answer which of some documents are stale in their current version, in one query."""
    cited = {
        (document.pk, document.space_id, source["path"]): source["blob"]
        for document in documents
        for source in (document.current.sources if document.current else ())
        if source["kind"] == "repository"
    }
    if not cited:
        return set()
    files = RepositoryFile.objects.filter(space__in={key[1] for key in cited}, path__in={key[2] for key in cited})
    now = {(space, path): blob for space, path, blob in files.values_list("space", "path", "blob")}
    return {key[0] for key, blob in cited.items() if now.get(key[1:], blob) != blob}


def verified_commit(space: Space, sources: list[Source]) -> str:
    """Answer the commit the newest cited files were seen at, as the sync or the author says; empty for none."""
    cited = [source for source in sources if source["kind"] == "repository"]
    if not cited:
        return ""
    newest = RepositoryFile.objects.filter(space=space).order_by("-reported_at").first()
    return newest.commit if newest and not is_stale(space, cited) else str(cited[-1]["commit"])
