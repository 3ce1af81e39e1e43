"""What a document rests on (GOV-07): citations, checked when they are made, told as they are when they are read.

A source is a JSON object with ``kind`` and the members below; it is kept as it was given, so that a version shows what
it was published with, also when the thing is gone.
"""

import re
from collections.abc import Callable, Collection, Iterable
from typing import Any, Final

from agentfs import canonical
from artifacts.models import ArtifactVersion
from core import limits
from core.checks import check_text
from core.errors import HubError, invalid
from core.ids import parse
from core.page import MAX_LIMIT
from knowledge.models import VISIBLE, Document, DocumentVersion, RepositoryFile, Space
from knowledge.queries import get_page, page_log
from projects.models import Event, Kind, Project
from sessions_app.brain import present
from sessions_app.models import Session
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
_STORED: Final = re.compile(r"sha256:[0-9a-f]{64}")


def checked(project: Project, sources: list[Source], known: list[Source]) -> list[Source]:
    """Answer sources that name something of the project, or refuse the first that does not: by place and member.

    Those ``known`` stay as they are, also when what they name is gone.
    """
    if len(sources) > limits.SOURCES:
        raise invalid("sources", f"sources must be at most {limits.SOURCES}.", limit=limits.SOURCES)
    return [
        source if source in known else _checked(project, source, f"sources.{number}")
        for number, source in enumerate(sources)
    ]


def _checked(project: Project, source: Source, field: str) -> Source:
    """Answer a source with its ids and paths in their one spelling."""
    kind = source.get("kind")
    if not isinstance(kind, str) or kind not in MEMBERS:
        raise invalid(f"{field}.kind", f"kind must be one of {', '.join(MEMBERS)}.")
    must, may = MEMBERS[kind]
    given = source.keys() - {"kind"}
    if not must <= given <= must | may:
        known = ", ".join([*sorted(must), *(f"{name}?" for name in sorted(may))])
        raise invalid(field, f"A source of kind {kind} has {known}.")
    for name in given - {"lines"}:
        if type(source[name]) is not (int if (kind, name) in _NUMBERS else str):  # True is no number here
            raise invalid(f"{field}.{name}", f"{name} has the wrong type.")
    return source | _CHECKS[kind](project, source, field)


_NUMBERS: Final = frozenset({("artifact", "version"), ("document", "version")})


def _check_page(project: Project, source: Source, field: str) -> Source:
    path = _path(source, field, pages_only=True)
    rows = page_log(project, path=path, limit=MAX_LIMIT).rows
    if source["version"] not in {row.version for row in rows}:
        raise invalid(f"{field}.version", "This page never had this version.")
    return {"path": path}


def _check_brain(project: Project, source: Source, field: str) -> Source:
    """Check the session and the shape: an entry's former versions are not kept."""
    session = parse(source["session"], f"{field}.session")
    _exists(Session.objects.filter(project=project, pk=session), field, "session")
    if not _STORED.fullmatch(source["version"]):
        raise invalid(f"{field}.version", "version must be one that was read.")
    return {"session": session, "path": _path(source, field)}


def _path(source: Source, field: str, *, pages_only: bool = False) -> str:
    try:
        return canonical(source["path"], pages_only=pages_only)
    except HubError as error:
        raise invalid(f"{field}.path", error.message) from None


def _check_artifact(project: Project, source: Source, field: str) -> Source:
    artifact = parse(source["artifact"], f"{field}.artifact")
    rows = ArtifactVersion.objects.filter(artifact=artifact, project=project)
    _exists(rows.filter(number=source["version"]), field, "artifact version")
    return {"artifact": artifact}


def _check_event(project: Project, source: Source, field: str) -> Source:
    event = parse(source["event"], f"{field}.event")
    _exists(Event.objects.filter(project=project, pk=event).exclude(kind=Kind.SYSTEM), field, "event")
    return {"event": event}


