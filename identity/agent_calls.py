"""Reading a project's feed as an agent."""

from typing import Annotated

from pydantic import Field

from core.actor import Actor
from core.calls import Arguments, Json, agent_call
from core.errors import invalid
from core.operation import Right
from core.page import fitting, limit_or_default
from identity.access import authorized
from projects.models import Kind
from projects.queries import brief_event, event_json, events_of, read_feed


class FeedRead(Arguments):
    """Arguments of feed_read."""

    project: str
    since: Annotated[str | None, Field(description="Event id: what came after it, oldest first.")] = None
    before: Annotated[str | None, Field(description="Event id: what came before it, newest first.")] = None
    kinds: list[str] | None = None
    session: str | None = None
    agent: str | None = None
    limit: int | None = None


@agent_call(
    "feed_read", title="Read a feed", http=("GET", "/projects/{project}/events"), arguments=FeedRead, read_only=True
)
def feed_read(actor: Actor, arguments: FeedRead) -> Json:
    """Read a project's events, newest first; with since, poll for what is new (pass next_since back)."""
    project = authorized(actor, arguments.project, Right.READ)
    if arguments.since is not None and arguments.before is not None:
        raise invalid("before", "Give since or before, not both.")
    events = events_of(project, kinds=_kinds(arguments.kinds), session=arguments.session, actor=arguments.agent)
    page = read_feed(events, since=arguments.since, before=arguments.before, limit=limit_or_default(arguments.limit))
    shape = event_json if arguments.limit else brief_event
    if not arguments.limit:
        page = page.first(fitting([brief_event(event) for event in page.events]))
    return {
        "events": [shape(event) for event in page.events],
        "next_since": page.next_since,
        "next_before": page.next_before,
        "truncated": page.truncated,
    }


def _kinds(kinds: list[str] | None) -> list[str]:
    unknown = sorted(set(kinds or ()) - set(Kind.values))
    if unknown:
        raise invalid("kinds", f"Unknown kinds: {', '.join(unknown)}. Known: {', '.join(Kind.values)}.")
    return kinds or []
