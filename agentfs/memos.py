"""Short-lived notes kept with what a write stored, in the same transaction: a plain side table the SDK passes over."""

import sqlite3
import time
from typing import Final

_TABLE: Final = "(key TEXT PRIMARY KEY, value TEXT NOT NULL, until INTEGER NOT NULL)"


def read(conn: sqlite3.Connection, key: str) -> str | None:
    """Answer the memo under a key, None when there is none or its time is over."""
    if conn.execute("SELECT 1 FROM main.sqlite_master WHERE name = 'hub_memo'").fetchone() is None:
        return None
    row = conn.execute("SELECT value FROM hub_memo WHERE key = ? AND until > ?", (key, int(time.time()))).fetchone()
    return None if row is None else str(row[0])


def keep(conn: sqlite3.Connection, key: str, value: str, seconds: int) -> None:
    """Keep a memo for some seconds, and drop those whose time is over."""
    now = int(time.time())
    conn.execute(f"CREATE TABLE IF NOT EXISTS hub_memo {_TABLE}")
    conn.execute("DELETE FROM hub_memo WHERE until <= ?", (now,))
    conn.execute("INSERT OR REPLACE INTO hub_memo VALUES (?, ?, ?)", (key, value, now + seconds))
