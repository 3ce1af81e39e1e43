"""What a draft is made of: the steps that drafting and promoting share (GOV-03, GOV-09)."""

from typing import Any

from django.db.models import Max
from django.utils import timezone

from core import ids, limits
from core.actor import Actor
from core.checks import check_text
from core.errors import invalid
from knowledge import sources
from knowledge.models import Decision, Document, Draft, Space
from knowledge.roles import first_maintainers, hold_names, space_of
from projects.models import Project


def created(  # noqa: PLR0913 - what a document begins with
    actor: Actor,
    project: Project,
    *,
    title: str,
    body: str,
    kind: str,
    space: str | None,
    cited: list[dict[str, Any]],
) -> dict[str, Any]:
    """Make a document with its first draft, in the caller's transaction; a decision gets its number (GOV-08)."""
    if kind not in Document.Kind.values:
        raise invalid("kind", f"kind must be one of {', '.join(Document.Kind.values)}.")
    hold_names(project)
    home = space_of(project, space) if space is not None else project_space(actor, project)
    if kind == Document.Kind.DECISION and home.kind != Space.Kind.PROJECT:
        raise invalid("space", "Decisions belong to the project's space.")
    now = timezone.now()
    document = Document.objects.create(
        id=str(ids.fresh()),
        space=home,
        project=project,
        kind=kind,
        revision=1,
        created_by=str(actor),
        created_at=now,
        updated_at=now,
    )
    Draft.objects.create(
        document=document, revision=1, updated_by=str(actor), updated_at=now, **text_of(project, title, body, cited)
    )
    if kind == Document.Kind.DECISION:
        last = Decision.objects.filter(project=project).aggregate(last=Max("number"))["last"] or 0
        Decision.objects.create(document=document, project=project, number=last + 1)
    return saved(document)


def project_space(actor: Actor, project: Project) -> Space:
    """Answer the project's own space, made with its first document."""
    space = Space.objects.filter(project=project, kind=Space.Kind.PROJECT).first()
    if space is None:
        space = Space.objects.create(
            id=str(ids.fresh()), project=project, kind=Space.Kind.PROJECT, name="project", created_at=timezone.now()
        )
        first_maintainers(space, actor)
    return space


def text_of(
    project: Project, title: str, body: str, cited: list[dict[str, Any]], known: list[dict[str, Any]] | None = None
) -> dict[str, Any]:
    """Answer the columns of a text, checked. Sources it had already stay, also when what they name is gone."""
    title = check_text(title, "title", limits.TITLE_CHARS).strip()
    if "\n" in title:
        raise invalid("title", "title must be one line.")
    return {
        "title": title,
        "body": check_text(body, "body", limits.DOCUMENT_CHARS, empty=True),
        "sources": sources.checked(project, cited, known or []),
    }


def saved(document: Document) -> dict[str, Any]:
    """Answer what every save answers."""
    return {"document": document.pk, "revision": document.revision}
