"""The family of feed events: indexed as they are appended. System events never are (IDN-06)."""

from collections.abc import Mapping, Sequence
from typing import Final

from core.actor import Actor
from identity.access import visible_projects
from projects.models import Event, Kind
from projects.queries import HIDDEN_FROM_AGENTS
from search import index
from search.families import Document, Family, Hit, Key, register
from search.texts import strings_of

NAME: Final = "event"
# What the hub itself puts into a payload is for programs: nobody looks for it, and snippets would be full of it.
_ASIDE: Final = frozenset({"deadline_at", "on_expiry", "review"})


def index_event(event: Event) -> None:
    """Index an event that is being appended, in the same transaction (`projects.feed`)."""
    if event.kind not in HIDDEN_FROM_AGENTS:
        index.put_all(NAME, [_document(event)])


def _document(event: Event) -> Document:
    return Document(event.project_id, event.pk, event.summary, _text(event), event.created_at, event.session)


def _text(event: Event) -> str:
    if event.kind == Kind.SESSION:
        return str(event.payload.get("handoff") or "")
    if event.kind == Kind.ARTIFACT or str(event.payload.get("action", "")).startswith("document."):
        return ""
    return "\n".join(strings_of({name: value for name, value in event.payload.items() if name not in _ASIDE}))


def _read(actor: Actor, keys: Sequence[Key]) -> Mapping[Key, Hit]:
    rows = Event.objects.filter(pk__in=[ref for _, ref in keys], project__in=visible_projects(actor))
    return {(row.project_id, row.pk): _hit(row) for row in rows.exclude(kind__in=HIDDEN_FROM_AGENTS)}


def _hit(event: Event) -> Hit:
    shows = {"event": event.pk, "kind": event.kind, "thread": event.thread, "session": event.session}
    return Hit(event.summary, _text(event), event.created_at, event.actor, shows)


def _refs(after: str, number: int) -> list[Key]:
    rows = Event.objects.filter(pk__gt=after).exclude(kind=Kind.SYSTEM).order_by("pk")
    return list(rows.values_list("project", "pk")[:number])


def _documents(keys: Sequence[Key]) -> list[Document]:
    rows = Event.objects.filter(pk__in=[ref for _, ref in keys]).exclude(kind=Kind.SYSTEM)
    return [_document(row) for row in rows]


register(Family(NAME, _read, _refs, _documents))
