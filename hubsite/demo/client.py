"""One agent of the demo: an MCP client of a few lines, and the words it reports in."""

import itertools
import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

PAGES = Path(__file__).parent / "pages"


class RefusedError(Exception):
    """The hub refused a call of the demo."""


class DemoAgent:
    """An agent with its token, at work in one project at a time.

    Every write carries an idempotency key counted from the start, so telling the week again within a day adds nothing.
    """

    def __init__(self, url: str, name: str, token: str) -> None:
        self.name = name
        self.project = ""
        self.session = ""
        self._url = f"{url}/mcp"
        self._token = token
        self._numbers = itertools.count(1)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
        """Call a tool and answer its object."""
        message = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": tool, "arguments": arguments},
        }
        request = urllib.request.Request(  # noqa: S310 - the hub's own address
            self._url,
            json.dumps(message).encode(),
            {
                "Authorization": f"Bearer {self._token}",
                "Content-Type": "application/json",
                "Accept": "application/json, text/event-stream",
                "MCP-Protocol-Version": "2025-11-25",
            },
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as response:  # noqa: S310 - likewise
                answer = json.load(response)
        except urllib.error.HTTPError as error:
            raise RefusedError(f"{tool}: {error.read().decode(errors='replace')}") from None
        result = answer.get("result", {})
        if "error" in answer or result.get("isError"):
            raise RefusedError(f"{tool}: {json.dumps(answer, ensure_ascii=False)}")
        return dict(result["structuredContent"])

    def write(self, tool: str, **arguments: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
        """Call a tool that writes, in the current session."""
        key = f"demo-{self.name}-{next(self._numbers)}"
        return self.call(tool, idempotency_key=key, session=self.session, **arguments)

    def start(self, project: str, name: str) -> None:
        """Start or resume a session and work in it."""
        self.project = project
        self.session = self.call("session_start", project=project, name=name)["session"]

    def end(self, handoff: str) -> None:
        """End the current session."""
        self.write("session_end", handoff=handoff)

    def report(self, summary: str, **payload: Any) -> str:  # noqa: ANN401 - JSON
        """Post a signal; answers its event."""
        given = {"payload": payload} if payload else {}
        return str(self.write("signal_append", project=self.project, summary=summary, **given)["event"])

    def finish(self, summary: str, **payload: Any) -> str:  # noqa: ANN401 - JSON
        """Post what is finished, which the human finds in the inbox; answers its event."""
        arguments = {"payload": payload} if payload else {}
        return str(
            self.write("signal_append", project=self.project, summary=summary, kind="finished", **arguments)["event"]
        )

    def ask(self, subject: str, **arguments: Any) -> str:  # noqa: ANN401 - JSON
        """Post a question; answers its event."""
        return str(self.write("question_post", project=self.project, subject=subject, **arguments)["event"])

    def propose(self, subject: str, **arguments: Any) -> str:  # noqa: ANN401 - JSON
        """Ask for approval; answers its event."""
        return str(self.write("approval_post", project=self.project, subject=subject, **arguments)["event"])

    def note(self, path: str, content: Any) -> None:  # noqa: ANN401 - text, or JSON for a key
        """Write into the session's brain."""
        self.write("brain_put", store="session", path=path, content=content)

    def page(self, path: str) -> None:
        """Write a page of the project, from the file of that name beside this module."""
        content = (PAGES / self.project / path).read_text(encoding="utf-8")
        self.write("brain_put", store="project", project=self.project, path=f"/fs/{path}", content=content)
