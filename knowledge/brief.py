"""One call to orient: what happened in a project since the caller was last there."""

from datetime import datetime
from typing import Any, Final

from artifacts.models import Comment
from core.actor import Actor
from core.page import fitting
from core.times import rfc3339
from inbox.models import OPEN, InboxItem, Status
from inbox.queries import agent_json, answers_of
from knowledge.files import knowledge_of
from knowledge.queries import log_json
from projects.models import Event, Kind, Project
from projects.queries import brief_event, events_of
from sessions_app.models import Session
from sessions_app.queries import session_json, sessions_of

ROWS: Final = 5
LINE_BYTES: Final = 280
PAYLOAD_CHARS: Final = 600
# The parts together stay below what agents' clients show of a reply, whatever script they are written in.
PART_BYTES: Final = 3_400


def brief(actor: Actor, project: Project, current: Session | None) -> dict[str, Any]:
    """Answer the parts of a brief, each capped, with ``more`` where rows were left off.

    "Last time" is the last activity of the caller's session before this one in the project.
    """
    before = sessions_of(actor, project=project.slug).exclude(pk=current.pk if current else None)
    previous = before.filter(agent=actor.key).order_by("-last_activity").first()
    since = previous.last_activity if previous else None
    ended = before.exclude(handoff="").order_by("-ended_at").first()
    return {
        "project": project.slug,
        "project_name": project.name,
        "session": _session(current) or None,
        "since": rfc3339(since),
        "answers": _answers(actor, project, since),
        "open_questions": _open(project),
        "comments": _comments(actor, project),
        "previous_session": _session(previous) or None,
        "handoff": _handoff(ended) if ended else None,
        "events": _events(project),
        "changed_pages": _pages(project, since),
    }


def _part(rows: list[Any]) -> dict[str, Any]:
    shown = rows[:ROWS]
    shown = shown[: fitting(shown, PART_BYTES)]
    return {"rows": shown, "more": len(rows) > len(shown)}


def _session(session: Session | None) -> dict[str, Any]:
    if session is None:
        return {}
    shown = session_json(session)
    return {name: shown[name] for name in ("id", "name", "agent", "status", "lineage", "last_activity")}


def _handoff(session: Session) -> dict[str, Any]:
    note = _cut(session.handoff, PART_BYTES)
    return _session(session) | {"note": note, "more": note != session.handoff}


def _short(row: dict[str, Any]) -> dict[str, Any]:
    """Cut a row's line of text: a brief tells that something is there, the other calls tell it whole."""
    return {name: _cut(value, LINE_BYTES) if name in ("subject", "summary") else value for name, value in row.items()}


def _item(item: InboxItem) -> dict[str, Any]:
    """Answer an inbox item without its project, which the brief names once."""
    return {name: value for name, value in _short(agent_json(item)).items() if not name.startswith("project")}


def _cut(text: str, most: int) -> str:
    data = text.encode()
    return text if len(data) <= most else data[:most].decode(errors="ignore") + "…"


def _answers(actor: Actor, project: Project, since: datetime | None) -> dict[str, Any]:
    items = InboxItem.objects.filter(project=project, asker=str(actor), status=Status.RESOLVED)
    if since is not None:
        items = items.filter(resolved_at__gt=since)
    newest = list(items.select_related("event", "project").order_by("-pk")[: ROWS + 1])
    answers = answers_of(newest)
    return _part([_item(item) | {"answer": _answer(answers.get(item.pk))} for item in newest])


def _answer(answer: Event | None) -> dict[str, Any] | None:
    if answer is None:
        return None
    return {"actor": answer.actor, "payload": brief_event(answer, PAYLOAD_CHARS)["payload"]}


def _open(project: Project) -> dict[str, Any]:
    items = InboxItem.objects.filter(project=project, status__in=OPEN).select_related("event", "project")
    return _part([_item(item) for item in items.order_by("-pk")[: ROWS + 1]])


def _comments(actor: Actor, project: Project) -> dict[str, Any]:
    """Answer the open comments on what the caller published."""
    rows = Comment.objects.filter(project=project, addressee=str(actor), resolved_at__isnull=True)
    newest = rows.select_related("artifact").order_by("-pk")[: ROWS + 1]
    return _part([_comment(comment) for comment in newest])


def _comment(comment: Comment) -> dict[str, Any]:
    shown = {"id": comment.pk, "artifact": comment.artifact_id, "title": comment.artifact.title}
    shown |= {"version": comment.version, "anchor": comment.anchor, "actor": comment.actor}
    return shown | {"body": _cut(comment.body, PAYLOAD_CHARS), "created_at": rfc3339(comment.created_at)}


def _events(project: Project) -> dict[str, Any]:
    kinds = [Kind.SIGNAL, Kind.FINISHED, Kind.QUESTION, Kind.ANSWER, Kind.APPROVAL, Kind.ARTIFACT]
    newest = events_of(project, kinds=kinds).order_by("-pk")[: ROWS + 1]
    shown = ("id", "kind", "actor", "session", "thread", "summary", "created_at")
    rows = [_short(brief_event(event)) for event in newest]
    return _part([{name: row[name] for name in shown} for row in rows])


def _pages(project: Project, since: datetime | None) -> dict[str, Any]:
    """Answer each page that changed since then once, by its newest write."""
    file = knowledge_of(project)
    if not file.exists():
        return _part([])
    with file.reading() as pages:
        log = pages.log(limit=200)
    # The log keeps whole seconds: what was written in the same one is told rather than missed.
    after = int(since.timestamp()) if since else 0
    changed = {row.path: row for row in reversed(log) if row.at >= after}
    return _part([log_json(row) for row in sorted(changed.values(), key=lambda row: -row.id)])
