"""The one access rule: what an actor may do in a project (IDN-03, IDN-04)."""

from django.db.models import Exists, OuterRef, Q, QuerySet

from core.actor import Actor
from core.errors import HubError, not_found
from core.operation import Right
from identity.models import Agent, Grant
from projects.models import Project


def visible_projects(actor: Actor) -> QuerySet[Project]:
    """Answer the projects `actor` may read; every read starts from here."""
    projects = Project.objects.all()
    if not actor.is_agent:
        return projects
    opened = Exists(Grant.objects.filter(agent=actor.key, project=OuterRef("pk"))) | Q(agent=actor.key)
    if actor.trusted:
        opened |= Q(restricted=False) | Q(personal=True)
    return projects.filter(opened)


def rights_on(actor: Actor, project: Project) -> frozenset[Right]:
    """Answer the rights of `actor` on `project`.

    An own personal space: read and write. Another agent's: trusted agents read, nobody else. An open project:
    trusted agents read and write. A restricted project, or an agent that is not trusted: what its grant says.
    """
    if not actor.is_agent:
        return frozenset(Right)
    if project.personal:
        return _rights_on_space(actor, project)
    if actor.trusted and not project.restricted:
        return frozenset({Right.READ, Right.WRITE})
    level = Grant.objects.filter(agent=actor.key, project=project).values_list("level", flat=True).first()
    return _LEVELS[level]


def _rights_on_space(actor: Actor, space: Project) -> frozenset[Right]:
    if Agent.objects.filter(pk=actor.key, space=space).exists():
        return frozenset({Right.READ, Right.WRITE})
    if actor.trusted or Grant.objects.filter(agent=actor.key, project=space).exists():
        return frozenset({Right.READ})
    return frozenset()


_LEVELS: dict[str | None, frozenset[Right]] = {
    None: frozenset(),
    Grant.Level.READ: frozenset({Right.READ}),
    Grant.Level.WRITE: frozenset({Right.READ, Right.WRITE}),
}


def authorized(actor: Actor, slug: str, right: Right) -> Project:
    """Answer the project if `actor` holds `right` on it.

    `not_found` when it does not exist or may not be read: the two look the same. `forbidden` when it may be read.
    """
    project = Project.objects.filter(slug=slug).first()
    rights = rights_on(actor, project) if project else frozenset()
    if project is None or Right.READ not in rights:
        raise not_found("project")
    if right not in rights:
        raise HubError("forbidden", f"You may not {right} in this project.", project=slug, right=str(right))
    return project
