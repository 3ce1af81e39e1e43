"""Storage: what lies where, in bytes, and what pruning would free (SES-09)."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from core.actor import Actor
from identity.pages import human_page, page, told
from knowledge.storage_use import hub_use
from sessions_app.operations import prune_all_ended
from sessions_app.queries import marked_sessions


@human_page
def storage(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show the report."""
    use = hub_use()
    columns = ("events_bytes", "brains_bytes", "knowledge_bytes", "artifacts_bytes", "total_bytes", "prunable_bytes")
    return page(
        request,
        "hubsite/storage.html",
        place="storage",
        title="Storage",
        use=use,
        sums={name: use.sum_of(name) for name in columns},
        largest=max((row.total_bytes for row in use.projects), default=0) or 1,
        marked=marked_sessions(),
    )


@require_POST
@human_page
def prune(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Prune every ended session of the hub; the page offers to undo it."""
    with told(request):
        prune_all_ended(actor)
    return redirect("admin:storage")


ROUTES = [("storage/", storage, "storage"), ("storage/prune/", prune, "storage-prune")]
