"""Several reads of the hub store as of one moment: no commit of somebody else comes between them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction


@contextmanager
def one_moment() -> Iterator[None]:
    """Let every read of the block see the store as the first one did. It holds up no writer, and may write nothing.

    Inside a transaction it is that transaction, whose own writes are seen.
    """
    if connection.in_atomic_block:
        yield
        return
    with _deferred(), transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


@contextmanager
def _deferred() -> Iterator[None]:
    """Let SQLite begin a transaction without the writers' lock that every other one takes at once."""
    if connection.vendor != "sqlite":
        yield
        return
    connection.ensure_connection()
    store: Any = connection  # its type leaves out what SQLite's has
    usual, store.transaction_mode = store.transaction_mode, "DEFERRED"
    try:
        yield
    finally:
        store.transaction_mode = usual
