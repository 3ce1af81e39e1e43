"""What something asks a database, and how the database goes about it."""

from collections.abc import Callable

from django.db import DEFAULT_DB_ALIAS, connections
from django.test.utils import CaptureQueriesContext


def queries_of(look: Callable[[], object], store: str = DEFAULT_DB_ALIAS) -> list[str]:
    """Answer what a look asks a database."""
    with CaptureQueriesContext(connections[store]) as seen:
        look()
    return [query["sql"] for query in seen]


def plan(sql: str, store: str = DEFAULT_DB_ALIAS) -> str:
    """Answer how a database goes about a statement."""
    with connections[store].cursor() as cursor:
        if connections[store].vendor == "postgresql":  # a small table is read whole, whatever there is
            cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(("EXPLAIN QUERY PLAN " if connections[store].vendor == "sqlite" else "EXPLAIN ") + sql)
        return "\n".join(str(row) for row in cursor.fetchall())


def seeks(told: str, store: str = DEFAULT_DB_ALIAS) -> bool:
    """Tell whether a plan reads no table through."""
    return "SCAN" not in told if connections[store].vendor == "sqlite" else "Index" in told and "Seq Scan" not in told
