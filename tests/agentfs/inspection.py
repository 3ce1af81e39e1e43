"""What a closed file says to plain SQLite."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any


def query(path: Path, sql: str, *args: object) -> list[tuple[Any, ...]]:
    """Answer the rows of a statement on a file; a write is committed."""
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        return conn.execute(sql, args).fetchall()


def check(path: Path) -> None:
    """Fail unless the database is sound and every inode's size is that of its chunks."""
    assert query(path, "PRAGMA integrity_check") == [("ok",)]
    assert not query(
        path,
        """SELECT ino FROM fs_inode i WHERE mode & 61440 = 32768 AND
        size != (SELECT coalesce(sum(length(data)), 0) FROM fs_data d WHERE d.ino = i.ino)""",
    )
    assert not query(path, "SELECT ino FROM fs_data WHERE ino NOT IN (SELECT ino FROM fs_inode)")
    assert not query(path, "SELECT ino FROM fs_dentry WHERE ino NOT IN (SELECT ino FROM fs_inode)")


def script(path: Path, sql: str) -> None:
    """Run statements on a file, made where it is absent: to build what other programs leave."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as conn:
        conn.executescript(sql)


def names(directory: Path) -> list[str]:
    """Answer what is in a directory, by name."""
    return sorted(found.name for found in directory.iterdir())
