"""What a running task knows of its subject: its snapshot, verified whenever it is served (MEM-04, MEM-05).

It is served to the agent the task is for, and shown to the person it is about; to nobody else.
"""

import hashlib
from typing import Final

from core.actor import Actor
from core.errors import HubError
from sessions_app.models import Session
from tasks.models import Snapshot, Task

PLACE: Final = "/fs/.hub/context"
URI: Final = "hub://task/{task}/snapshot"


def verified(snapshot: Snapshot) -> Snapshot:
    """Answer a snapshot whose bytes are what was frozen; `conflict` for any other, which nobody gets to see."""
    content, markdown = bytes(snapshot.content), snapshot.markdown.encode("utf-8", "surrogatepass")
    found = (hashlib.sha256(content).hexdigest(), hashlib.sha256(markdown).hexdigest())
    if found != (snapshot.sha256, snapshot.markdown_sha256):
        raise HubError(
            "conflict",
            "The snapshot's bytes are not those that were frozen, so the task does not run. A person can rebuild it.",
            reason="snapshot_altered",
            task=snapshot.task_id,
            generation=snapshot.generation,
        )
    return snapshot


def snapshot_of(task: Task) -> Snapshot | None:
    """Answer the snapshot of a task's generation, verified; None while there is none."""
    row = Snapshot.objects.filter(task=task, generation=task.generation).first()
    return verified(row) if row else None


def files_of(actor: Actor, session: Session) -> dict[str, bytes]:
    """Answer what the hub puts into a session beside its brain: path and bytes (see `sessions_app.hub_files`)."""
    if session.task is None or not actor.is_agent or session.agent_id != actor.key:
        return {}
    task = Task.objects.filter(pk=session.task, agent=actor.key).first()
    snapshot = snapshot_of(task) if task else None
    if snapshot is None:
        return {}
    return {
        f"{PLACE}/snapshot.json": bytes(snapshot.content),
        f"{PLACE}/snapshot.md": snapshot.markdown.encode(),
    }
