"""Times as every face shows them."""

from datetime import UTC, datetime
from typing import overload


@overload
def rfc3339(moment: datetime) -> str: ...
@overload
def rfc3339(moment: None) -> None: ...
def rfc3339(moment: datetime | None) -> str | None:
    """Answer a moment as RFC 3339 in UTC; nothing stays nothing."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z") if moment else None


def rfc3339_seconds(seconds: int | None) -> str | None:
    """Answer whole seconds since the epoch, as AgentFS files keep time, as RFC 3339 in UTC."""
    return rfc3339(datetime.fromtimestamp(seconds, UTC)) if seconds is not None else None
