"""The inbox: what needs you, what is unread, what is done (INB-01..06)."""

import json
from typing import Any, Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from core.actor import Actor
from core.errors import HubError, invalid
from identity.pages import human_page, newest_event, page
from inbox.jobs import expire_due
from inbox.models import OPEN, InboxItem, Status
from inbox.operations import decide, mark_all_read, mark_read, mark_unread, post_answer
from inbox.queries import answer_of, item_of, items, page_of, thread_of

PAGE: Final = 40
DONE: Final = (Status.READ, Status.RESOLVED)


@human_page
def inbox(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show the list."""
    return _page(request, None)


@human_page
def inbox_item(request: HttpRequest, actor: Actor, event: str) -> HttpResponse:
    """Show one item beside the list. Opening it resolves and marks nothing."""
    expire_due()
    return _page(request, item_of(actor, event))


def _page(request: HttpRequest, item: InboxItem | None, *, status: int = 200, **more: Any) -> HttpResponse:  # noqa: ANN401
    expire_due()
    since = newest_event()
    earlier = page_of(items(statuses=DONE), cursor=request.GET.get("before"), limit=PAGE)
    needs_you, unread = items(statuses=OPEN), items(statuses=[Status.UNREAD])
    groups: list[dict[str, Any]] = [
        {"name": "Needs you", "rows": list(needs_you[:PAGE]), "total": needs_you.count()},
        {"name": "Unread", "rows": list(unread[:PAGE]), "total": unread.count(), "read_all": True},
        {"name": "Earlier", "rows": earlier.rows, "older": earlier.next_cursor},
    ]
    return page(
        request,
        "inbox/inbox.html",
        parts=("inbox",),
        place="inbox",
        title=item.event.summary if item else "Inbox",
        status=status,
        since=since,
        groups=[group for group in groups if group["rows"]],
        waiting=groups[0]["rows"],
        before=request.GET.get("before", ""),
        **_opened(item),
        **more,
    )


def _opened(item: InboxItem | None) -> dict[str, Any]:
    if item is None:
        return {"item": None}
    answer = answer_of(item)
    thread = [event for event in thread_of(item.pk) if event.pk not in {item.pk, answer.pk if answer else None}]
    return {
        "item": item,
        "payload": item.event.payload,
        "open": item.status in OPEN,
        "answer": answer,
        "thread": thread,
        "edited": bool(answer and "proposal" in answer.payload),
    }


@require_POST
@human_page
def answer(request: HttpRequest, actor: Actor, event: str) -> HttpResponse:
    """Answer a question with an option or in words."""
    item = item_of(actor, event)
    body = request.POST.get("option") or request.POST.get("body", "")
    try:
        post_answer(actor, item.project_id, question=item.pk, body=body)
    except HubError as refusal:
        return _page(request, item_of(actor, event), status=refusal.status, refusal=refusal, typed=body)
    return redirect("admin:inbox-item", event=item.pk)


@require_POST
@human_page
def decision(request: HttpRequest, actor: Actor, event: str) -> HttpResponse:
    """Approve or decline, with a note and the proposal as the person left it."""
    item = item_of(actor, event)
    note, proposal = request.POST.get("note", ""), request.POST.get("proposal")
    try:
        edited = {} if proposal is None else {"proposal": _json(proposal)}
        approved = request.POST.get("decision") == "approve"
        decide(actor, item.project_id, item=item.pk, approved=approved, note=note, **edited)
    except HubError as refusal:
        more = {"refusal": refusal, "typed": note, "typed_proposal": proposal}
        return _page(request, item_of(actor, event), status=refusal.status, **more)
    return redirect("admin:inbox-item", event=item.pk)


def _json(text: str) -> Any:  # noqa: ANN401 - any JSON value
    try:
        return json.loads(text)
    except ValueError as error:
        raise invalid("proposal", f"The proposal is not valid JSON: {error}") from None


@require_POST
@human_page
def mark(request: HttpRequest, actor: Actor, event: str) -> HttpResponse:
    """Mark one item read or unread."""
    item = item_of(actor, event)
    if request.POST.get("as") == "unread":
        mark_unread(actor, items=[item.pk])
    else:
        mark_read(actor, items=[item.pk])
    return redirect(_back(request, item))


@require_POST
@human_page
def read_all(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Mark everything read that the page showed."""
    number = mark_all_read(actor, up_to=request.POST.get("up_to") or None)
    messages.success(request, f"Marked {number} read.")
    return redirect("admin:inbox")


def _back(request: HttpRequest, item: InboxItem) -> str:
    """Answer where the person stood: the list, or the item."""
    return "/inbox/" if request.POST.get("from") == "list" else f"/inbox/{item.pk}/"


ROUTES = [
    ("inbox/", inbox, "inbox"),
    ("inbox/read-all/", read_all, "inbox-read-all"),
    ("inbox/<str:event>/", inbox_item, "inbox-item"),
    ("inbox/<str:event>/answer/", answer, "inbox-answer"),
    ("inbox/<str:event>/decision/", decision, "inbox-decision"),
    ("inbox/<str:event>/mark/", mark, "inbox-mark"),
]
