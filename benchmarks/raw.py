"""The raw loop: the rows of a signal written straight with sqlite3 into a copy of the hub's tables, as durably."""

import json
import sqlite3
import sys
import time
from contextlib import closing
from datetime import UTC, datetime

from core import ids

PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON")
INSERT = (
    "INSERT INTO projects_event (id, project_id, kind, actor, session, thread, summary, payload, created_at) "
    "VALUES (?, ?, 'signal', 'bench', ?, NULL, 'measured', '{}', ?)"
)


def main(path: str, project: str, session: str, seconds: float) -> None:
    """Write until the time is over."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for pragma in PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")

        def once() -> float:
            before = time.perf_counter()
            connection.execute("BEGIN IMMEDIATE")
            (last,) = connection.execute("SELECT last FROM projects_eventclock").fetchone()
            minted = ids.after(last)
            connection.execute("UPDATE projects_eventclock SET last = ?", [minted])
            connection.execute(INSERT, [minted, project, session, datetime.now(UTC).isoformat()])
            connection.execute("COMMIT")
            return time.perf_counter() - before

        end = time.perf_counter() + seconds
        latencies = []
        while time.perf_counter() < end:
            latencies.append(once())
    print(json.dumps(latencies))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], float(sys.argv[4]))
