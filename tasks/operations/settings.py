"""What people allow agents to do in their name."""

from typing import Any

from core.actor import Actor
from core.errors import HubError
from core.operation import staff_operation
from tasks.models import SubjectSetting


@staff_operation
def allow_agents(actor: Actor, /, *, create_tasks: bool) -> dict[str, Any]:
    """Let agents create tasks for the caller, or no longer. For people, each for themself."""
    if actor.kind != "human" or actor.key is None:
        raise HubError("forbidden", "People decide this for themselves.")
    SubjectSetting.objects.update_or_create(user_id=actor.key, defaults={"agents_may_create": create_tasks})
    return {"agents_may_create": create_tasks}
