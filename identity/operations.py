"""Agents, tokens and grants: each change and its system event are one transaction (IDN-05)."""

import secrets
from dataclasses import dataclass

from django.utils import timezone

from core import live
from core.actor import Actor
from core.checks import check_name
from core.errors import HubError, not_found
from core.operation import Right, operation, staff_operation
from identity.access import space_of
from identity.actors import PREFIX, digest
from identity.models import Agent, Grant, Token
from projects import feed
from projects.models import Kind, Project

RESERVED = frozenset({"hub", "human", "admin"})


@dataclass(frozen=True, slots=True)
class Issued:
    """A new token: its secret is shown once and kept nowhere."""

    agent: Agent
    secret: str


@staff_operation
def create_agent(actor: Actor, /, *, name: str, trusted: bool = True) -> Agent:
    """Create an agent and its personal space. `conflict` when the name is taken (IDN-01, IDN-04)."""
    check_name(name, "name")
    if name in RESERVED or Agent.objects.filter(name=name).exists():
        raise HubError("conflict", f"The name {name} is taken.", field="name")
    space = Project.objects.create(slug=space_of(name), name=f"{name}'s space", personal=True)
    agent = Agent.objects.create(name=name, trusted=trusted, space=space)
    _audit(space, actor, "agent_created", f"created agent {name}", agent=name, trusted=trusted)
    live.announce("projects", project=space.slug)
    return agent


@staff_operation
def set_trusted(actor: Actor, /, *, name: str, trusted: bool) -> Agent:
    """Trust an agent or stop trusting it: what it may open without a grant (IDN-03)."""
    agent = _agent(name)
    if agent.trusted != trusted:
        agent.trusted = trusted
        agent.save(update_fields=["trusted"])
        verb = "trusted" if trusted else "stopped trusting"
        _audit(agent.space, actor, "agent_trusted", f"{verb} {name}", agent=name, trusted=trusted)
    return agent


@staff_operation
def issue_token(actor: Actor, /, *, name: str) -> Issued:
    """Issue an agent's token; the one before is revoked at once (IDN-02)."""
    agent = _agent(name)
    _revoke(agent)
    secret = PREFIX + secrets.token_hex(32)
    Token.objects.create(agent=agent, digest=digest(secret))
    _audit(agent.space, actor, "token_issued", f"issued a token to {name}", agent=name)
    return Issued(agent, secret)


@staff_operation
def revoke_token(actor: Actor, /, *, name: str) -> bool:
    """Revoke an agent's token; answers whether there was one."""
    agent = _agent(name)
    revoked = _revoke(agent)
    if revoked:
        _audit(agent.space, actor, "token_revoked", f"revoked the token of {name}", agent=name)
    return revoked


@operation(Right.STAFF)
def set_grant(actor: Actor, project: Project, /, *, agent: str, level: Grant.Level) -> Grant:
    """Open a project to an agent for reading or writing (IDN-03). A personal space is written by its agent alone."""
    if project.personal and level == Grant.Level.WRITE:
        raise HubError("conflict", "Nobody but its agent writes a personal space.", field="level")
    row = _agent(agent)
    grant, created = Grant.objects.get_or_create(agent=row, project=project, defaults={"level": level})
    if created or grant.level != level:
        grant.level = level
        grant.save(update_fields=["level"])
        _audit(project, actor, "grant_added", f"granted {agent} {level}", agent=agent, level=str(level))
    return grant


@operation(Right.STAFF)
def remove_grant(actor: Actor, project: Project, /, *, agent: str) -> bool:
    """Take an agent's grant away; answers whether it had one."""
    removed, _ = Grant.objects.filter(agent__name=agent, project=project).delete()
    if removed:
        _audit(project, actor, "grant_removed", f"removed the grant of {agent}", agent=agent)
    return bool(removed)


def _agent(name: str) -> Agent:
    agent = Agent.objects.select_for_update().filter(name=name).first()
    if agent is None:
        raise not_found("agent")
    return agent


def _revoke(agent: Agent) -> bool:
    live_tokens = Token.objects.filter(agent=agent, revoked_at__isnull=True)
    return bool(live_tokens.update(revoked_at=timezone.now()))


def _audit(project: Project, actor: Actor, action: str, summary: str, **payload: str | bool) -> None:
    feed.append(project, Kind.SYSTEM, actor, summary, payload={"action": action, **payload})
