"""One agent of the demo: an MCP client of a few lines, and the words it reports in."""

import itertools
import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

PAGES = Path(__file__).parent / "pages"
ARTIFACTS = Path(__file__).parent / "artifacts"


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
        return self._once(tool, session=self.session, **arguments)

    def _once(self, tool: str, **arguments: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
        return self.call(tool, idempotency_key=f"demo-{self.name}-{next(self._numbers)}", **arguments)

    def _post(self, tool: str, **arguments: Any) -> str:  # noqa: ANN401 - JSON
        return str(self.write(tool, project=self.project, **arguments)["event"])

    def start(self, project: str, name: str, **more: Any) -> None:  # noqa: ANN401 - JSON
        """Start or resume a session and work in it."""
        self.project = project
        self.session = self.call("session_start", project=project, name=name, **more)["session"]

    def end(self, handoff: str) -> None:
        """End the current session."""
        self.write("session_end", handoff=handoff)

    def complete(self, task: str, revision: int, learned: list[dict[str, Any]]) -> None:
        """Complete a task with what was learned of its person."""
        self._once("task_complete", task=task, expected_revision=revision, memory_evidence=learned)

    def report(self, summary: str, **payload: Any) -> None:  # noqa: ANN401 - JSON
        """Post a signal."""
        self._post("signal_append", summary=summary, **({"payload": payload} if payload else {}))

    def finish(self, summary: str, **payload: Any) -> None:  # noqa: ANN401 - JSON
        """Post what is finished, which the human finds in the inbox."""
        self._post("signal_append", summary=summary, kind="finished", payload=payload)

    def ask(self, subject: str, **arguments: Any) -> str:  # noqa: ANN401 - JSON
        """Post a question; answers its event."""
        return self._post("question_post", subject=subject, **arguments)

    def answer(self, question: str, body: str) -> None:
        """Answer another agent's question."""
        self._once("answer_post", question=question, body=body)

    def propose(self, subject: str, **arguments: Any) -> str:  # noqa: ANN401 - JSON
        """Ask for approval; answers its event."""
        return self._post("approval_post", subject=subject, **arguments)

    def note(self, path: str, content: Any) -> None:  # noqa: ANN401 - text, or JSON for a key
        """Write into the session's brain."""
        self.write("brain_put", store="session", path=path, content=content)

    def page(self, path: str) -> None:
        """Write a page of the project, from the file of that name beside this module."""
        content = (PAGES / self.project / path).read_text(encoding="utf-8")
        self.write("brain_put", store="project", project=self.project, path=f"/fs/{path}", content=content)

    def show(self, file: str, title: str, kind: str, **arguments: Any) -> str:  # noqa: ANN401 - JSON
        """Publish the file of that name beside this module; answers the artifact."""
        content = (ARTIFACTS / file).read_text(encoding="utf-8")
        asked = {"project": self.project, "title": title, "kind": kind, "content": content, **arguments}
        return str(self.write("artifact_publish", **asked)["artifact"])

    def show_again(self, artifact: str, file: str) -> None:
        """Publish the file as the second version of an artifact."""
        content = (ARTIFACTS / file).read_text(encoding="utf-8")
        self.write("artifact_update", artifact=artifact, content=content, base_version=1)

    def comment(self, artifact: str, body: str, quote: str) -> None:
        """Comment on a place of an artifact."""
        self._once("comment_post", artifact=artifact, body=body, anchor={"quote": quote})

    def draft(self, title: str, kind: str, **arguments: Any) -> str:  # noqa: ANN401 - JSON
        """Draft a document and ask for its review; answers the document."""
        made = self._once("document_draft", project=self.project, title=title, kind=kind, **arguments)
        self.write("document_submit", document=made["document"], expected_revision=made["revision"])
        return str(made["document"])
