"""The one access rule: what an actor may do in a project (IDN-03, IDN-04)."""

from typing import Final

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from core.actor import Actor
from core.errors import HubError, not_found
from core.operation import Right
from identity.models import Agent, Grant
from projects.models import Project

NOBODY: Final = -1
READ_ONLY: Final = frozenset({Right.READ})
READ_WRITE: Final = frozenset({Right.READ, Right.WRITE})


def projects_for(actor: Actor) -> QuerySet[Project]:
    """Answer all projects with the facts `rights_on` needs, so that rights cost no query of their own."""
    agent = actor.key if actor.is_agent and actor.key is not None else NOBODY
    grants = Grant.objects.filter(agent=agent, project=OuterRef("pk"))
    return Project.objects.annotate(
        own=Exists(Agent.objects.filter(pk=agent, space=OuterRef("pk"))),
        level=Subquery(grants.values("level")[:1]),
    )


def visible_projects(actor: Actor) -> QuerySet[Project]:
    """Answer the projects `actor` may read; every read starts from here. `rights_on` says the same of one."""
    if not actor.is_agent:
        return Project.objects.all()
    opened = Q(own=True) | Q(level__isnull=False)
    if actor.trusted:
        opened |= Q(restricted=False) | Q(personal=True)
    return projects_for(actor).filter(opened)


def rights_on(actor: Actor, project: Project) -> frozenset[Right]:
    """Answer the rights of `actor` on a project that came from `projects_for(actor)`.

    An own personal space: read and write. Another agent's: trusted agents read, nobody else writes. An open project:
    trusted agents read and write. A restricted project, or an agent that is not trusted: what its grant says.
    """
    own: bool = getattr(project, "own")  # noqa: B009 - an annotation, unknown to the type
    level: str | None = getattr(project, "level")  # noqa: B009
    if not actor.is_agent:
        return frozenset(Right)
    if own or (actor.trusted and not project.restricted and not project.personal):
        return READ_WRITE
    if project.personal:
        return READ_ONLY if actor.trusted or level else frozenset()
    return {None: frozenset(), "read": READ_ONLY, "write": READ_WRITE}[level]


def authorized(actor: Actor, slug: str, right: Right) -> Project:
    """Answer the project if `actor` holds `right` on it.

    `not_found` when it does not exist or may not be read: the two look the same. `forbidden` when it may be read.
    """
    project = projects_for(actor).filter(slug=slug).first()
    rights = rights_on(actor, project) if project else frozenset()
    if project is None or Right.READ not in rights:
        raise not_found("project")
    if right not in rights:
        raise HubError("forbidden", f"You may not {right} in this project.", project=slug, right=str(right))
    return project
