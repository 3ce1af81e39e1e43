"""The groups a browser may listen to, and what it missed in them (HUB-09).

Everything a page shows changes with an event, and event ids are in commit order; so "since this id" is exact.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from core.live import Note
from projects.models import Event, Kind, Project

FEEDS: Final = "feeds"
PROJECTS: Final = "projects"
MOST_MISSED: Final = 500
MOST_GROUPS: Final = 50
_PLAIN: Final = frozenset({"inbox", FEEDS, PROJECTS, "cursors", "agents"})
_NAMED: Final = re.compile(r"project:~?[a-z0-9._-]{1,64}|(session|thread):[0-9A-HJKMNP-TV-Z]{26}")
_ID: Final = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}|")
_ASKS: Final = frozenset({Kind.QUESTION, Kind.APPROVAL, Kind.FINISHED, Kind.ARTIFACT})


def asked_for(listen: object, since: object) -> dict[str, str | None] | None:
    """Answer the groups of a browser's message with the id each has seen; None when it is not such a message."""
    if not isinstance(listen, list) or not isinstance(since, dict) or len(listen) > MOST_GROUPS:
        return None
    wanted: dict[str, str | None] = {}
    for group in listen:
        if not isinstance(group, str) or not _is_group(group):
            return None
        wanted[group] = seen = since.get(group)
        if seen is not None and not (isinstance(seen, str) and _ID.fullmatch(seen)):
            return None
    return wanted


def _is_group(group: str) -> bool:
    return group in _PLAIN or bool(_NAMED.fullmatch(group))


def expanded(wanted: Mapping[str, str | None]) -> dict[str, str | None]:
    """Answer the groups with ``feeds`` spelled out: every project, and `PROJECTS` to hear of new ones."""
    groups = {group: seen for group, seen in wanted.items() if group != FEEDS}
    if FEEDS in wanted:
        groups.setdefault(PROJECTS, None)
        for slug in Project.objects.values_list("slug", flat=True):
            groups[f"project:{slug}"] = _older(wanted[FEEDS], groups.get(f"project:{slug}", wanted[FEEDS]))
    return groups


def _older(one: str | None, other: str | None) -> str | None:
    return min(one, other) if one is not None and other is not None else None


def missed(groups: Mapping[str, str | None]) -> list[Note]:
    """Answer what was committed after the ids the browser has seen, oldest first; after too much, only where."""
    seen = {group: since for group, since in groups.items() if since is not None}
    if not seen:
        return []
    events = Event.objects.filter(pk__gt=min(seen.values())).order_by("pk")
    rows = list(events.only("pk", "project_id", "kind", "session", "thread")[: MOST_MISSED + 1])
    if len(rows) > MOST_MISSED:
        return [{"group": group, "more": True} for group in seen]
    return [note for event in rows for note in _notes(event) if event.pk > seen.get(note["group"], event.pk)]


def _notes(event: Event) -> Iterable[Note]:
    """Answer the notes that went out when the event was committed."""
    yield {"group": f"project:{event.project_id}", "event": event.pk, "kind": event.kind}
    if event.session:
        yield {"group": f"session:{event.session}", "event": event.pk}
    if event.kind in _ASKS:
        yield {"group": "inbox", "event": event.pk}
    if event.thread and event.thread != event.pk:
        yield {"group": f"thread:{event.thread}", "event": event.pk}
        if event.kind == Kind.ANSWER:
            yield {"group": "inbox", "event": event.thread}
