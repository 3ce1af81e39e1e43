"""One HTTP request that carries MCP messages, and its response."""

import asyncio
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from core.errors import HubError
from hubsite.bodies import ClientGoneError, Receive, Scope, check_declared
from hubsite.mcp.revisions import VERSION_HEADER
from hubsite.origins import check_origin, hub_url

MAX_BODY_BYTES: Final = 8 * 1024 * 1024
"""A brain value of 4 MiB fits, with its quoting."""
JSON: Final = "application/json"


@dataclass(frozen=True, slots=True)
class Response:
    """An HTTP response; no body for what is owed no reply."""

    status: int
    body: bytes = b""
    extra: Mapping[str, str] = field(default_factory=dict)


class Exchange:
    """One HTTP request."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self.scope = scope
        self.receive = receive
        names = [name for name, _ in scope["headers"]]
        self.headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        self.repeated = frozenset(name.decode("latin-1") for name in set(names) if names.count(name) > 1)

    @property
    def authorization(self) -> str | None:
        """The credential."""
        return self.headers.get("authorization")

    @property
    def version(self) -> str | None:
        """The protocol revision the request names."""
        return self.headers.get(VERSION_HEADER)

    @property
    def hub_url(self) -> str:
        """The address the caller knows the hub by."""
        return hub_url(self.scope.get("scheme", "http"), self.headers.get("host"))

    def check(self) -> None:
        """Refuse what is wrong before a byte of the body is read."""
        if self.scope["method"] != "POST":
            message = "POST JSON-RPC messages here; there is no stream to GET and no session to DELETE."
            raise HubError("method_not_allowed", message, allow=["POST"])
        check_origin(self.headers)
        if self.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
            raise HubError("unsupported_media_type", f"Send {JSON}.", header="Content-Type")
        check_declared(self.scope, MAX_BODY_BYTES)

    async def while_connected[R](self, work: Coroutine[Any, Any, R]) -> R:
        """Do `work` unless the client goes away: then it is cancelled."""
        task = asyncio.ensure_future(work)
        gone = asyncio.ensure_future(self._gone())
        try:
            await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            raise ClientGoneError
        finally:
            task.cancel()
            gone.cancel()
            await asyncio.gather(task, gone, return_exceptions=True)

    async def _gone(self) -> None:
        while (await self.receive())["type"] != "http.disconnect":
            pass
