"""From one message to its reply.

Whatever is wrong with a message, its sender must be an agent first: every path authenticates before it says more.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from core.calls import Call, Json
from core.errors import HubError
from hubsite import agent_calls
from hubsite.mcp import revisions, tools
from hubsite.mcp.exchange import Exchange
from hubsite.mcp.jsonrpc import (
    INVALID_REQUEST,
    Encoded,
    Failure,
    Message,
    Notification,
    Request,
    failure_reply,
    message_of,
    result_reply,
)
from hubsite.mcp.methods import Methods


class Dispatcher:
    """Answers messages. `run_sync` says where work that touches a database runs."""

    def __init__(self, registry: Mapping[str, Call] | None, run_sync: agent_calls.RunSync) -> None:
        self._registry = registry
        self.run_sync = run_sync

    @cached_property
    def methods(self) -> Methods:
        """The methods, over every app's calls unless told others; the apps are imported at the first use."""
        return Methods(agent_calls.tools() if self._registry is None else self._registry)

    async def authenticate(self, exchange: Exchange) -> None:
        """Refuse who is not an agent."""
        await self.run_sync(lambda: agent_calls.authenticate(exchange.authorization))

    async def reply(self, exchange: Exchange, value: Any, *, stateless: bool) -> bytes | None:  # noqa: ANN401 - JSON
        """Answer the reply to a message, None when it is owed none; fail when it is no message."""
        message = await self._message(exchange, value)
        if not isinstance(message, Request):
            await self.authenticate(exchange)
            if stateless:
                _check_unanswered(exchange, message)
            return None
        try:
            return result_reply(message.id, await self._result(exchange, message, stateless=stateless))
        except Failure as failure:
            if stateless:
                raise
            return failure_reply(message.id, failure)

    async def _message(self, exchange: Exchange, value: Any) -> Message:  # noqa: ANN401 - any JSON value
        try:
            return message_of(value)
        except Failure:
            await self.authenticate(exchange)
            raise

    async def _result(self, exchange: Exchange, request: Request, *, stateless: bool) -> Json | Encoded:
        if request.method == "tools/call":
            return await self._call_tool(exchange, request, stateless=stateless)

        def answer() -> Json | Encoded:
            actor = agent_calls.authenticate(exchange.authorization)
            if stateless:
                revisions.check_envelope(request, exchange.headers, exchange.repeated)
            return self.methods.answer(actor, request, exchange.hub_url, stateless=stateless)

        return await self.run_sync(answer)

    async def _call_tool(self, exchange: Exchange, request: Request, *, stateless: bool) -> Encoded:
        call, arguments = await self._wanted_tool(exchange, request, stateless=stateless)
        extra = self.methods.call_extra[stateless]
        work = agent_calls.perform(self.run_sync, exchange.authorization, call, arguments)
        try:
            answer = await (exchange.while_connected(work) if agent_calls.is_waiting(call) else work)
        except HubError as error:
            if error.code == "unauthenticated":
                raise
            return tools.failed(error, extra)
        return tools.answered(answer, extra)

    async def _wanted_tool(self, exchange: Exchange, request: Request, *, stateless: bool) -> tuple[Call, Json]:
        try:
            if stateless:
                revisions.check_envelope(request, exchange.headers, exchange.repeated)
            return tools.wanted(request, self.methods.registry)
        except Failure:
            await self.authenticate(exchange)
            raise


def _check_unanswered(exchange: Exchange, message: Message) -> None:
    if not isinstance(message, Notification):
        raise Failure(INVALID_REQUEST, "The hub asks nothing, so there is nothing to reply to.")
    revisions.check_version(exchange.version)