def _check_document(project: Project, source: Source, field: str) -> Source:
    document = parse(source["document"], f"{field}.document")
    rows = DocumentVersion.objects.filter(document=document, document__project=project, state__in=VISIBLE)
    _exists(rows.filter(number=source["version"]), field, "document version")
    return {"document": document}


def _exists(rows: Any, field: str, what: str) -> None:  # noqa: ANN401 - a queryset of anything
    if not rows.exists():
        raise invalid(field, f"This project has no such {what}.")


def _check_repository(_project: Project, source: Source, field: str) -> Source:
    for name in ("commit", "blob"):
        if not _HASH.fullmatch(source[name]):
            raise invalid(f"{field}.{name}", f"{name} must be a hash of 7 to 64 hexadecimal digits.")
    if "lines" in source and not _are_lines(source["lines"]):
        raise invalid(f"{field}.lines", "lines is [first, last].")
    return {"path": check_text(source["path"], f"{field}.path", limits.PATH_BYTES)}


def _are_lines(lines: Any) -> bool:  # noqa: ANN401 - any JSON value
    if not isinstance(lines, list) or [type(line) for line in lines] != [int, int]:
        return False
    return bool(1 <= lines[0] <= lines[1])


def _check_url(_project: Project, source: Source, field: str) -> Source:
    check_text(source["url"], f"{field}.url", 2000)
    check_text(source.get("title", ""), f"{field}.title", limits.TITLE_CHARS, empty=True)
    if not re.match(r"https?://[^\s/]", source["url"]):
        raise invalid(f"{field}.url", "url must begin with http:// or https://.")
    return {}


_CHECKS: Final[dict[str, Callable[[Project, Source, str], Source]]] = {
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
    cited = [source for source in sources if source["kind"] == "repository"]
    now = _reported({space.pk}, cited)
    return any(_moved(now.get((space.pk, source["path"])), source) for source in cited)


def stale_documents(documents: Iterable[Document]) -> set[str]:
    """Answer which of some documents are stale in their current version, in one query."""
    return _stale((document, document.current) for document in documents if document.current)


def stale_versions(versions: Iterable[DocumentVersion]) -> set[str]:
    """Answer of which documents these versions, read with them, are stale, in one query."""
    return _stale((version.document, version) for version in versions)


def _stale(current: Iterable[tuple[Document, DocumentVersion]]) -> set[str]:
    cited = [
        (document, source)
        for document, version in current
        for source in version.sources
        if source["kind"] == "repository"
    ]
    now = _reported({document.space_id for document, _ in cited}, [source for _, source in cited])
    return {document.pk for document, source in cited if _moved(now.get((document.space_id, source["path"])), source)}


def _reported(spaces: Collection[str], cited: Collection[Source]) -> dict[tuple[str, str], str]:
    """Answer which blob the cited paths were last reported with, '' for none, by space and path."""
    if not cited:
        return {}
    files = RepositoryFile.objects.filter(space__in=spaces, path__in={source["path"] for source in cited})
    return {(space, path): blob for space, path, blob in files.values_list("space", "path", "blob")}


def _moved(blob: str | None, source: Source) -> bool:
    """Tell whether a report contradicts a citation; both may be cut short, as people write hashes."""
    if blob is None:
        return False
    return not blob or not (blob.startswith(source["blob"]) or source["blob"].startswith(blob))


def verified_commit(space: Space, sources: list[Source]) -> str:
    """Answer the commit at which a repository's files were as cited: the sync's newest, if it has seen all of them.

    Else the one the author names. Empty where nothing can be verified: outside repository spaces, or without files.
    """
    cited = [source for source in sources if source["kind"] == "repository"]
    if not cited or space.kind != Space.Kind.REPOSITORY:
        return ""
    now = _reported({space.pk}, cited)
    blobs = [now.get((space.pk, source["path"])) for source in cited]
    if any(blob is None or _moved(blob, source) for blob, source in zip(blobs, cited, strict=True)):
        return str(cited[-1]["commit"])
    return RepositoryFile.objects.filter(space=space).latest("reported_at").commit
