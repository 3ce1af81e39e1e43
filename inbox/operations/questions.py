"""What agents ask."""

from collections.abc import Sequence
from typing import Any, Literal

from core import limits
from core.actor import Actor
from core.checks import check_json, check_text
from core.errors import invalid
from core.operation import Right, operation
from core.times import rfc3339
from inbox import entries
from inbox.models import Status
from projects import feed
from projects.models import Kind, Project


@operation(Right.WRITE)
def post_question(
    actor: Actor,
    project: Project,
    /,
    *,
    subject: str,
    body: str = "",
    context: str = "",
    options: Sequence[str] = (),
    deadline_s: int | None = None,
    session: str | None = None,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Ask the human (and other agents) a question; its event heads the thread, its entry is `waiting` (INB-04).

    ``deadline_s`` is in seconds; an open question is resolved as expired when it passes (INB-05).
    """
    payload = {**_texts(body, context), "options": _options(options)}
    return _ask(actor, project, Kind.QUESTION, subject, payload, session=session, deadline_s=deadline_s)


@operation(Right.WRITE)
def post_approval(
    actor: Actor,
    project: Project,
    /,
    *,
    subject: str,
    body: str = "",
    context: str = "",
    proposal: Any = None,  # noqa: ANN401 - any JSON value
    deadline_s: int | None = None,
    on_expiry: Literal["decline", "expire"] = "decline",
    session: str | None = None,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Ask a person to approve; its entry is `action`. The person may edit the JSON ``proposal``.

    When the deadline passes, ``decline`` answers ``approved: false`` and ``expire`` leaves it undecided. Nothing is
    ever approved by silence.
    """
    if on_expiry not in {"decline", "expire"}:
        raise invalid("on_expiry", "on_expiry must be decline or expire.")
    payload = {**_texts(body, context), "proposal": check_json(proposal, "proposal")}
    return _ask(
        actor, project, Kind.APPROVAL, subject, payload, session=session, deadline_s=deadline_s, on_expiry=on_expiry
    )


def _ask(
    actor: Actor,
    project: Project,
    kind: Kind,
    subject: str,
    payload: dict[str, Any],
    *,
    session: str | None,
    deadline_s: int | None,
    on_expiry: str = "",
) -> dict[str, Any]:
    subject = check_text(subject, "subject", limits.SUMMARY_CHARS)
    deadline = entries.deadline_after(deadline_s)
    if deadline:
        payload |= {"deadline_at": rfc3339(deadline)}
        payload |= {"on_expiry": on_expiry} if on_expiry else {}
    check_json(payload, "body")
    entries.check_room(project, actor)
    event = feed.append(project, kind, actor, subject, payload=payload, session=session, starts_thread=True)
    status = Status.ACTION if kind == Kind.APPROVAL else Status.WAITING
    entries.add(event, status, deadline=deadline, on_expiry=on_expiry)
    return {"event": event.pk}


def _texts(body: str, context: str) -> dict[str, Any]:
    return {
        "body": check_text(body, "body", limits.BODY_CHARS, empty=True),
        "context": check_text(context, "context", limits.BODY_CHARS, empty=True),
    }


def _options(options: Sequence[str]) -> list[str]:
    if len(options) > limits.OPTIONS:
        raise invalid("options", f"options must be at most {limits.OPTIONS}.", limit=limits.OPTIONS)
    checked = [check_text(option, "options", limits.SUMMARY_CHARS) for option in options]
    if len(set(checked)) != len(checked):
        raise invalid("options", "options must differ from each other.")
    return checked
