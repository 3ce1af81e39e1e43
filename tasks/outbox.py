"""The steps of the outbox, each in its caller's transaction (MEM-08).

Recovery is by time alone: a worker holds a row for a minute, and whoever comes after that may take it, whatever became
of the worker. A lease is a fence: who lost it changes nothing any more. Nothing here asks who is alive.
"""

import hashlib
import json
import secrets
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import connection
from django.utils import timezone

from core import ids
from core.errors import HubError
from tasks.models import Task
from tasks.organization import made
from tasks.outbox_models import OutboxRow

LEASE: Final = timedelta(seconds=60)
ATTEMPTS: Final = 10
LONGEST_WAIT: Final = 3600.0
_PENDING = OutboxRow.State.PENDING


def key_of(organization: str, task: str, generation: int) -> str:
    """Answer what a contribution is known by, here and as a receipt in the memory database."""
    named = json.dumps([organization, task, generation, "memory-evidence"], separators=(",", ":"))
    return hashlib.sha256(named.encode()).hexdigest()


def enqueue(task: str, generation: int, subject: int, items: list[dict[str, Any]]) -> None:
    """Let a task's contribution be delivered, in the transaction that completes it; a second time is none."""
    project = Task.objects.values_list("project", flat=True).get(pk=task)
    now = timezone.now()
    row = OutboxRow(
        id=str(ids.fresh()),
        key=key_of(made(), task, generation),
        task=task,
        generation=generation,
        subject=subject,
        project=project,
        items=items,
        number=len(items),
        due_at=now,
        created_at=now,
    )
    OutboxRow.objects.bulk_create([row], ignore_conflicts=True)


def is_due(now: datetime) -> bool:
    """Tell whether there may be something to take, or to give up; it takes nobody's turn."""
    return OutboxRow.objects.filter(state=_PENDING, due_at__lte=now).exists()


def claimed(now: datetime) -> OutboxRow | None:
    """Take the row that has been due longest, for `LEASE`: one guarded update that counts the attempt.

    Due are rows nobody holds, and those whose holder's time is over. None where nothing is due.
    """
    table = OutboxRow._meta.db_table  # noqa: SLF001 - Django's own way
    is_sqlite = connection.vendor == "sqlite"
    # SQLite would sort everything pending; PostgreSQL would have the second of two who claim at once wait.
    by_due, passing = (" INDEXED BY outbox_due", "") if is_sqlite else ("", " FOR UPDATE SKIP LOCKED")
    moment, until = (connection.ops.adapt_datetimefield_value(at) for at in (now, now + LEASE))
    with connection.cursor() as cursor:
        cursor.execute(
            f"""UPDATE {table} SET lease = %s, due_at = %s, attempts = attempts + 1
            WHERE state = 'pending' AND due_at <= %s AND id = (
                SELECT id FROM {table}{by_due} WHERE state = 'pending' AND due_at <= %s AND attempts < %s
                ORDER BY due_at, id LIMIT 1{passing}
            ) RETURNING id""",  # noqa: S608 - names and marks
            [secrets.token_hex(16), until, moment, moment, ATTEMPTS],
        )
        taken = cursor.fetchone()
    return OutboxRow.objects.get(pk=taken[0]) if taken else None


def exhausted(now: datetime) -> OutboxRow | None:
    """Answer a row whose last holder's time is over, too: nobody may take it again."""
    return OutboxRow.objects.filter(state=_PENDING, due_at__lte=now, attempts__gte=ATTEMPTS).order_by("due_at").first()


def wait_after(attempts: int) -> float:
    """Answer how long to wait at most after so many attempts, in seconds."""
    return min(LONGEST_WAIT, 2.0 * 2.0 ** (attempts - 1))


def settle(row: OutboxRow, **columns: Any) -> None:  # noqa: ANN401 - columns
    """Change a row its caller holds; `conflict` with the reason ``lease_lost``, and no effect, for who does not."""
    if not OutboxRow.objects.filter(pk=row.pk, state=_PENDING, lease=row.lease).update(lease="", **columns):
        raise HubError("conflict", "Somebody else has taken this meanwhile.", reason="lease_lost")
