"""What reads and writes answer: plain values, nothing that holds the file open."""

from dataclasses import dataclass, field
from typing import Any, Literal

EntryType = Literal["file", "dir", "key", "symlink", "other"]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a listing."""

    name: str
    path: str
    type: EntryType
    size: int
    modified: int | None


@dataclass(frozen=True, slots=True)
class Entry:
    """One path; `stat` leaves `content` empty, and what has no content has the version ''."""

    path: str
    type: EntryType
    content: bytes
    version: str
    size: int
    modified: int | None


@dataclass(frozen=True, slots=True)
class Written:
    """What a write stored: the new version, and the log row it appended."""

    path: str
    version: str
    size: int
    created: bool
    log_id: int


@dataclass(frozen=True, slots=True)
class LogRow:
    """One line of the file's tool call log; `at` in whole seconds."""

    id: int
    op: str
    path: str | None
    actor: str | None
    at: int
    version: str | None
    error: str | None
    note: dict[str, Any] = field(default_factory=dict)
