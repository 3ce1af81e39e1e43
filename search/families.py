"""What can be found. Each app registers the families it owns in its module ``search_families``.

A family never decides who sees what by the index: its `read` answers under the caller's rights, from the rows and files
themselves, and leaves out what is gone or hidden.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any, Protocol

from django.utils.module_loading import autodiscover_modules

from agentfs import AgentFile
from core.actor import Actor
from core.errors import invalid

type Key = tuple[str, str]
"""A thing within its family: the project's slug and the thing's ref."""


@dataclass(frozen=True, slots=True)
class Document:
    """What is indexed of a thing: text as it is stored, not folded.

    ``share`` names what it can be shared by with callers who may not read its project (see `Family.shared`).
    """

    project: str
    ref: str
    title: str
    body: str
    at: datetime
    session: str | None = None
    share: str | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A thing as the caller may see it. The snippet is cut out of ``text``; ``shows`` are ids and what else is told."""

    title: str
    text: str
    at: datetime | None
    actor: str | None
    shows: Mapping[str, Any] = field(default_factory=dict)


class Files(Protocol):
    """AgentFS files whose entries are a family. The key is a session's id, or '' for a project's one file."""

    def file(self, project: str, key: str) -> AgentFile:
        """Answer the file, written or not."""

    def always(self, projects: Collection[str]) -> Iterable[Key]:
        """Answer, as project and key, files to look at before every search; others are named by `index.follow`."""

    def known(self) -> Iterable[Key]:
        """Answer every file there may be, for a rebuild."""

    def rest(self, keys: Sequence[Key]) -> Mapping[Key, str]:
        """Answer, of these, the files nobody can write now, each with a mark that changes if somebody could between."""


def ref_of(key: str, path: str) -> str:
    """Answer the ref of an entry of a file."""
    return f"{key}:{path}" if key else path


def entry_of(ref: str) -> Key:
    """Answer the file's key and the path of an entry's ref."""
    key, _, path = ref.partition(":")
    return ("", ref) if ref.startswith("/") else (key, path)


@dataclass(frozen=True, slots=True)
class Family:
    """A kind of thing that can be found.

    ``read`` answers hits under the actor's rights, in one or two queries. A family of rows says how to list everything
    (``refs``: the next things after a ref, in the order of refs) and what is indexed of given things (``documents``,
    which leaves out what is gone), for a rebuild; a family of files says which ``files``. ``shared`` answers what a
    caller is given of projects it may not read: the ``share`` of the documents, with the project's slug and name.
    ``degraded`` answers why the family is searched with less than was configured, None where it is not.
    """

    name: str
    read: Callable[[Actor, Sequence[Key]], Mapping[Key, Hit]]
    refs: Callable[[str, int], Sequence[Key]] | None = None
    documents: Callable[[Sequence[Key]], Iterable[Document]] | None = None
    files: Files | None = None
    shared: Callable[[Actor], Mapping[str, tuple[str, str]]] | None = None
    degraded: Callable[[], str | None] | None = None


_FAMILIES: dict[str, Family] = {}


def register(family: Family) -> Family:
    """Add a family."""
    _FAMILIES[family.name] = family
    return family


@cache
def families() -> Mapping[str, Family]:
    """Answer every app's families by name. Imports each app's ``search_families`` once."""
    autodiscover_modules("search_families")
    return _FAMILIES


def chosen(names: Collection[str] | None) -> list[Family]:
    """Answer the families named, or all; refuses one there is not, naming those there are."""
    known = families()
    unknown = sorted(set(names or ()) - set(known))
    if unknown:
        raise invalid("families", f"Unknown families: {', '.join(unknown)}. Known: {', '.join(sorted(known))}.")
    return [known[name] for name in sorted(names or known)]
