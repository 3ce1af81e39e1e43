"""The way of every agent call, whichever face it came through: who calls, with what, during which session, then run.

The actor comes from the token alone; arguments are validated once, by name; what the call raises leaves as `HubError`.
"""

import inspect
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any, NamedTuple, Protocol, cast

from django.utils.module_loading import autodiscover_modules
from pydantic import ValidationError

from artifacts.notifications import take_comments
from core.actor import Actor
from core.calls import CALLS, Arguments, Call, Json, SessionRule
from core.errors import HubError
from core.json_values import check_storable
from hubsite.problems import invalid_arguments, only_refusals
from identity.actors import agent_from_token
from identity.keeper import is_known
from inbox.notifications import take_pending
from sessions_app.queries import resolve_session


class RunSync(Protocol):
    """Where work that touches a database runs: a request thread, off the event loop."""

    def __call__[R](self, work: Callable[[], R], /) -> Awaitable[R]:
        """Do `work` there."""


class Ready(NamedTuple):
    """A call with everything it needs, checked."""

    actor: Actor
    arguments: Arguments


@cache
def calls() -> dict[str, Call]:
    """Answer every app's calls, in the order of the apps. Imports each app's ``agent_calls`` once."""
    autodiscover_modules("agent_calls")
    return CALLS


def tools() -> dict[str, Call]:
    """Answer the calls that are MCP tools."""
    return {name: call for name, call in calls().items() if call.is_tool}


def is_waiting(call: Call) -> bool:
    """Whether the call runs on the event loop, so that it can wait without holding a thread."""
    return inspect.iscoroutinefunction(call.run)


def authenticate(authorization: str | None) -> Actor:
    """Answer the agent behind an ``Authorization`` header, or refuse with the fix."""
    with only_refusals("authentication"):
        return agent_from_token(authorization)


def prepared(actor: Actor, call: Call, arguments: dict[str, Any]) -> Ready:
    """Validate the arguments and resolve the session a call works in, on a request thread."""
    with only_refusals(call.name):
        check_storable(call.arguments.stored(arguments))
        try:
            values = call.arguments.model_validate(arguments)
        except ValidationError as error:
            raise invalid_arguments(error) from None
        if call.session is None:
            return Ready(actor, values)
        return Ready(actor, _with_session(actor, call.session, values))


def _with_session(actor: Actor, rule: SessionRule, values: Any) -> Arguments:  # noqa: ANN401 - has project and session
    try:
        session = resolve_session(actor, values.place(actor), values.session, rule).pk
    except HubError:
        if not is_known(actor, values.idempotency_key):
            raise
        session = None  # a retry, after the session of the first call ended: it is answered, not done again
    answer: Arguments = values.model_copy(update={"session": session})
    return answer


def run(ready: Ready, call: Call, *given: object) -> Json:
    """Run a call that does not wait, on a request thread; an upload is given its bytes besides."""
    with only_refusals(call.name):
        answer = cast("Json", call.run(ready.actor, ready.arguments, *given))  # see is_waiting
        return _with_news(ready.actor, answer)


def _with_news(actor: Actor, answer: Json) -> Json:
    """Add what ended of what the caller asked, and what was said about its artifacts, and it has not been told."""
    pending = [*take_pending(actor), *take_comments(actor)]
    return answer | {"notifications": {"pending": pending}} if pending else answer


async def wait(ready: Ready, call: Call) -> Json:
    """Run a waiting call on the event loop; cancelling it ends the wait."""
    with only_refusals(call.name):
        return await cast("Awaitable[Json]", call.run(ready.actor, ready.arguments))  # see is_waiting


async def perform(run_sync: RunSync, authorization: str | None, call: Call, arguments: dict[str, Any]) -> Json:
    """Authenticate, prepare and run any call from the event loop, leaving it once unless the call waits."""

    def ready() -> Ready:
        return prepared(authenticate(authorization), call, arguments)

    if is_waiting(call):
        return await wait(await run_sync(ready), call)
    return await run_sync(lambda: run(ready(), call))
