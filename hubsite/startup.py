"""What stands between ``make run`` and the first request: the tables, and somebody who may sign in (OPS-01)."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.db.migrations.executor import MigrationExecutor

from core.gate import write_gate

# Any number will do, as long as every process of one hub takes the same.
MIGRATION_LOCK = 7_083_113
FIRST_ADMIN = "admin"


def pending_migrations() -> bool:
    """Whether the store lacks a migration this version has."""
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def migrate() -> bool:
    """Bring the store up to this version, one process at a time; answers whether there was anything to do."""
    with _alone():
        if not pending_migrations():
            return False
        call_command("migrate", interactive=False, verbosity=0)
        return True


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
