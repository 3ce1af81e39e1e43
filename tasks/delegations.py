"""What a delegation opens, at its issue and at every call: an intersection of rights, never a union (TSK-02, TSK-03).

Nothing here is remembered: each call reads the agent, the person, the grant, the shares and the delegation anew.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.contrib.auth import get_user_model
from django.utils import timezone

from core import ids
from core.actor import Actor
from core.errors import HubError, not_found
from identity.access import may_read
from identity.models import Agent, Token
from knowledge.models import Space
from knowledge.roles import visible_spaces
from tasks.models import ENDED, Delegation, Task
from tasks.organization import made, organization


@dataclass(frozen=True, slots=True)
class Opened:
    """What a call may look into, all of it as of one moment."""

    delegation: Delegation
    spaces: list[Space]


def person_of(subject: int) -> Actor | None:
    """Answer a person as an actor, as things stand; None for who is not active staff."""
    user = get_user_model().objects.filter(pk=subject, is_active=True, is_staff=True).first()
    return Actor("human", user.get_username(), user.pk, trusted=True) if user else None


def agent_of(agent: int) -> Actor | None:
    """Answer an agent as an actor, as things stand; None for one that is gone."""
    row = Agent.objects.filter(pk=agent).first()
    return Actor("agent", row.name, row.pk, row.trusted) if row else None


def check_scope(task: Task, spaces: Sequence[str]) -> None:
    """Refuse what is wider than subject or agent may read now: `scope_exceeds_subject`, `scope_exceeds_actor`."""
    person, agent = person_of(task.subject_id), agent_of(task.agent_id)
    readable = _readable(person, task.project_id, spaces) if person else None
    if readable is None or set(spaces) - readable:
        raise HubError("scope_exceeds_subject", "The person this task is for may not read all it names.")
    readable = _readable(agent, task.project_id, spaces) if agent else None
    if readable is None or set(spaces) - readable:
        raise HubError("scope_exceeds_actor", "The agent may not read all that this task names.")


def _readable(actor: Actor, project: str, spaces: Sequence[str]) -> set[str] | None:
    """Answer which of the spaces an actor may read; None where the project itself is closed to it."""
    if not may_read(actor, project):
        return None
    return set(visible_spaces(actor).filter(pk__in=spaces).values_list("pk", flat=True))


def wanted_spaces(task: Task) -> list[str]:
    """Answer the spaces a task is about: those it names, else its project's own."""
    return task.spaces or sorted(Space.objects.filter(project=task.project_id).values_list("pk", flat=True))


def issue(task: Task, spaces: list[str]) -> Delegation:
    """Issue the delegation of a task's generation, in the caller's transaction, no wider than rights are now."""
    check_scope(task, spaces)
    now = timezone.now()
    return Delegation.objects.create(
        id=str(ids.fresh()),
        task=task,
        generation=task.generation,
        organization=made(),
        project=task.project_id,
        subject=task.subject_id,
        agent=task.agent_id,
        agent_name=task.agent.name,
        spaces=spaces,
        scopes=task.scopes,
        issued_at=now,
        expires_at=now + timedelta(seconds=task.lifetime),
    )


def delegation_of(actor: Actor, delegation: str) -> Delegation:
    """Answer an agent's own delegation; `not_found` for any other."""
    row = Delegation.objects.filter(pk=delegation, agent=actor.key or 0).select_related("task").first()
    if row is None:
        raise not_found("delegation")
    return row


def opened(actor: Actor, delegation: Delegation, scope: str, asked: Sequence[str] | None) -> Opened:
    """Answer what a call may look into, or refuse all of it with the first thing that is wrong, in this order.

    The token; the delegation revoked, expired, of another hub, of a former generation; the person inactive; the grant
    or a share gone; what is asked for outside the scope. Without ``asked`` all spaces of the delegation are.
    """
    _check_token(actor)
    _check_standing(delegation)
    within = [space for space in delegation.spaces if asked is None or space in asked]
    person = person_of(delegation.subject)
    if person is None or not _opens(person, delegation, within):
        raise HubError("subject_inactive", "The person this task is for may not read this any more.")
    agent = agent_of(delegation.agent)
    if agent is None or not _opens(agent, delegation, within):
        raise HubError("grant_revoked", "You may not read this any more.")
    outside = [space for space in asked or () if space not in delegation.spaces]
    if scope not in delegation.scopes or outside:
        raise HubError("scope_denied", "The delegation does not cover this.", scope=scope, spaces=outside)
    return Opened(delegation, list(Space.objects.filter(pk__in=within)))


def _check_token(actor: Actor) -> None:
    own = Token.objects.filter(agent=actor.key, revoked_at__isnull=True)
    if not (own if actor.token is None else own.filter(pk=actor.token)).exists():
        raise HubError("unauthenticated", "This token is unknown or was revoked.", header="Authorization")


def _check_standing(delegation: Delegation) -> None:
    if delegation.revoked_at is not None:
        message = f"This delegation ended: {delegation.revoked_for}."
        raise HubError("delegation_revoked", message, reason=delegation.revoked_for)
    if delegation.expires_at <= timezone.now():
        raise HubError("delegation_expired", "This delegation's time is over.")
    if delegation.organization != organization():
        raise HubError("organization_mismatch", "This delegation was issued by another hub.")
    task = Task.objects.get(pk=delegation.task_id)
    if task.generation != delegation.generation or task.status in ENDED or task.project_id != delegation.project:
        raise HubError("generation_stale", "The task is not what it was when this was issued.")


def _opens(actor: Actor, delegation: Delegation, spaces: Sequence[str]) -> bool:
    return _readable(actor, delegation.project, spaces) == set(spaces)
