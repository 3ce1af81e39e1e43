"""MCP in this process: the ASGI endpoint with its database work on the test's own thread and connection."""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async

from hubsite.mcp_server import McpEndpoint
from tests.world import AgentWithToken

type Json = dict[str, Any]
STATELESS = "2026-07-28"
HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")


def on_this_thread(work: Callable[[], Any]) -> Any:
    """Run a request's database work where the test's transaction is."""
    return sync_to_async(work)()


@dataclass
class HttpAnswer:
    """What came back: nothing at all when the client was gone."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> Json:
        return dict(self.json["error"])

    @property
    def result(self) -> Json:
        assert "error" not in self.json, self.json
        return dict(self.json["result"])


class Mcp:
    """Sends HTTP requests to an endpoint, as an agent unless `token` is None."""

    def __init__(self, endpoint: McpEndpoint, token: str | None) -> None:
        self.endpoint = endpoint
        self.token = token
        self.read = 0

    def http(
        self,
        chunks: Sequence[bytes],
        *,
        method: str = "POST",
        headers: Sequence[tuple[str, str]] = (),
    ) -> HttpAnswer:
        """Send a request in chunks."""
        return async_to_sync(self.exchange)(chunks, method, headers)

    async def exchange(
        self,
        chunks: Sequence[bytes],
        method: str = "POST",
        headers: Sequence[tuple[str, str]] = (),
        hang_up: asyncio.Event | None = None,
    ) -> HttpAnswer:
        """Send a request in chunks, on the running loop; leave when `hang_up` is set."""
        answer, waiting = HttpAnswer(), list(chunks)
        self.read = 0

        async def receive() -> Json:
            if waiting:
                self.read += 1
                return {"type": "http.request", "body": waiting.pop(0), "more_body": bool(waiting)}
            await (hang_up or asyncio.Event()).wait()
            return {"type": "http.disconnect"}

        async def send(message: Json) -> None:
            if message["type"] == "http.response.start":
                answer.status = message["status"]
                answer.headers = {name.decode(): value.decode() for name, value in message["headers"]}
            else:
                answer.body += message["body"]

        await self.endpoint(self._scope(method, headers), receive, send)
        return answer

    def _scope(self, method: str, headers: Sequence[tuple[str, str]]) -> Json:
        given = {"host": "127.0.0.1:8000", "content-type": "application/json"}
        if self.token:
            given["authorization"] = f"Bearer {self.token}"
        names = {name.lower() for name, _ in headers}
        lines = [(name, value) for name, value in given.items() if name not in names]
        lines += [(name.lower(), value) for name, value in headers if value]
        raw = [(name.encode(), value.encode("latin-1")) for name, value in lines]
        return {"type": "http", "method": method, "path": "/mcp", "scheme": "http", "headers": raw}

    def send(self, message: Any, version: str | None = None, **more: str) -> HttpAnswer:
        """Send one JSON value with the version header."""
        headers = [("mcp-protocol-version", version)] if version else []
        headers += [(name.replace("_", "-"), value) for name, value in more.items()]
        return self.http([json.dumps(message).encode()], headers=headers)

    def ask(self, method: str, params: Json | None = None, version: str | None = "2025-11-25") -> HttpAnswer:
        """Send a request of a handshake revision."""
        return self.send({"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}, version)

    def tell(self, method: str, params: Json | None = None, /, **headers: str) -> HttpAnswer:
        """Send a request of the stateless revision, with its envelope and headers; `headers` change those."""
        envelope = {
            "io.modelcontextprotocol/protocolVersion": STATELESS,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"_meta": envelope, **(params or {})}}
        name = (params or {}).get("name") or (params or {}).get("uri")
        wanted = {"mcp_method": method, **({"mcp_name": name} if name else {}), **headers}
        return self.send(message, wanted.pop("version", STATELESS), **wanted)

    def tool(self, name: str, /, **arguments: object) -> Json:
        """Call a tool and answer its result, refused or not."""
        return self.ask("tools/call", {"name": name, "arguments": arguments}).result


@pytest.fixture
def endpoint() -> McpEndpoint:
    """Answer the endpoint over every app's calls."""
    return McpEndpoint(run_sync=on_this_thread)


@pytest.fixture
def mcp(endpoint: McpEndpoint, ada: AgentWithToken) -> Mcp:
    """Answer Ada's MCP client in this process."""
    return Mcp(endpoint, ada.token)
