"""What stands between ``make run`` and the first request: the tables, and somebody who may sign in (OPS-01)."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, IntegrityError, connection, connections, transaction
from django.db.migrations.executor import MigrationExecutor

from core.gate import write_gate
from core.operation import MEMORY

# Any number will do, as long as every process of one hub takes the same.
MIGRATION_LOCK = 7_083_113
FIRST_ADMIN = "admin"


def pending_migrations() -> bool:
    """Whether the hub store, or the database of memory, lacks a migration this version has."""
    return any(_pending(store) for store in (DEFAULT_DB_ALIAS, MEMORY))


def _pending(store: str) -> bool:
    executor = MigrationExecutor(connections[store])
    wanted = executor.loader.graph.leaf_nodes(MEMORY if store == MEMORY else None)
    return bool(executor.migration_plan(wanted))


def migrate() -> bool:
    """Bring the stores up to this version, one process at a time; answers whether there was anything to do."""
    with _alone():
        keep_memory_private()
        if not pending_migrations():
            return False
        call_command("migrate", interactive=False, verbosity=0)
        return True


def keep_memory_private() -> None:
    """Let nobody but the hub's own account read the file of memory; SQLite's files beside it take its mode (MEM-01)."""
    store = settings.DATABASES[MEMORY]
    if store["ENGINE"].endswith("sqlite3"):
        os.close(os.open(store["NAME"], os.O_RDWR | os.O_CREAT, 0o600))
        Path(store["NAME"]).chmod(0o600)


@contextmanager
def _alone() -> Iterator[None]:
    """On PostgreSQL, where several processes may start at once, hold a lock; on SQLite hub.lock has seen to it."""
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [MIGRATION_LOCK])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [MIGRATION_LOCK])


@dataclass(frozen=True, slots=True)
class NewAdmin:
    """The admin just created; ``generated`` is the password to show, empty where the operator set it."""

    name: str
    generated: str


def first_admin() -> NewAdmin | None:
    """Create the first admin, or answer None when somebody can sign in already."""
    users = get_user_model().objects
    if users.filter(is_superuser=True, is_active=True).exists():
        return None
    given = os.environ.get("HUB_ADMIN_PASSWORD", "")
    generated = "" if given else secrets.token_urlsafe(12)
    try:
        with write_gate(), transaction.atomic():
            users.create_superuser(FIRST_ADMIN, password=given or generated)
    except IntegrityError:  # another process was quicker, or the name belongs to somebody who is no admin
        return None
    return NewAdmin(FIRST_ADMIN, generated)
