"""MCP over streamable HTTP, at the ASGI level: JSON replies, no server-side session, nothing kept between requests.

It takes the place of Django's handler at ``/mcp``, with the same request threads and the same calls as the HTTP API.
"""

from collections.abc import Mapping
from typing import Any, Final

from core.calls import Call
from core.errors import HubError
from core.json_values import parse
from hubsite import agent_calls, executors, problems
from hubsite.bodies import ClientGoneError, Receive, Scope, Send, declared_length, read_body, respond
from hubsite.mcp import revisions
from hubsite.mcp.dispatch import Dispatcher
from hubsite.mcp.exchange import JSON, MAX_BODY_BYTES, Exchange, Response
from hubsite.mcp.jsonrpc import INVALID_REQUEST, PARSE_ERROR, Failure, failure_reply, id_of, refused

UNKNOWN_SENDER_BYTES: Final = 64 * 1024
"""Up to here a body is read before its sender is known."""
MAX_BATCH: Final = 50


class McpEndpoint:
    """The ASGI application. `run_sync` says where work that touches a database runs."""

    def __init__(
        self,
        registry: Mapping[str, Call] | None = None,
        run_sync: agent_calls.RunSync = executors.run_sync,
    ) -> None:
        self._dispatcher = Dispatcher(registry, run_sync)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        exchange = Exchange(scope, receive)
        try:
            with problems.only_refusals("MCP"):
                response = await self._response(exchange)
        except HubError as error:
            response = Response(error.status, failure_reply(None, refused(error)), problems.headers(error))
        if response is not None:
            extra = {"Cache-Control": "no-store", **response.extra}
            await respond(send, response.status, JSON, response.body, extra)

    async def _response(self, exchange: Exchange) -> Response | None:
        try:
            body = await self._body(exchange)
            if revisions.is_stateless(exchange.version, body):
                return await self._to_stateless(exchange, body)
            if isinstance(body, list):
                return await self._to_batch(exchange, body)
            return _owed(await self._dispatcher.reply(exchange, body, stateless=False))
        except Failure as failure:
            return Response(400, failure_reply(None, failure))
        except ClientGoneError:
            return None

    async def _body(self, exchange: Exchange) -> Any:  # noqa: ANN401 - any JSON value
        exchange.check()
        length = declared_length(exchange.scope)
        if length is None or length > UNKNOWN_SENDER_BYTES or exchange.authorization is None:
            await self._dispatcher.authenticate(exchange)
        body = await read_body(exchange.receive, MAX_BODY_BYTES)
        try:
            return parse(body)
        except ValueError as error:
            await self._dispatcher.authenticate(exchange)
            raise Failure(PARSE_ERROR, f"The body is not valid JSON: {error}") from None

    async def _to_stateless(self, exchange: Exchange, body: Any) -> Response:  # noqa: ANN401 - any JSON value
        try:
            return _owed(await self._dispatcher.reply(exchange, body, stateless=True))
        except Failure as failure:
            return Response(revisions.stateless_status(failure), failure_reply(id_of(body), failure))

    async def _to_batch(self, exchange: Exchange, members: list[Any]) -> Response:
        await self._dispatcher.authenticate(exchange)
        if (exchange.version or revisions.ASSUMED) not in revisions.BATCHING:
            raise Failure(INVALID_REQUEST, "This protocol revision has no batches.")
        if not 1 <= len(members) <= MAX_BATCH:
            raise Failure(INVALID_REQUEST, f"A batch holds 1 to {MAX_BATCH} messages.")
        replies = [await self._to_member(exchange, member) for member in members]
        owed = b",".join(reply for reply in replies if reply)
        return _owed(b"[%s]" % owed if owed else None)

    async def _to_member(self, exchange: Exchange, member: Any) -> bytes | None:  # noqa: ANN401 - any JSON value
        if isinstance(member, dict) and member.get("method") == "initialize":
            return failure_reply(id_of(member), Failure(INVALID_REQUEST, "initialize cannot be part of a batch."))
        try:
            return await self._dispatcher.reply(exchange, member, stateless=False)
        except Failure as failure:
            return failure_reply(id_of(member), failure)


def _owed(reply: bytes | None) -> Response:
    return Response(202) if reply is None else Response(200, reply)


application: Final = McpEndpoint()
"""What `hubsite.asgi` mounts."""
