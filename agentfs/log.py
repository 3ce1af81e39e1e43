"""The tool call log of one AgentFS file: a row for each write, never trimmed (KNB-05, KNB-06)."""

import json
import sqlite3
import time
from typing import Any, Final

from agentfs.entries import LogRow

_ROW: Final = "t.id, t.name, t.parameters, t.result, t.error, t.started_at"
_ALL: Final = f"SELECT {_ROW} FROM tool_calls t"  # noqa: S608 - constants only
# CROSS JOIN fixes the order: from the small side table, by its index, to the rows of the log.
_FILTERED: Final = f"SELECT {_ROW} FROM hub_log h CROSS JOIN tool_calls t ON t.id = h.call_id"  # noqa: S608 - as above


def append(  # noqa: PLR0913 - each is one column of the row
    conn: sqlite3.Connection, op: str, *, path: str, actor: str, result: dict[str, Any], note: dict[str, Any] | None
) -> int:
    """Add one row inside the caller's transaction, and answer its id."""
    now = int(time.time())
    call_id = conn.execute(
        """INSERT INTO tool_calls (name, parameters, result, status, started_at, completed_at, duration_ms)
        VALUES (?, ?, ?, 'success', ?, ?, 0)""",
        (op, _json({**(note or {}), "path": path, "actor": actor}), _json(result), now, now),
    ).lastrowid
    conn.execute("INSERT INTO hub_log (call_id, path, actor) VALUES (?, ?, ?)", (call_id, path, actor))
    return call_id or 0


def rows(  # noqa: PLR0913 - each is one column a reader filters by
    conn: sqlite3.Connection,
    *,
    path: str | None = None,
    actor: str | None = None,
    op: str | None = None,
    before_id: int | None = None,
    after_id: int | None = None,
    limit: int = 50,
) -> list[LogRow]:
    """Answer log rows, newest first; after an id, oldest first, so that a reader can follow the log."""
    wanted = {"h.path = ?": path, "h.actor = ?": actor, "t.name = ?": op, "t.id < ?": before_id, "t.id > ?": after_id}
    given = {condition: value for condition, value in wanted.items() if value is not None}
    source = _FILTERED if path is not None or actor is not None else _ALL
    where = f" WHERE {' AND '.join(given)}" if given else ""
    order = "ASC" if after_id is not None else "DESC"
    key = "h.call_id" if source is _FILTERED else "t.id"
    found = conn.execute(f"{source}{where} ORDER BY {key} {order} LIMIT ?", (*given.values(), limit))
    return [_log_row(row) for row in found]


def last_id(conn: sqlite3.Connection) -> int:
    """Answer the id of the newest row, 0 where there is none."""
    return int(conn.execute("SELECT coalesce(max(id), 0) FROM tool_calls").fetchone()[0])


def _log_row(row: tuple[int, str, str | None, str | None, str | None, int]) -> LogRow:
    call_id, op, parameters, result, error, at = row
    note = _fields(parameters)
    path, actor = note.pop("path", None), note.pop("actor", None)
    version = _fields(result).get("version")
    return LogRow(call_id, _text(op) or "", _text(path), _text(actor), at, _text(version), _text(error), note)


def _fields(text: str | None) -> dict[str, Any]:
    """Answer the fields of a JSON object; foreign rows hold '', other values and bad JSON, which have none."""
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError, TypeError):
        return {}
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str | None:
    """Answer text that can be encoded; '' and what is no text count as not said."""
    return value.encode(errors="replace").decode() or None if isinstance(value, str) else None


def _json(value: dict[str, Any]) -> str:
    # ASCII: text from outside may hold what UTF-8 cannot.
    return json.dumps(value)
