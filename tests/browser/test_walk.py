"""The first walk: an agent reports in over MCP, a person answers in the browser, and the files stay readable.

The official client in every mode it has, against uvicorn and daphne; afterwards the AgentFS SDK reads the brain and
the page (AGT-01, INB-04, KNB-03, SES-01).
"""

import asyncio
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.browser.conftest import sign_in
from tests.running import Hub, fresh_hub

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

MODES = ("legacy", "auto", "2026-07-28")
SDK_READS = """
import asyncio, json, sys
from agentfs_sdk import AgentFS, AgentFSOptions

async def main():
    file = await AgentFS.open(AgentFSOptions(path=sys.argv[1]))
    shown = {name: await file.fs.read_file(name) for name in sys.argv[2:]}
    shown["plan"] = await file.kv.get("plan")
    await file.close()
    print(json.dumps(shown))

asyncio.run(main())
"""


@dataclass(frozen=True, slots=True)
class Walk:
    """A hub of this module's own, on one of the servers, with an agent's token and a person's cookies."""

    hub: Hub
    token: str
    cookies: dict[str, str]


@pytest.fixture(scope="module", params=["uvicorn", "daphne"])
def walk(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walk]:
    """Run a hub on each server; its first start makes the admin."""
    with fresh_hub(tmp_path_factory.mktemp(request.param) / "data") as hub:
        hub.start()
        hub.project("walk")
        token = hub.agent("ada")
        if request.param == "daphne":
            hub.end()
            hub.start(sys.executable, "manage.py", "runserver", "--noreload", str(hub.port))
        yield Walk(hub, token, sign_in(hub))


@dataclass(slots=True)
class Asked:
    """What the agent did before it waits."""

    session: str = ""
    question: str = ""


async def report_in(walk: Walk, mode: str, asked: Asked, is_waiting: threading.Event) -> tuple[Any, float]:
    """Do an agent's part; answers what `answer_wait` said and when it did."""
    headers = {"Authorization": f"Bearer {walk.token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60, trust_env=False) as http:
        transport = streamable_http_client(f"{walk.hub.url}/mcp", http_client=http)
        async with Client(transport, mode=mode) as client:

            async def call(tool: str, /, **arguments: object) -> Any:  # the client's own type says no more
                result = await client.call_tool(tool, arguments)
                assert not result.is_error, result
                return result.structured_content

            asked.session = (await call("session_start", project="walk", name=f"walk-{mode}"))["session"]
            await call("brain_put", store="session", path="/fs/notes.md", content=f"# {mode}")
            await call("brain_put", store="session", path="/kv/plan", content={"mode": mode})
            page = {"store": "project", "path": f"/fs/{mode}.md", "content": f"# {mode}"}
            written = await call("brain_put", **page, if_version="absent")
            await call("brain_put", **{**page, "content": f"# {mode}, again"}, if_version=written["version"])
            ask = {"project": "walk", "subject": f"Which way, {mode}?", "options": ["Left", "Right"]}
            asked.question = (await call("question_post", **ask))["event"]
            is_waiting.set()
            answer = await call("answer_wait", question=asked.question, timeout_s=50)
            answered_at = time.monotonic()
            await call("session_end", handoff="walked")
            return answer, answered_at


def answer_in_browser(page: "Page", asked: Asked) -> float:
    """Do the person's part; answers when the button was pressed."""
    page.goto(f"/inbox/{asked.question}/")
    pressed_at = time.monotonic()
    page.get_by_role("button", name="Right").click()
    page.get_by_text("Answered by admin").wait_for()
    return pressed_at


def sdk_reads(path: Path, *names: str) -> dict[str, Any]:
    """Answer what the SDK reads of a file, in a process of its own."""
    done = subprocess.run(  # noqa: S603 - our own script
        [sys.executable, "-c", SDK_READS, str(path), *names], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def walked(walk: Walk, browser: "Browser", mode: str) -> None:
    """Walk once: the agent in a thread, the person here."""
    asked, is_waiting = Asked(), threading.Event()
    context = browser.new_context(base_url=walk.hub.url)
    context.add_cookies([{"name": name, "value": value, "url": walk.hub.url} for name, value in walk.cookies.items()])
    with ThreadPoolExecutor(1) as pool:
        agent: Future[tuple[Any, float]] = pool.submit(asyncio.run, report_in(walk, mode, asked, is_waiting))
        while not is_waiting.wait(0.1):
            assert not agent.done(), agent.exception()
        pressed_at = answer_in_browser(context.new_page(), asked)
        answer, answered_at = agent.result(timeout=60)
    context.close()
    assert answer["status"] == "answered"
    assert (answer["answer"]["actor"], answer["answer"]["payload"]["body"]) == ("human:admin", "Right")
    assert answered_at - pressed_at < 5  # a second on an idle machine; the browser's click is in it too


def test_agt_01_an_agent_reports_in_a_person_answers_and_the_sdk_reads_what_stays(
    walk: Walk, browser: "Browser"
) -> None:
    for mode in MODES:
        walked(walk, browser, mode)
    with walk.hub.api(walk.token) as agent:
        sessions = agent.get("/sessions", project="walk").json["sessions"]
    assert len(sessions) == len(MODES)
    walk.hub.end()
    for row in sessions:
        mode = row["name"].removeprefix("walk-")
        brain = sdk_reads(walk.hub.data_dir / "sessions" / "walk" / f"{row['id']}.db", "/notes.md")
        assert brain == {"/notes.md": f"# {mode}", "plan": {"mode": mode}}
    pages = sdk_reads(walk.hub.data_dir / "kb" / "walk.db", *(f"/{mode}.md" for mode in MODES))
    assert [pages[f"/{mode}.md"] for mode in MODES] == [f"# {mode}, again" for mode in MODES]
