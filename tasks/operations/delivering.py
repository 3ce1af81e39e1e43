"""Delivering what tasks contribute to memory: the hub's own steps, and what people do with what died (MEM-08)."""

from datetime import datetime, timedelta

from django.utils import timezone

from core import limits
from core.actor import Actor
from core.checks import check_text
from core.errors import HubError, not_found
from core.ids import parse
from core.operation import staff_operation
from inbox import entries
from inbox.models import Status
from projects import feed
from projects.models import Kind, Project
from tasks import outbox
from tasks.outbox_models import OutboxRow

_State = OutboxRow.State


@staff_operation
def claim_evidence(actor: Actor, /, *, now: datetime) -> OutboxRow | None:
    """Take what is due for a minute; None where nothing is."""
    return outbox.claimed(now)


@staff_operation
def finish_evidence(actor: Actor, /, *, row: OutboxRow, now: datetime) -> None:
    """Note that it has arrived. The items are in memory now, and nowhere else."""
    outbox.settle(row, state=_State.DELIVERED, items=[], error="", settled_at=now, settled_by=str(actor))


@staff_operation
def fail_evidence(actor: Actor, /, *, row: OutboxRow, error: str, wait: float | None, now: datetime) -> None:
    """Have it tried again after ``wait`` seconds; without, or once it was tried often enough, it is dead."""
    if wait is None or row.attempts >= outbox.ATTEMPTS:
        _bury(actor, row, error, now)
    else:
        outbox.settle(row, error=error[:300], due_at=now + timedelta(seconds=wait))


@staff_operation
def bury_exhausted(actor: Actor, /, *, now: datetime) -> bool:
    """Give up on a row whose last holder never came back; answers whether there was one."""
    row = outbox.exhausted(now)
    if row is not None:
        _bury(actor, row, row.error or "Whoever delivered it never came back.", now)
    return row is not None


@staff_operation
def redrive_evidence(actor: Actor, /, *, row: str) -> str:
    """Let a dead row be delivered again, from its first attempt; a person's doing, on the record."""
    dead = _dead(actor, row)
    now = timezone.now()
    _moved(actor, dead, "redriven", state=_State.PENDING, attempts=0, due_at=now, settled_at=None, settled_by="")
    return str(dead.pk)


@staff_operation
def discard_evidence(actor: Actor, /, *, row: str, reason: str) -> str:
    """Give a dead row up and erase its items, saying why; a person's doing, on the record."""
    reason = check_text(reason, "reason", limits.REASON_CHARS)
    dead = _dead(actor, row)
    columns = {"settled_at": timezone.now(), "settled_by": str(actor), "reason": reason}
    _moved(actor, dead, "discarded", state=_State.DISCARDED, items=[], **columns)
    return str(dead.pk)


def _bury(actor: Actor, row: OutboxRow, error: str, now: datetime) -> None:
    """Let a row be dead, and a person know: that it is, and never what it says."""
    outbox.settle(row, state=_State.DEAD, error=error[:300], settled_at=now, settled_by=str(actor))
    project = Project.objects.filter(pk=row.project).first()
    if project is None:
        return
    body = (
        f"The task is completed and stays so. What it contributes to memory was tried {row.attempts} times and waits "
        "in the [outbox](/outbox/): deliver it again, or discard it."
    )
    payload = {"action": "outbox.dead", "outbox": row.pk, "task": row.task, "body": body}
    event = feed.append(project, Kind.SIGNAL, actor, "A contribution to memory was not delivered", payload=payload)
    entries.add(event, Status.UNREAD)


def _dead(actor: Actor, row: str) -> OutboxRow:
    if actor.kind != "human":
        raise HubError("forbidden", "Only a person may do this.")
    dead = OutboxRow.objects.select_for_update().filter(pk=parse(row, "row")).first()
    if dead is None:
        raise not_found("delivery")
    if dead.state != _State.DEAD:
        raise HubError("conflict", f"This delivery is {dead.state}.", reason=str(dead.state))
    return dead


def _moved(actor: Actor, row: OutboxRow, done: str, **columns: object) -> None:
    OutboxRow.objects.filter(pk=row.pk).update(**columns)
    project = Project.objects.filter(pk=row.project).first()
    if project is not None:
        payload = {"action": f"outbox.{done}", "outbox": row.pk, "task": row.task}
        feed.append(project, Kind.SYSTEM, actor, f"{done} a contribution to memory", payload=payload)
