"""The one access rule: what an actor may do in a project (IDN-03, IDN-04)."""

from typing import Final

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from core.actor import Actor
from core.errors import HubError, not_found
from core.operation import Right
from identity.models import Grant
from projects.models import Project

READ_ONLY: Final = frozenset({Right.READ})
READ_WRITE: Final = frozenset({Right.READ, Right.WRITE})


def space_of(name: str) -> str:
    """Answer the slug of an agent's personal space."""
    return f"~{name}"


def projects_for(actor: Actor) -> QuerySet[Project]:
    """Answer all projects, each with the actor's grant as ``level``: in a list, rights then cost no queries."""
    return Project.objects.annotate(level=Subquery(_grants(actor).filter(project=OuterRef("pk")).values("level")[:1]))


def visible_projects(actor: Actor) -> QuerySet[Project]:
    """Answer the projects `actor` may read; every read starts from here. `rights_on` says the same of one."""
    if not actor.is_agent:
        return Project.objects.all()
    opened = Q(slug=space_of(actor.name)) | Q(Exists(_grants(actor).filter(project=OuterRef("pk"))))
    if actor.trusted:
        opened |= Q(restricted=False) | Q(personal=True)
    return Project.objects.filter(opened)


def writable_projects(actor: Actor) -> QuerySet[Project]:
    """Answer the projects `actor` may write; `rights_on` says the same of one."""
    if not actor.is_agent:
        return Project.objects.all()
    granted = Exists(_grants(actor).filter(project=OuterRef("pk"), level="write"))
    opened = Q(slug=space_of(actor.name)) | (Q(personal=False) & Q(granted))
    if actor.trusted:
        opened |= Q(restricted=False, personal=False)
    return Project.objects.filter(opened)


def rights_on(actor: Actor, project: Project) -> frozenset[Right]:
    """Answer the rights of `actor` on a project.

    An own personal space: read and write. Another agent's: trusted agents read, nobody else writes. An open project:
    trusted agents read and write. A restricted project, or an agent that is not trusted: what its grant says.
    """
    if not actor.is_agent:
        return frozenset(Right)
    if project.slug == space_of(actor.name) or (actor.trusted and not project.restricted and not project.personal):
        return READ_WRITE
    if project.personal:
        return READ_ONLY if actor.trusted or _level(actor, project) else frozenset()
    return {None: frozenset(), "read": READ_ONLY, "write": READ_WRITE}[_level(actor, project)]


def _level(actor: Actor, project: Project) -> str | None:
    """Answer the level of the actor's grant, read along by `projects_for` or now."""
    known: dict[str, str | None] = vars(project)
    if "level" not in known:
        known["level"] = _grants(actor).filter(project=project).values_list("level", flat=True).first()
    return known["level"]


def _grants(actor: Actor) -> QuerySet[Grant]:
    return Grant.objects.filter(agent=actor.key) if actor.is_agent and actor.key is not None else Grant.objects.none()


def may_read(actor: Actor, slug: str) -> bool:
    """Tell whether there is such a project and `actor` may read it."""
    project = Project.objects.filter(slug=slug).first()
    return project is not None and Right.READ in rights_on(actor, project)


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
