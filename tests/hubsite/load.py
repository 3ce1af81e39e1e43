"""Agents at work on a running hub: mixed calls over both faces, and what the hub acknowledged of them."""

import http.client
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from tests.running import Hub

PROJECT = "load"


@dataclass(slots=True)
class Acknowledged:
    """What one agent was told is stored, and whatever went wrong."""

    events: list[str] = field(default_factory=list)
    pages: dict[str, str] = field(default_factory=dict)
    entries: dict[str, str] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    writing: str = ""
    calls: int = 0
    slowest: float = 0


class Worker:
    """One agent with one connection. It goes through `ROUND` in turn, over HTTP and MCP alternately."""

    def __init__(self, hub: Hub, name: str, token: str) -> None:
        self.name = name
        self.seen = Acknowledged()
        self.session = ""
        self._connection = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=60)
        self._headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2025-11-25",
        }

    def work(self, calls: int, stop: threading.Event) -> None:
        """Make `calls` calls, or as many as there are until `stop`; a dead connection ends the work."""
        try:
            self.session = self._http("POST", f"/projects/{PROJECT}/sessions", {"name": self.name})["session"]
            for number, step in zip(range(1, calls), self._steps(), strict=False):
                if stop.is_set():
                    return
                step(number)
        except (OSError, http.client.HTTPException) as error:
            self.seen.failures.append(repr(error))
        finally:
            self._connection.close()

    def _steps(self) -> Iterator[Any]:
        while True:
            yield from (
                self._signal_over_http,
                self._page_over_mcp,
                self._feed_over_http,
                self._signal_over_mcp,
                self._entry_over_http,
                self._entry_read_over_mcp,
                self._question_over_mcp,
                self._page_over_http,
                self._page_read_over_http,
                self._inbox_over_mcp,
            )

    def _signal_over_http(self, number: int) -> None:
        body = {"summary": f"{self.name} at {number}", "payload": {"number": number}, "session": self.session}
        self._keep_event(self._http("POST", f"/projects/{PROJECT}/signals", body))

    def _signal_over_mcp(self, number: int) -> None:
        self._keep_event(self._mcp("signal_append", project=PROJECT, summary=f"第 {number} 步", kind="finished"))

    def _question_over_mcp(self, number: int) -> None:
        # Open questions are limited, so most of these are answered by the asker's own next call.
        if number % 50 == 7:
            self._keep_event(self._mcp("question_post", project=PROJECT, subject=f"{self.name} asks {number}"))
        else:
            self._mcp("whoami")

    def _page_over_mcp(self, number: int) -> None:
        path = f"/fs/{self.name}/page-{number % 7}.md"
        given = {"path": path, "store": "project", "project": PROJECT, "content": f"# {self.name} {number}\n" * 40}
        self.seen.writing = path
        self._keep(self.seen.pages, path, self._mcp("brain_put", **given))

    def _page_over_http(self, number: int) -> None:
        path = f"/fs/{self.name}/notes.md"
        given = {"path": path, "store": "project", "project": PROJECT, "content": f"line {number}\n", "append": True}
        self.seen.writing = path
        self._keep(self.seen.pages, path, self._http("PUT", "/brain/entry", given))

    def _entry_over_http(self, number: int) -> None:
        path = f"/fs/work/{number % 5}.txt"
        given = {"path": path, "store": "session", "session": self.session, "content": f"step {number}\n" * 20}
        self._keep(self.seen.entries, path, self._http("PUT", "/brain/entry", given))

    def _entry_read_over_mcp(self, _: int) -> None:
        path, version = next(iter(self.seen.entries.items()), ("", ""))
        if path:
            answer = self._mcp("brain_get", path=path, session=self.session)
            if answer.get("version") != version:
                self.seen.failures.append(f"{path} is {answer} and not {version}")

    def _page_read_over_http(self, _: int) -> None:
        path = next(iter(self.seen.pages), "")
        if path:
            self._http("GET", f"/brain/entry?{urlencode({'path': path, 'store': 'project', 'project': PROJECT})}")

    def _feed_over_http(self, _: int) -> None:
        self._http("GET", f"/projects/{PROJECT}/events?limit=20")

    def _inbox_over_mcp(self, _: int) -> None:
        self._mcp("inbox_read", project=PROJECT, limit=10)

    def _keep_event(self, answer: dict[str, Any]) -> None:
        if "event" in answer:
            self.seen.events.append(answer["event"])

    def _keep(self, versions: dict[str, str], path: str, answer: dict[str, Any]) -> None:
        if "version" in answer:
            self.seen.writing = ""
            versions.pop(path, None)
            versions[path] = answer["version"]

    def _http(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        return self._exchange(method, f"/api/v1{path}", body)

    def _mcp(self, tool: str, **arguments: object) -> dict[str, Any]:
        params = {"name": tool, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        result: dict[str, Any] = self._exchange("POST", "/mcp", message).get("result", {})
        if not result or result.get("isError"):
            self.seen.failures.append(f"{tool}: {result}")
        return dict(result.get("structuredContent", {}))

    def _exchange(self, method: str, path: str, body: dict[str, Any] | None) -> dict[str, Any]:
        before = time.perf_counter()
        self._connection.request(method, path, json.dumps(body) if body is not None else None, self._headers)
        response = self._connection.getresponse()
        content = response.read()
        self.seen.calls += 1
        self.seen.slowest = max(self.seen.slowest, time.perf_counter() - before)
        if response.status != http.client.OK:
            self.seen.failures.append(f"{method} {path}: {response.status} {content[:500]!r}")
            return {}
        return dict(json.loads(content))


class Fleet:
    """Several workers, each in a thread."""

    def __init__(self, hub: Hub, size: int, calls: int) -> None:
        hub.project(PROJECT)
        self.tokens = make_agents(hub, size)
        self.workers = [Worker(hub, name, token) for name, token in self.tokens.items()]
        self.stop = threading.Event()
        self._threads = [
            threading.Thread(target=worker.work, args=(calls, self.stop), name=worker.name) for worker in self.workers
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def wait_for(self, calls: int) -> None:
        """Wait until the agents have made `calls` calls together."""
        deadline = time.monotonic() + 60
        while sum(worker.seen.calls for worker in self.workers) < calls:
            assert time.monotonic() < deadline
            time.sleep(0.005)

    def join(self) -> list[Acknowledged]:
        for thread in self._threads:
            thread.join(timeout=180)
            assert not thread.is_alive()
        return [worker.seen for worker in self.workers]


def make_agents(hub: Hub, size: int) -> dict[str, str]:
    """Create agents in one process beside the hub: a command for each would take seconds."""
    code = (
        "from core.actor import HUB; from identity.operations import create_agent, issue_token\n"
        f"for number in range({size}):\n"
        "    name = f'load-{number}'; create_agent(HUB, name=name); print(name, issue_token(HUB, name=name).secret)\n"
    )
    lines = hub.manage("shell", "--no-imports", "-c", code).stdout.splitlines()
    return dict(line.split() for line in lines)
