"""How pages show what events and sessions have to do with artifacts."""

from collections.abc import Iterable
from typing import Any, Final

from django import template

from artifacts.mentions import add_mentions
from artifacts.models import Artifact
from projects.models import Event

register = template.Library()

LISTED: Final = 20


@register.simple_tag
def mention_artifacts(events: Iterable[Event]) -> str:
    """Add to the events of a list what their rows show of artifacts; shows nothing itself."""
    add_mentions(events)
    return ""


@register.inclusion_tag("artifacts/entry.html")
def artifact_entry(event: Event) -> dict[str, Any]:
    """Show what one event says of an artifact, as an item of the inbox."""
    add_mentions([event])
    return {"event": event, "payload": event.payload}


@register.inclusion_tag("artifacts/of_session.html")
def session_artifacts(session: str) -> dict[str, Any]:
    """List the newest artifacts a session published."""
    rows = list(Artifact.objects.filter(session=session).order_by("-pk")[: LISTED + 1])
    return {"artifacts": rows[:LISTED], "more": len(rows) > LISTED}
