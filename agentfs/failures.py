"""What a failing file looks like to a caller: `unavailable`, never SQLite's own words."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from core.errors import HubError

_BUSY: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_DAMAGED: Final = frozenset({sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT})


def busy() -> HubError:
    """Answer the refusal of a file that another process holds."""
    return HubError("unavailable", "The file is held by another process; try again.", reason="busy")


def damaged() -> HubError:
    """Answer the refusal of a file that is no AgentFS file we can read; it is left as it is."""
    return HubError("unavailable", "The file is not a readable AgentFS file.", reason="damaged")


def storage() -> HubError:
    """Answer the refusal of a file that the disk or the system would not let us use."""
    return HubError("unavailable", "The file could not be read or written.", reason="storage")


def is_damage(error: sqlite3.Error) -> bool:
    """Tell whether an error means that the file is no database, or a broken one."""
    return primary_code(error) in _DAMAGED


def primary_code(error: sqlite3.Error) -> int:
    """Answer the primary SQLite result code of an error, 0 where the module raised it itself."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def refusal(error: sqlite3.Error) -> HubError:
    """Answer the `HubError` that stands for an SQLite error."""
    code = primary_code(error)
    if code in _BUSY:
        return busy()
    if code in _DAMAGED:
        return damaged()
    return storage()


@contextmanager
def on_disk() -> Iterator[None]:
    """Raise what the file system raises inside the block as `unavailable`; never around a caller's own code."""
    try:
        yield
    except OSError as error:
        raise storage() from error


@contextmanager
def translated() -> Iterator[None]:
    """Raise what SQLite raises inside the block as `unavailable`."""
    try:
        yield
    except sqlite3.ProgrammingError:
        raise
    except sqlite3.Error as error:
        raise refusal(error) from error
