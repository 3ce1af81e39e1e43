"""Noting a recall before its answer leaves (TSK-05)."""

from typing import Any

from django.utils import timezone

from core import ids
from core.actor import Actor
from core.operation import staff_operation
from tasks.models import RecallEvidence


@staff_operation
def record_recall(actor: Actor, /, *, evidence: dict[str, Any]) -> str:
    """Store what a recall was and what came of it; the hub's own doing, since a refused caller is noted too."""
    row = RecallEvidence.objects.create(id=str(ids.fresh()), at=timezone.now(), **evidence)
    return str(row.pk)
