"""Thin clients of the agent faces: HTTP in this process or against a running hub, and MCP as raw JSON-RPC."""

import itertools
import json
from dataclasses import dataclass
from typing import Any, Self

import httpx
from django.test import Client

type Json = dict[str, Any]
API = "/api/v1"
MCP_REVISION = "2025-11-25"


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer of the agent API."""

    status: int
    json: Any
    headers: dict[str, str]


class AgentApi:
    """The agent HTTP API in this process, through Django's test client: sees the test's own transaction."""

    def __init__(self, token: str | None) -> None:
        self._client = Client()
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def call(self, method: str, path: str, body: Json | None = None, /, **query: object) -> Answer:
        """Call `path` below ``/api/v1``; `body` is sent as JSON, `query` in the address."""
        response = self._client.generic(
            method,
            API + path,
            json.dumps(body) if body is not None else b"",
            content_type="application/json",
            headers=self._headers,
            query_params={name: str(value) for name, value in query.items()},
        )
        return Answer(response.status_code, _parsed(response.content), dict(response.headers))

    def get(self, path: str, /, **query: object) -> Answer:
        return self.call("GET", path, None, **query)

    def post(self, path: str, /, **body: object) -> Answer:
        return self.call("POST", path, body)

    def put(self, path: str, /, **body: object) -> Answer:
        return self.call("PUT", path, body)


class RemoteApi(AgentApi):
    """The agent HTTP API of a running hub."""

    def __init__(self, url: str, token: str | None, *, timeout: float = 60) -> None:
        super().__init__(token)
        self._http = httpx.Client(base_url=url, headers=self._headers, timeout=timeout, trust_env=False)

    def call(self, method: str, path: str, body: Json | None = None, /, **query: object) -> Answer:
        """Call `path` below ``/api/v1``."""
        params = {name: str(value) for name, value in query.items()}
        response = self._http.request(method, API + path, json=body, params=params)
        return Answer(response.status_code, _parsed(response.content), dict(response.headers))

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class McpAgent:
    """MCP as raw JSON-RPC over one HTTP connection to a running hub."""

    def __init__(self, url: str, token: str | None, *, timeout: float = 60) -> None:
        headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": MCP_REVISION}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        self._http = httpx.Client(base_url=url, headers=headers, timeout=timeout, trust_env=False)
        self._ids = itertools.count(1)

    def request(self, method: str, params: Json | None = None) -> httpx.Response:
        """Send one request; answers the HTTP response."""
        message = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params or {}}
        return self._http.post("/mcp", json=message)

    def result(self, method: str, params: Json | None = None) -> Json:
        """Send one request and answer its result."""
        answer = self.request(method, params).raise_for_status().json()
        assert "error" not in answer, answer
        return dict(answer["result"])

    def tool(self, name: str, /, **arguments: object) -> Json:
        """Call a tool and answer its object; fails the test when the tool refuses."""
        result = self.result("tools/call", {"name": name, "arguments": arguments})
        assert not result.get("isError"), result
        return dict(result["structuredContent"])

    def refusal(self, name: str, /, **arguments: object) -> Json:
        """Call a tool that must refuse; answers the error it gives."""
        result = self.result("tools/call", {"name": name, "arguments": arguments})
        assert result["isError"], result
        return dict(result["structuredContent"])

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _parsed(content: bytes) -> Any:
    try:
        return json.loads(content) if content else None
    except ValueError:
        return content.decode(errors="replace")
