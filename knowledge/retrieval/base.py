"""What a retrieval plane is to the hub: a second index over documents, beside the one that is always kept (MEM-10).

A plane is never believed: what it answers is joined to the documents again before anything is cut off (TSK-07). It is
given plain values, since it is called on threads that have no business with the database.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

FAMILY: Final = "document"
"""The family of the hub's own index that documents are."""


class Ref(NamedTuple):
    """A part of a version, as the index of the hub names it too."""

    document: str
    version: int
    chunk: int

    def __str__(self) -> str:
        """Write it."""
        return f"{self.document}.{self.version}.{self.chunk}"

    @classmethod
    def of(cls, written: str) -> "Ref":
        """Read what was written."""
        document, version, chunk = written.split(".")
        return cls(document, int(version), int(chunk))


@dataclass(frozen=True, slots=True)
class Published:
    """A version that is, or is about to be, the current one. ``replaces`` is the one that readers have until then."""

    document: str
    number: int
    space: str
    title: str
    replaces: int | None = None


class PlaneUnavailable(Exception):  # noqa: N818 - it says what is so
    """A plane that does not answer; ``reason`` is a word of `REASONS`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


REASONS: Final = {
    "misconfigured": "there is no plane of this name",
    "not_installed": "its package is not installed",
    "not_built": "it has not been built yet",
    "unreadable": "its index cannot be read or written",
    "busy": "another process is writing it",
    "timeout": "it did not answer in time",
    "failed": "it failed",
}
"""Why a plane is unavailable, and how that is told."""


class Plane(Protocol):
    """A second index. Each method raises `PlaneUnavailable`, or whatever it likes, when it cannot do its work."""

    def index(self, version: Published, chunks: Sequence[str]) -> None:
        """Index a version's parts, in order; of its document only these and what it replaces stay."""

    def delete(self, document: str) -> None:
        """Forget a document."""

    def search(self, query: str, spaces: Sequence[str], k: int) -> list[Ref]:
        """Answer at most `k` parts of these spaces, best first."""

    def health(self) -> None:
        """Answer nothing where a search would be answered."""

    def held(self) -> set[tuple[str, int]]:
        """Answer the versions it holds, as document and number."""

    def rebuild(self, versions: Iterable[tuple[Published, Sequence[str]]]) -> None:
        """Begin anew, whatever was there, with these versions and their parts. That may take its time."""
