"""A person's own memory in the browser: what is kept, since when, until when, why, and what waits (MEM-02..06)."""

from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from core.actor import Actor
from core.errors import HubError
from core.limits import MEMORY_CHARS
from identity.models import Agent
from identity.pages import human_page, page, told
from memory import operations, queries
from memory.human_api import decided, subject_of
from memory.jobs import expire_due
from memory.kinds import KINDS, RESIDENT
from memory.models import Entry

PAGE: Final = 50
LATEST: Final = 10
TABS: Final = {"resident": "Always known", "semantic": "Known from before", "working": "For now"}


@human_page
def memory(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show what is remembered of the person who looks, a layer at a time."""
    return _memory(request, actor)


def _memory(request: HttpRequest, actor: Actor, *, status: int = 200, **more: Any) -> HttpResponse:  # noqa: ANN401
    expire_due()
    subject = subject_of(actor)
    layer = request.GET.get("layer", RESIDENT)
    layer = layer if layer in KINDS else RESIDENT
    state = Entry.State.EXPIRED if request.GET.get("state") == "expired" else Entry.State.ACTIVE
    rows = queries.entries_of(subject, layer=layer, state=state)
    shown = queries.page_of(subject, rows, cursor=request.GET.get("before"), limit=PAGE)
    waiting = queries.open_proposals(subject)
    texts = queries.texts_of(subject, [name for row in waiting for name in (row.entry, row.other)])
    return page(
        request,
        "memory/memory.html",
        place="memory",
        title="Memory",
        status=status,
        layer=layer,
        state=state,
        tabs=[(name, TABS[name], queries.entries_of(subject, layer=name).count()) for name in KINDS],
        entries=shown.rows,
        older=shown.next_cursor,
        proposals=[queries.proposal_json(row, texts) | {"row": row} for row in waiting],
        kinds=KINDS[layer],
        conversations=queries.conversations_of(subject, LATEST),
        recalls=queries.recalls_of(subject, LATEST),
        companions=queries.companions_of(subject),
        agents=list(Agent.objects.order_by("name").values_list("name", flat=True)[:500]),
        most=MEMORY_CHARS,
        **more,
    )


@require_POST
@human_page
def add(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    """Remember something."""
    given, subject = request.POST, subject_of(actor)
    typed = {name: given.get(name, "") for name in ("kind", "text", "scope", "source_ref")}
    try:
        operations.remember(
            actor,
            subject,
            kind=typed["kind"],
            text=typed["text"],
            scope=typed["scope"],
            source_ref=typed["source_ref"],
            again=given.get("again") == "1",
        )
    except HubError as refusal:
        return _memory(request, actor, status=refusal.status, refusal=refusal, typed=typed)
    return redirect(f"/memory/?layer={_layer_of(given.get('kind', ''))}")


def _layer_of(kind: str) -> str:
    return next((layer for layer, kinds in KINDS.items() if kind in kinds), RESIDENT)


@human_page
def entry(request: HttpRequest, actor: Actor, entry: str) -> HttpResponse:
    """Show one entry with its revisions."""
    return _entry(request, actor, entry)


def _entry(request: HttpRequest, actor: Actor, entry: str, *, status: int = 200, **more: Any) -> HttpResponse:  # noqa: ANN401
    expire_due()
    subject = subject_of(actor)
    row = queries.entry_of(subject, entry)
    revisions = queries.revisions_of(subject, row.pk)
    return page(
        request,
        "memory/entry.html",
        place="memory",
        title="Memory",
        status=status,
        entry=row,
        revisions=revisions,
        current=revisions[0] if revisions else None,
        editable=row.state == Entry.State.ACTIVE,
        most=MEMORY_CHARS,
        **more,
    )


@require_POST
@human_page
def edit(request: HttpRequest, actor: Actor, entry: str) -> HttpResponseBase:
    """Give an entry other words; what was typed is kept when it is refused."""
    expected, text = request.POST.get("expected_revision", ""), request.POST.get("text", "")
    try:
        revision = int(expected) if expected.isdecimal() else None
        operations.edit_entry(actor, subject_of(actor), entry=entry, text=text, expected_revision=revision)
    except HubError as refusal:
        if refusal.code == "not_found":
            raise
        return _entry(request, actor, entry, status=refusal.status, refusal=refusal, typed=text)
    return redirect("admin:memory-entry", entry)


@require_POST
@human_page
def forget(request: HttpRequest, actor: Actor, entry: str) -> HttpResponseBase:
    """Erase an entry's words."""
    row = queries.entry_of(subject_of(actor), entry)
    with told(request, "Forgotten."):
        operations.forget_entry(actor, subject_of(actor), entry=row.pk)
    return redirect(f"/memory/?layer={row.layer}")


@require_POST
@human_page
def decide(request: HttpRequest, actor: Actor, proposal: str) -> HttpResponseBase:
    """Do what was proposed, or not."""
    approved = request.POST.get("decision") == "approve"
    with told(request, "Done." if approved else "Declined."):
        decided(actor, proposal, approved=approved)
    return redirect("admin:memory")


@human_page
def recall(request: HttpRequest, actor: Actor, recall: str) -> HttpResponse:
    """Show why a recall chose what it did."""
    subject = subject_of(actor)
    row, items = queries.recall_of(subject, recall)
    texts = queries.texts_of(subject, [item.entry for item in items])
    shown = [(item, texts.get(item.entry, "")) for item in items]
    return page(request, "memory/recall.html", place="memory", title="Recall", recall=row, items=shown)


@human_page
def conversation(request: HttpRequest, actor: Actor, conversation: str) -> HttpResponse:
    """Show a conversation with the memory it was given."""
    row = queries.conversation_of(subject_of(actor), conversation)
    return page(request, "memory/conversation.html", place="memory", title=row.title, conversation=row)


@require_POST
@human_page
def converse(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    """Start a conversation."""
    try:
        started = operations.start_conversation(
            actor, subject_of(actor), text=request.POST.get("text", ""), agent=request.POST.get("agent", "")
        )
    except HubError as refusal:
        return _memory(request, actor, status=refusal.status, refused_start=refusal)
    return redirect("admin:memory-conversation", started["conversation"])


@require_POST
@human_page
def end(request: HttpRequest, actor: Actor, conversation: str) -> HttpResponseBase:
    """End a conversation and its working memory."""
    with told(request, "The conversation has ended."):
        operations.end_conversation(actor, subject_of(actor), conversation=conversation)
    return redirect("admin:memory-conversation", conversation)


@require_POST
@human_page
def companion(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    """Let an agent start conversations for the person, or no longer."""
    change = operations.stop_agent if request.POST.get("stop") else operations.allow_agent
    with told(request):
        change(actor, subject_of(actor), agent=request.POST.get("agent", ""))
    return redirect("/memory/#agents")


ROUTES = [
    ("memory/", memory, "memory"),
    ("memory/add/", add, "memory-add"),
    ("memory/agents/", companion, "memory-agents"),
    ("memory/conversations/", converse, "memory-converse"),
    ("memory/conversation/<str:conversation>/", conversation, "memory-conversation"),
    ("memory/conversation/<str:conversation>/end/", end, "memory-conversation-end"),
    ("memory/proposal/<str:proposal>/", decide, "memory-proposal"),
    ("memory/recall/<str:recall>/", recall, "memory-recall"),
    ("memory/<str:entry>/", entry, "memory-entry"),
    ("memory/<str:entry>/edit/", edit, "memory-edit"),
    ("memory/<str:entry>/forget/", forget, "memory-forget"),
]
