"""The tables of AgentFS SPEC 0.4, made, checked and completed; column order is the SDK's (it reads by position)."""

import sqlite3
import time
from typing import Final

from agentfs import failures
from agentfs.limits import CHUNK_BYTES

ROOT_INO: Final = 1
DIR_MODE: Final = 0o040755
READABLE_VERSIONS: Final = frozenset({"0.2", "0.3", "0.4"})
# What the SDK assumes where a file does not say.
DEFAULT_CHUNK_BYTES: Final = 4096

_TABLES: Final = {
    "fs_config": "(key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "fs_inode": """(ino INTEGER PRIMARY KEY AUTOINCREMENT, mode INTEGER NOT NULL, nlink INTEGER NOT NULL DEFAULT 0,
        uid INTEGER NOT NULL DEFAULT 0, gid INTEGER NOT NULL DEFAULT 0, size INTEGER NOT NULL DEFAULT 0,
        atime INTEGER NOT NULL, mtime INTEGER NOT NULL, ctime INTEGER NOT NULL, rdev INTEGER NOT NULL DEFAULT 0,
        atime_nsec INTEGER NOT NULL DEFAULT 0, mtime_nsec INTEGER NOT NULL DEFAULT 0,
        ctime_nsec INTEGER NOT NULL DEFAULT 0)""",
    "fs_dentry": """(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, parent_ino INTEGER NOT NULL,
        ino INTEGER NOT NULL, UNIQUE(parent_ino, name))""",
    "fs_data": """(ino INTEGER NOT NULL, chunk_index INTEGER NOT NULL, data BLOB NOT NULL,
        PRIMARY KEY (ino, chunk_index))""",
    "fs_symlink": "(ino INTEGER PRIMARY KEY, target TEXT NOT NULL)",
    "kv_store": """(key TEXT PRIMARY KEY, value TEXT NOT NULL, created_at INTEGER DEFAULT (unixepoch()),
        updated_at INTEGER DEFAULT (unixepoch()))""",
    "tool_calls": """(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, parameters TEXT, result TEXT,
        error TEXT, status TEXT NOT NULL DEFAULT 'pending', started_at INTEGER NOT NULL, completed_at INTEGER,
        duration_ms INTEGER)""",
    # Ours: finds the log rows of one path or actor without reading the log. Plain, so the SDK passes over it.
    "hub_log": "(call_id INTEGER PRIMARY KEY, path TEXT, actor TEXT)",
}
_INDEXES: Final = (
    "CREATE INDEX IF NOT EXISTS idx_fs_dentry_parent ON fs_dentry(parent_ino, name)",
    "CREATE INDEX IF NOT EXISTS idx_kv_store_created_at ON kv_store(created_at)",
    "CREATE INDEX IF NOT EXISTS idx_tool_calls_name ON tool_calls(name)",
    "CREATE INDEX IF NOT EXISTS idx_tool_calls_started_at ON tool_calls(started_at)",
    "CREATE INDEX IF NOT EXISTS idx_hub_log_path ON hub_log(path)",
    "CREATE INDEX IF NOT EXISTS idx_hub_log_actor ON hub_log(actor)",
)
_REQUIRED: Final = ("fs_config", "fs_inode", "fs_dentry", "fs_data")
_LATER_COLUMNS: Final = ("rdev", "atime_nsec", "mtime_nsec", "ctime_nsec")
_LOG_FIELDS: Final = """SELECT id AS call_id, CASE WHEN json_valid(parameters) THEN json_extract(parameters, '$.path')
    END AS path, CASE WHEN json_valid(parameters) THEN json_extract(parameters, '$.actor') END AS actor
    FROM tool_calls"""


def check(conn: sqlite3.Connection) -> None:
    """Refuse with `unavailable` a database that is no AgentFS file of 0.2 to 0.4."""
    if not set(_REQUIRED) <= _tables(conn):
        raise failures.damaged()
    row = conn.execute("SELECT value FROM fs_config WHERE key = 'schema_version'").fetchone()
    readable = "nlink" in _columns(conn, "fs_inode") if row is None else row[0] in READABLE_VERSIONS
    if not readable:
        raise failures.damaged()


def is_complete(conn: sqlite3.Connection) -> bool:
    """Tell whether every table and column that a write needs is there, and our index knows the whole log."""
    # `complete` makes our own table in the transaction that makes the rest.
    if "hub_log" not in _tables(conn):
        return False
    ends = conn.execute("SELECT (SELECT max(id) FROM tool_calls), (SELECT max(call_id) FROM hub_log)").fetchone()
    return bool(ends[0] == ends[1])


def complete(conn: sqlite3.Connection, *, chunk_bytes: int = DEFAULT_CHUNK_BYTES) -> None:
    """Add what is missing, inside the caller's transaction."""
    for name, columns in _TABLES.items():
        conn.execute(f"CREATE TABLE IF NOT EXISTS {name} {columns}")
    for column in _LATER_COLUMNS:
        if column not in _columns(conn, "fs_inode"):
            conn.execute(f"ALTER TABLE fs_inode ADD COLUMN {column} INTEGER NOT NULL DEFAULT 0")
    if "status" not in _columns(conn, "tool_calls"):
        _rebuild_tool_calls(conn)
    for statement in _INDEXES:
        conn.execute(statement)
    conn.execute("INSERT OR IGNORE INTO fs_config VALUES ('chunk_size', ?)", (str(chunk_bytes),))
    conn.execute("INSERT OR REPLACE INTO fs_config VALUES ('schema_version', '0.4')")
    now = int(time.time())
    conn.execute(
        "INSERT OR IGNORE INTO fs_inode (ino, mode, nlink, atime, mtime, ctime) VALUES (?, ?, 1, ?, ?, ?)",
        (ROOT_INO, DIR_MODE, now, now, now),
    )
    conn.execute(f"INSERT INTO hub_log {_LOG_FIELDS} WHERE id NOT IN (SELECT call_id FROM hub_log)")  # noqa: S608 - constants


def create(conn: sqlite3.Connection) -> None:
    """Make the tables of a new file, inside the caller's transaction."""
    complete(conn, chunk_bytes=CHUNK_BYTES)


def stand_in(conn: sqlite3.Connection) -> None:
    """Let reads of an incomplete file see empty tables and the whole log: temporary ones, nothing is written to it."""
    for name in set(_TABLES) - _tables(conn) - {"hub_log"}:
        conn.execute(f"CREATE TEMP TABLE {name} {_TABLES[name]}")
    # Also where one is there: it lacks what another program has logged since.
    conn.execute(f"CREATE TEMP VIEW hub_log AS {_LOG_FIELDS}")


def _rebuild_tool_calls(conn: sqlite3.Connection) -> None:
    # Added at the end the column would stand where the SDK, reading by position, expects another.
    kept = "id, name, parameters, result, error, started_at, completed_at, duration_ms"
    conn.execute("ALTER TABLE tool_calls RENAME TO hub_tool_calls_before")
    conn.execute(f"CREATE TABLE tool_calls {_TABLES['tool_calls']}")
    conn.execute(f"INSERT INTO tool_calls ({kept}) SELECT {kept} FROM hub_tool_calls_before")  # noqa: S608 - constants
    conn.execute("UPDATE tool_calls SET status = CASE WHEN coalesce(error, '') = '' THEN 'success' ELSE 'error' END")
    conn.execute("DROP TABLE hub_tool_calls_before")


def _tables(conn: sqlite3.Connection) -> set[str]:
    return {name for (name,) in conn.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'")}


def _columns(conn: sqlite3.Connection, table: str) -> set[str]:
    return {row[1] for row in conn.execute(f"PRAGMA main.table_info({table})")}
