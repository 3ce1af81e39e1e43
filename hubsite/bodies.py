"""Request bodies, read no further than their limit."""

from collections.abc import Awaitable, Callable
from typing import Any

from core import limits
from core.errors import HubError
from hubsite.problems import MEDIA_TYPE, body_too_large, encoded_problem, headers

type Receive = Callable[[], Awaitable[Any]]
type Send = Callable[[Any], Awaitable[None]]
type Scope = Any
type Application = Callable[[Scope, Receive, Send], Awaitable[None]]


class ClientGoneError(Exception):
    """The client closed the connection: nobody is left to answer."""


def declared_length(scope: Scope) -> int | None:
    """Answer the length a request declares, None when it declares none."""
    for name, value in scope["headers"]:
        if name == b"content-length":
            return int(value) if value.isdigit() else None
    return None


def check_declared(scope: Scope, limit: int) -> None:
    """Refuse a body that declares itself too large, before reading any of it."""
    length = declared_length(scope)
    if length is not None and length > limit:
        raise body_too_large(limit)


async def read_body(receive: Receive, limit: int) -> bytes:
    """Answer the body; `payload_too_large` as soon as it passes `limit` bytes."""
    chunks: list[bytes] = []
    length = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGoneError
        chunks.append(message.get("body", b""))
        length += len(chunks[-1])
        if length > limit:
            raise body_too_large(limit)
        if not message.get("more_body"):
            return b"".join(chunks)


async def respond(send: Send, status: int, content_type: str, body: bytes, extra: dict[str, str]) -> None:
    """Send a whole response."""
    head = {
        "Content-Type": content_type,
        "Content-Length": str(len(body)),
        "X-Content-Type-Options": "nosniff",
        **extra,
    }
    lines = [(name.lower().encode(), value.encode("latin-1", "replace")) for name, value in head.items()]
    await send({"type": "http.response.start", "status": status, "headers": lines})
    await send({"type": "http.response.body", "body": body})


def limited(application: Application, limit: int = limits.REQUEST_BYTES) -> Application:
    """Serve an application that spools whole bodies (Django's does) with bodies of at most `limit` bytes."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        started = False
        left = limit

        async def counted() -> Any:  # noqa: ANN401 - an ASGI message
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise body_too_large(limit)
            return message

        async def watched(message: Any) -> None:  # noqa: ANN401 - an ASGI message
            nonlocal started
            started = True
            await send(message)

        try:
            check_declared(scope, limit)
            await application(scope, counted, watched)
        except HubError as error:
            if started:
                raise
            await respond(send, error.status, MEDIA_TYPE, encoded_problem(error), headers(error))

    return serve
