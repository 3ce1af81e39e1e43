"""Periodic work of tasks: what they contribute to memory is delivered."""

from typing import Final

from django.utils import timezone

from core.jobs import every
from tasks.relay import relay_once

# Other jobs have their turn, too.
_MOST: Final = 100


@every(1)
def deliver_evidence() -> int:
    """Deliver what is due, one after the other; answers how many were tried."""
    tried = 0
    while tried < _MOST and relay_once(timezone.now()):
        tried += 1
    return tried
