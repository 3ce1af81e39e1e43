"""Ending a delegation before its task does (TSK-03)."""

from typing import Any

from core.actor import Actor
from core.errors import HubError, not_found
from core.ids import parse
from core.operation import Right, operation
from core.times import rfc3339
from projects.models import Project
from tasks.models import Delegation
from tasks.transitions import held, revoke, told


@operation(Right.STAFF)
def revoke_delegation(actor: Actor, project: Project, /, *, task: str, delegation: str) -> dict[str, Any]:
    """End a delegation at once: no call that begins after this is answered under it. `conflict` where it has ended."""
    row = held(actor, project, task)
    wanted = Delegation.objects.filter(task=row, pk=parse(delegation, "delegation"))
    if not wanted.exists():
        raise not_found("delegation")
    if not revoke(actor, row, "revoked", wanted.get().pk):
        raise HubError("conflict", "This delegation has ended.", reason="ended", delegation=delegation)
    told(actor, row, "revoke")
    ended = wanted.get()
    return {"task": row.pk, "delegation": ended.pk, "revoked_at": rfc3339(ended.revoked_at)}
