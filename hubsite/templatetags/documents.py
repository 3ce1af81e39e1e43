"""What other pages show of documents: a review in the inbox, the documents that rest on a page."""

from typing import Any

from django import template
from django.template import RequestContext

from hubsite.pages.documents.reviews import asked
from identity.actors import human_from_request
from knowledge.models import Document, Review
from projects.models import Event, Project

register = template.Library()


@register.inclusion_tag("documents/entry.html", takes_context=True)
def review_entry(context: RequestContext, event: Event) -> dict[str, Any]:
    """Show what a request for review would change, in its inbox item; nothing once it was decided."""
    related = ("document__space", "document__project", "document__current", "document__draft")
    rows = Review.objects.filter(pk=event.pk).select_related(*related)
    found = asked(human_from_request(context["request"]), rows)
    return {"row": found[0] if found else None}


@register.inclusion_tag("documents/citing.html")
def citing_documents(project: Project, path: str) -> dict[str, Any]:
    """List the documents whose current version rests on a page."""
    cited = Document.objects.filter(cited_pages__project=project, cited_pages__path=path)
    return {"documents": cited.select_related("current").order_by("pk")}
