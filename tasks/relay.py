"""Delivering the outbox: at least once, and idempotent at the other end, so each is taken once (MEM-08)."""

import logging
import random
from collections.abc import Callable
from datetime import datetime
from typing import Final

from core.actor import HUB
from core.errors import HubError
from memory import consolidation
from tasks.operations.delivering import bury_exhausted, claim_evidence, fail_evidence, finish_evidence
from tasks.outbox import exhausted, is_due, wait_after
from tasks.outbox_models import OutboxRow

logger = logging.getLogger("muster.tasks")
# What is wrong with the items themselves stays wrong. Anything else may mend.
_HOPELESS: Final = (KeyError, TypeError, ValueError)


def relay_once(now: datetime, *, draw: Callable[[float, float], float] = random.uniform) -> int:
    """Deliver one contribution that is due; answers how many that was.

    What failed waits, longer each time and by chance anywhere within it, so that many do not come back at once.
    """
    if not is_due(now):  # or the writers' turn would be taken every second, for nothing
        return 0
    while exhausted(now) and bury_exhausted(HUB, now=now):
        pass
    row = claim_evidence(HUB, now=now)
    if row is None:
        return 0
    try:
        _deliver(row, now, draw)
    except HubError as refusal:
        if refusal.details.get("reason") != "lease_lost":
            raise
        logger.info("somebody else has taken %s meanwhile", row.pk)
    return 1


def _deliver(row: OutboxRow, now: datetime, draw: Callable[[float, float], float]) -> None:
    try:
        consolidation.apply(row.key, row.subject, row.task, row.items, project=row.project)
    except Exception as error:  # noqa: BLE001 - whatever it was: the task is completed, and stays so
        logger.warning("delivering %s failed (attempt %s): %s", row.pk, row.attempts, type(error).__name__)
        wait = None if _is_hopeless(error) else draw(0, wait_after(row.attempts))
        fail_evidence(HUB, row=row, error=_told(error), wait=wait, now=now)
    else:
        finish_evidence(HUB, row=row, now=now)


def _is_hopeless(error: Exception) -> bool:
    return not error.retryable if isinstance(error, HubError) else isinstance(error, _HOPELESS)


def _told(error: Exception) -> str:
    """Answer what may be shown of an error: a database's own words can hold what was to be stored."""
    return f"{error.code}: {error.message}" if isinstance(error, HubError) else type(error).__name__
