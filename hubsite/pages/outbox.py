"""The outbox: what is on its way to memory, what died, and whether the retrieval plane answers (MEM-08, MEM-10)."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from core.actor import Actor
from identity.pages import human_page, page, told
from knowledge.retrieval import planes
from knowledge.retrieval.base import REASONS
from tasks import outbox_queries as queries
from tasks.operations.delivering import discard_evidence, redrive_evidence
from tasks.outbox import ATTEMPTS
from tasks.outbox_models import OutboxRow

_State = OutboxRow.State


@human_page
def outbox(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show what died, what waits and what arrived last."""
    shown = {
        "dead": list(queries.rows_of(_State.DEAD)[: queries.SHOWN]),
        "pending": list(queries.rows_of(_State.PENDING).order_by("due_at", "pk")[: queries.SHOWN]),
        "settled": list(queries.rows_of(None).exclude(state__in=[_State.DEAD, _State.PENDING])[:20]),
    }
    found = queries.titles([row for rows in shown.values() for row in rows])
    context: dict[str, Any] = {name: [(row, found.get(row.task, "")) for row in rows] for name, rows in shown.items()}
    context |= _retrieval() | {"counts": queries.counts(), "attempts": ATTEMPTS}
    return page(request, "tasks/outbox.html", place="outbox", title="Outbox", **context)


def _retrieval() -> dict[str, Any]:
    plane, reason = planes.plane(), planes.unavailable()
    return {"plane": plane.name if plane else "", "degraded": REASONS.get(reason, reason) if reason else ""}


@require_POST
@human_page
def redrive(request: HttpRequest, actor: Actor, row: str) -> HttpResponse:
    """Deliver a dead one again."""
    with told(request, "It is delivered again."):
        redrive_evidence(actor, row=row)
    return redirect("admin:outbox")


@require_POST
@human_page
def discard(request: HttpRequest, actor: Actor, row: str) -> HttpResponse:
    """Give a dead one up."""
    with told(request, "Discarded. The task stays completed."):
        discard_evidence(actor, row=row, reason=request.POST.get("reason", ""))
    return redirect("admin:outbox")


ROUTES = [
    ("outbox/", outbox, "outbox"),
    ("outbox/<str:row>/redrive/", redrive, "outbox-redrive"),
    ("outbox/<str:row>/discard/", discard, "outbox-discard"),
]
