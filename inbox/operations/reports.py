"""What agents report."""

from typing import Any, Literal

from core import limits
from core.actor import Actor
from core.checks import check_json, check_text
from core.errors import invalid, not_found
from core.ids import parse
from core.operation import Right, operation
from inbox import entries
from inbox.models import Status
from projects import feed
from projects.models import Event, Kind, Project


@operation(Right.WRITE)
def post_signal(
    actor: Actor,
    project: Project,
    /,
    *,
    summary: str,
    kind: Literal["signal", "finished"] = "signal",
    payload: dict[str, Any] | None = None,
    thread: str | None = None,
    session: str | None = None,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Append a signal to the feed; ``finished`` also makes an unread inbox entry (INB-06).

    `not_found` for a thread that is not of this project.
    """
    if kind not in {"signal", "finished"}:
        raise invalid("kind", "kind must be signal or finished.")
    event = feed.append(
        project,
        Kind(kind),
        actor,
        check_text(summary, "summary", limits.SUMMARY_CHARS),
        payload=check_json(payload or {}, "payload"),
        session=session,
        thread=_thread(project, thread),
    )
    if event.kind == Kind.FINISHED:
        entries.add(event, Status.UNREAD)
    return {"event": event.pk}


def _thread(project: Project, event_id: str | None) -> str | None:
    """Answer the thread that an event heads or belongs to."""
    if event_id is None:
        return None
    head = Event.objects.filter(project=project, pk=parse(event_id, "thread")).exclude(kind=Kind.SYSTEM).first()
    if head is None:
        raise not_found("thread")
    return str(head.thread or head.pk)
