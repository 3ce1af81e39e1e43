"""Agents' calls by name through either face in this process, the human API, and what a test leaves stored."""

import asyncio
import json
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from asgiref.sync import async_to_sync, sync_to_async
from django.apps import apps
from django.conf import settings
from django.db import connections
from django.test import Client
from django.utils import timezone

from core.errors import HubError
from core.operation import write_transaction
from hubsite.agent_calls import calls
from hubsite.mcp_server import McpEndpoint
from inbox.models import InboxItem
from tests.faces import API

type Json = dict[str, Any]
HUMAN_API = "/human/api/v1"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call came to: the object it answered, or the refusal in the one shape both faces share."""

    body: Json
    refused: bool

    def __getitem__(self, name: str) -> Any:
        assert not self.refused, self.body
        return self.body[name]

    @property
    def code(self) -> str:
        """The code of the refusal."""
        assert self.refused, self.body
        return str(self.body["code"])

    @property
    def details(self) -> Json:
        """The details of the refusal."""
        assert self.refused, self.body
        return dict(self.body["details"])

    def done(self) -> Json:
        """Answer the object; fails the test when the call was refused."""
        assert not self.refused, self.body
        return self.body


class Tools(Protocol):
    """An agent's calls by name."""

    def __call__(self, name: str, /, **arguments: object) -> Outcome:
        """Call one."""


class HttpTools:
    """The calls by name over the HTTP API."""

    def __init__(self, token: str | None) -> None:
        self._client = Client()
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def __call__(self, name: str, /, **arguments: object) -> Outcome:
        method, path = calls()[name].http
        for field in re.findall(r"\{(\w+)\}", path):
            path = path.replace(f"{{{field}}}", str(arguments.pop(field)))
        in_query = method in {"GET", "DELETE"}
        answer = self._client.generic(
            method,
            API + path,
            b"" if in_query else json.dumps(arguments).encode(),
            content_type="application/json",
            headers=self._headers,
            query_params=arguments if in_query else {},
        )
        return Outcome(answer.json(), refused=answer.status_code >= 400)


class McpTools:
    """The calls by name over MCP, with the database work on the test's own thread."""

    def __init__(self, token: str | None) -> None:
        self._token = token
        self._endpoint = McpEndpoint(run_sync=_on_this_thread)

    def __call__(self, name: str, /, **arguments: object) -> Outcome:
        params = {"name": name, "arguments": arguments}
        answer = async_to_sync(self._post)({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        result = answer["result"]
        return Outcome(result["structuredContent"], refused=bool(result["isError"]))

    def ask(self, method: str, /, **params: object) -> Json:
        """Answer the result of a method that must not fail."""
        answer = async_to_sync(self._post)({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        return dict(answer["result"])

    async def _post(self, message: Json) -> Json:
        waiting, sent = [json.dumps(message).encode()], bytearray()
        lines = {"host": "127.0.0.1", "content-type": "application/json", "mcp-protocol-version": "2025-11-25"}
        lines |= {"authorization": f"Bearer {self._token}"} if self._token else {}
        headers = [(key.encode(), value.encode()) for key, value in lines.items()]
        scope = {"type": "http", "method": "POST", "path": "/mcp", "scheme": "http", "headers": headers}

        async def receive() -> Json:
            if waiting:
                return {"type": "http.request", "body": waiting.pop(), "more_body": False}
            await asyncio.Event().wait()  # the client stays
            raise AssertionError

        async def send(event: Json) -> None:
            sent.extend(event.get("body", b""))

        await self._endpoint(scope, receive, send)
        return dict(json.loads(bytes(sent)))


def _on_this_thread(work: Callable[[], Any]) -> Any:
    return sync_to_async(work)()


FACES: dict[str, type[HttpTools | McpTools]] = {"http": HttpTools, "mcp": McpTools}


class HumanApi:
    """The human's JSON API with a client that has signed in, or not."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def call(self, method: str, at: str, body: object = None, /, **query: object) -> Outcome:
        """Call an address below the API's root; a list in `query` is given once per value."""
        response = self.client.generic(
            method,
            HUMAN_API + at,
            json.dumps(body) if body is not None else b"",
            content_type="application/json",
            query_params=query,
        )
        content = response.json() if response.content else {}
        return Outcome(content, refused=response.status_code >= 400)

    def get(self, at: str, /, **query: object) -> Outcome:
        return self.call("GET", at, None, **query)

    def post(self, at: str, /, **body: object) -> Outcome:
        return self.call("POST", at, body)

    def put(self, at: str, /, **body: object) -> Outcome:
        return self.call("PUT", at, body)

    def patch(self, at: str, /, **body: object) -> Outcome:
        return self.call("PATCH", at, body)

    def delete(self, at: str, /, **query: object) -> Outcome:
        return self.call("DELETE", at, None, **query)


def stored() -> tuple[dict[str, int], dict[str, int]]:
    """Count the rows of every table, and answer the files of the data directory with their sizes.

    An open SQLite file keeps an index and an empty log beside it; they hold nothing.
    """
    rows = {model._meta.label: model._base_manager.count() for model in apps.get_models()}
    root = Path(settings.DATA_DIR)
    sizes = {str(path.relative_to(root)): path.stat().st_size for path in root.rglob("*") if path.is_file()}
    files = {
        name: size
        for name, size in sizes.items()
        if not (name.endswith("-shm") or (name.endswith("-wal") and not size))
    }
    return rows, files


@contextmanager
def nothing_stored() -> Iterator[None]:
    """Fail unless the block leaves every row, every file and no lock."""
    (rows, files) = stored()
    yield
    (rows_after, files_after) = stored()
    assert rows_after == rows, f"rows changed: {rows_after.items() ^ rows.items()}"
    assert files_after == files, f"files changed: {files_after.items() ^ files.items()}"
    with write_transaction():  # the gate is free again
        pass


def pass_deadline(event: str) -> None:
    """Let an item's deadline be a moment ago."""
    InboxItem.objects.filter(pk=event).update(deadline_at=timezone.now())


def together(*actions: Callable[[], Any]) -> list[Any]:
    """Do all at once, each in a thread of its own; answers results in order, a refusal as the `HubError` it was.

    The test must be transactional: each thread has its own connection, which is closed after it.
    """
    barrier = threading.Barrier(len(actions))

    def run(action: Callable[[], Any]) -> Any:
        barrier.wait(30)
        try:
            return action()
        except HubError as refusal:
            return refusal
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(actions)) as pool:
        return [future.result(60) for future in [pool.submit(run, action) for action in actions]]
