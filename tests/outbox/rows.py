"""Contributions of tasks that never were."""

from datetime import datetime

from tasks.outbox_models import OutboxRow


def made_up(number: int, now: datetime) -> OutboxRow:
    """Let a contribution be due now."""
    return OutboxRow.objects.create(
        id=f"01J0000000000000000000{number:04}",
        key=f"{number:064}",
        task=f"01J0000000000000000001{number:04}",
        generation=1,
        subject=1,
        project="nowhere",
        items=[{"kind": "fact", "text": f"Fact {number}."}],
        number=1,
        due_at=now,
        created_at=now,
    )
