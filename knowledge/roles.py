"""Who may do what with governed knowledge (GOV-02, GOV-06).

Readers get published documents and their versions: who may read the project, and agents a space is shared with.
Authors, who may write the project, have the drafts too. Maintainers are people; in a repository space its sync
identity publishes as well. To everyone else a document, a draft or a version does not exist.
"""

from collections.abc import Iterable

from django.contrib.auth import get_user_model
from django.db.models import Exists, OuterRef, Q, QuerySet

from core.actor import Actor
from core.errors import HubError, not_found
from core.ids import parse
from identity.access import visible_projects, writable_projects
from knowledge.models import Document, Maintainer, Share, Space
from projects.models import Project


def visible_spaces(actor: Actor) -> QuerySet[Space]:
    """Answer the spaces `actor` may read published documents of."""
    spaces = Space.objects.filter(Q(project__in=visible_projects(actor)) | Q(Exists(_shares(actor))))
    return spaces.order_by("project", "-kind", "name")


def _shares(actor: Actor) -> QuerySet[Share]:
    shares = Share.objects.filter(space=OuterRef("pk"))
    return shares.filter(agent=actor.key) if actor.is_agent and actor.key is not None else shares.none()


def visible_documents(actor: Actor) -> QuerySet[Document]:
    """Answer the documents that exist for `actor`: an unpublished one only for authors (GOV-06)."""
    published = Q(space__in=visible_spaces(actor)) & ~Q(state=Document.State.UNPUBLISHED)
    return Document.objects.filter(published | Q(project__in=writable_projects(actor)))


def is_author(actor: Actor, project: str) -> bool:
    """Tell whether `actor` may see and save drafts of a project."""
    return writable_projects(actor).filter(pk=project).exists()


def is_maintainer(actor: Actor, space: Space) -> bool:
    """Tell whether `actor` is a person who maintains the space."""
    return actor.kind == "human" and space.maintainers.filter(user=actor.key).exists()


def check_maintainer(actor: Actor, space: Space) -> None:
    """Refuse who does not maintain the space: `forbidden`."""
    if not is_maintainer(actor, space):
        raise HubError("forbidden", "Only a maintainer of this space may do this.", space=space.pk)


def check_publisher(actor: Actor, space: Space) -> None:
    """Refuse who may not publish here: neither a maintainer nor, in a repository space, its sync identity."""
    syncs = space.kind == Space.Kind.REPOSITORY and actor.is_agent and space.sync_agent_id == actor.key
    if not syncs:
        check_maintainer(actor, space)


def space_of(project: Project, space: str) -> Space:
    """Answer a space of the project by id or name; `not_found` for any other."""
    spaces = Space.objects.filter(project=project)
    row = spaces.filter(name=space).first() or spaces.filter(pk=space.upper()).first()
    if row is None:
        raise not_found("space")
    return row


def locked_document(project: Project, document: str) -> Document:
    """Answer a document of the project, held for the rest of the transaction; callers are its authors."""
    rows = Document.objects.select_for_update(of=("self",)).select_related("space")
    row = rows.filter(project=project, pk=parse(document, "document")).first()
    if row is None:
        raise not_found("document")
    return row


def hold_documents(project: Project, documents: Iterable[str]) -> None:
    """Hold several documents for the rest of the transaction, all callers in one order."""
    rows = Document.objects.select_for_update(of=("self",)).filter(project=project, pk__in=list(documents))
    list(rows.order_by("pk").values_list("pk"))


def hold_names(project: Project) -> None:
    """Hold what is counted or named once per project: the next decision's number, a space's name."""
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)


def first_maintainers(space: Space, actor: Actor) -> None:
    """Let a new space be maintained by who made it, if a person, and by the hub's superusers: somebody must."""
    people = get_user_model().objects.filter(Q(is_superuser=True) | Q(pk=actor.key if actor.kind == "human" else None))
    active = people.filter(is_active=True, is_staff=True)
    Maintainer.objects.bulk_create([Maintainer(space=space, user=user) for user in active])
