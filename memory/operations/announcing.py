"""The inbox hears that something waits, and never what: others read it too (MEM-01)."""

from typing import Any

from core.actor import Actor
from core.operation import Right, operation
from inbox import entries
from inbox.models import Status
from projects import feed
from projects.models import Kind, Project


@operation(Right.STAFF)
def post_proposal(
    actor: Actor, project: Project, /, *, proposal: str, subject: int, name: str, idempotency_key: str
) -> dict[str, Any]:
    """Ask a person, in the inbox, to decide on a change of what is always known of them."""
    body = f"A task would change what is always known of {name}, who alone can read it, on the memory page, and decide."
    payload = {"body": body, "memory_proposal": {"proposal": proposal, "subject": subject}}
    summary = f"A change to what is always known of {name} waits"
    event = feed.append(project, Kind.APPROVAL, actor, summary, payload=payload, starts_thread=True)
    entries.add(event, Status.ACTION)
    return {"event": event.pk}
