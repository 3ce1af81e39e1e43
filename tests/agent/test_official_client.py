"""The official MCP client, in every mode it has, against both servers (AGT-01, AGT-02, INB-04, KNB-03)."""

import asyncio
import hashlib
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from hubsite import agent_calls
from tests.running import Hub, fresh_hub

PEOPLE = """
from knowledge.operations import create_document, publish_document
from tasks.operations import allow_agents
from tests import world
world.make_project("atlas")
kim = world.make_person("kim").actor
allow_agents(kim, create_tasks=True)
source = {"kind": "url", "url": "https://example.org/herons"}
page = create_document(kim, "atlas", title="Herons", body="The grey heron nests in tall trees.", cited=[source])
publish_document(kim, "atlas", document=page["document"], expected_revision=1)
print(world.make_agent("ada").token, world.make_agent("ben").token)
"""
"""One command is quicker than three."""
MODES = {"legacy": "2025-11-25", "auto": "2026-07-28", "2026-07-28": "2026-07-28"}
every_mode = pytest.mark.parametrize("mode", MODES)


@dataclass(frozen=True)
class Served:
    """A running hub with two agents in one project."""

    hub: Hub
    command: tuple[str, ...]
    ada: str
    ben: str


@pytest.fixture(scope="module", params=["uvicorn", "daphne"])
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Run a hub on each server."""
    with fresh_hub(tmp_path_factory.mktemp(request.param) / "data") as hub:
        command: tuple[str, ...] = ()
        if request.param == "daphne":
            command = (sys.executable, "manage.py", "runserver", "--noreload", str(hub.port))
        hub.start(*command)
        yield Served(hub, command, *hub.manage("shell", "--no-imports", "-c", PEOPLE).stdout.split())


@asynccontextmanager
async def connected(served: Served, mode: str, token: str | None = None) -> AsyncIterator[Client]:
    """Connect the official client as Ada, or with another token."""
    headers = {"Authorization": f"Bearer {token or served.ada}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60, trust_env=False) as http:
        transport = streamable_http_client(f"{served.hub.url}/mcp", http_client=http)
        async with Client(transport, mode=mode) as client:
            yield client


async def call(client: Client, name: str, /, **arguments: object) -> Any:
    """Call a tool that answers."""
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result
    return result.structured_content


async def refused(client: Client, name: str, /, **arguments: object) -> Any:
    """Call a tool that refuses."""
    result = await client.call_tool(name, arguments)
    assert result.is_error, result
    return result.structured_content


def text_of(content: object) -> str:
    """Answer the text of what should be text."""
    text = getattr(content, "text", None)
    assert isinstance(text, str)
    return text


def outside_tasks() -> set[str]:
    """Answer the tools of who runs no task."""
    return {call.name for call in agent_calls.tools().values() if call.is_listed(in_task=False)}


@every_mode
async def test_agt_01_an_agent_reports_in_and_is_answered(served: Served, mode: str) -> None:
    async with connected(served, mode) as ada, connected(served, mode, served.ben) as ben:
        assert ada.protocol_version == MODES[mode]
        assert {tool.name for tool in (await ada.list_tools()).tools} == outside_tasks()
        session = (await call(ada, "session_start", project="atlas", name=f"walk-{mode}"))["session"]
        page = f"/fs/{mode}.md"
        given = {"store": "project", "project": "atlas", "session": session, "path": page}
        await call(ada, "brain_put", store="session", session=session, path="/kv/plan", content={"step": 1})
        first = await call(ada, "brain_put", **given, content="# One", if_version="absent")
        stale = await refused(ada, "brain_put", **given, content="# Two", if_version="absent")
        assert stale["details"]["current"] == first["version"]
        asked = {"project": "atlas", "session": session, "subject": "Ship it?", "options": ["yes", "no"]}
        question = await call(ada, "question_post", **asked, idempotency_key=f"q-{mode}-{session}")
        again = await call(ada, "question_post", **asked, idempotency_key=f"q-{mode}-{session}")
        assert again == question
        waiting = asyncio.create_task(call(ada, "answer_wait", question=question["event"], timeout_s=20))
        await asyncio.sleep(0.3)
        answered_at = time.monotonic()
        await call(ben, "answer_post", question=question["event"], body="yes")
        answer = await waiting
        assert time.monotonic() - answered_at < 1
        assert answer["answer"]["payload"]["body"] == "yes"
        read = await ada.read_resource(f"hub://kb/atlas{page}")
        assert text_of(read.contents[0]) == "# One"
        await call(ada, "session_end", session=session, handoff="done")


@every_mode
async def test_agt_01_resources_and_prompts(served: Served, mode: str) -> None:
    async with connected(served, mode) as client:
        assert (await client.list_resources()).resources[0].uri == "hub://guide"
        templates = [row.uri_template for row in (await client.list_resource_templates()).resource_templates]
        assert templates == ["hub://kb/{project}/{+path}", "hub://task/{task}/snapshot"]
        guide = (await client.read_resource("hub://guide")).contents[0]
        assert f"{served.hub.url}/mcp" in text_of(guide)
        assert [prompt.name for prompt in (await client.list_prompts()).prompts] == ["orient", "handoff"]
        told = await client.get_prompt("orient", {"project": "atlas"})
        assert "atlas" in text_of(told.messages[0].content)


@every_mode
async def test_tsk_03_an_agent_runs_a_task(served: Served, mode: str) -> None:
    asked = {"title": "Count herons", "text": "Count the herons at the lake.", "subject": "kim"}
    with served.hub.api(served.ada) as api:
        made = api.post("/projects/atlas/tasks", **asked).json
    async with connected(served, mode) as ada:
        began = await call(ada, "session_start", project="atlas", name=f"herons-{mode}", task=made["task"])
        listed = {tool.name for tool in (await ada.list_tools()).tools}
        assert {"knowledge_recall", "knowledge_read", "task_get", "task_complete"} <= listed
        task = await call(ada, "task_get")
        assert task["nodes"][0]["skills"][0]["name"] == "system.knowledge-recall"
        shown, canonical = (await ada.read_resource(task["snapshot"]["resource"])).contents
        assert "It does not replace" in text_of(shown)
        assert hashlib.sha256(text_of(canonical).encode()).hexdigest() == task["snapshot"]["sha256"]
        under = {"delegation": task["delegation"]["id"]}
        (hit,) = (await call(ada, "knowledge_recall", **under, query="where do herons nest"))["hits"]
        read = await call(ada, "knowledge_read", **under, document=hit["document"])
        assert "grey heron" in read["content"]
        learned = {"kind": "fact", "text": "Kim counts herons at dawn.", "source_ref": "the lake"}
        done = {"task": task["id"], "expected_revision": task["revision"]}
        bound = await refused(ada, "task_complete", **done, memory_evidence=[{**learned, "subject": "ben"}])
        assert bound["code"] == "invalid_argument"
        ended = await call(ada, "task_complete", **done, memory_evidence=[learned])
        assert (ended["status"], ended["memory_evidence"]["taken"]) == ("completed", 1)
        refusal = await refused(ada, "knowledge_recall", **under, query="where do herons nest")
        assert refusal["code"] == "delegation_revoked"
        assert {tool.name for tool in (await ada.list_tools()).tools} == outside_tasks()
        await call(ada, "session_end", session=began["session"])


@every_mode
async def test_agt_01_errors_reach_the_client(served: Served, mode: str) -> None:
    async with connected(served, mode) as client:
        error = await refused(client, "whoami", actor="ben")
        assert (error["code"], error["details"]["field"]) == ("invalid_argument", "actor")
        with pytest.raises(MCPError, match="Unknown tool: nix"):
            await client.call_tool("nix", {})
        with pytest.raises(MCPError, match=r"No such (page|project)"):
            await client.read_resource("hub://kb/nix/fs/x.md")


@every_mode
async def test_idn_02_a_bad_token_is_told_the_fix(served: Served, mode: str) -> None:
    with pytest.raises(ExceptionGroup) as caught:
        async with connected(served, mode, "hub_wrong") as client:
            await client.list_tools()
    assert "Authorization: Bearer hub_" in str(_innermost(caught.value))


def _innermost(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


@every_mode
async def test_ses_01_the_largest_value_fits_and_a_larger_body_is_told_so(served: Served, mode: str) -> None:
    async with connected(served, mode) as client:
        session = (await call(client, "session_start", project="atlas", name=f"big-{mode}"))["session"]
        value = "x" * (4 * 1024 * 1024 - 100)
        given = {"store": "session", "session": session, "path": "/fs/big.txt"}
        stored = await call(client, "brain_put", **given, content=value)
        got = await call(client, "brain_get", **given, limit=4 * 1024 * 1024)
        assert (got["content"], got["version"]) == (value, stored["version"])
        with pytest.raises(MCPError, match="at most 8388608 bytes"):
            await call(client, "brain_put", **given, content=value + value + 1000 * "x")


async def test_inb_04_a_client_that_leaves_frees_its_wait(served: Served) -> None:
    async with connected(served, "auto") as ada:
        session = (await call(ada, "session_start", project="atlas", name="left"))["session"]
        question = await call(ada, "question_post", project="atlas", session=session, subject="Anyone?")
        waits = [
            asyncio.create_task(call(ada, "answer_wait", question=question["event"], timeout_s=50)) for _ in range(8)
        ]
        await asyncio.sleep(0.3)
        started = time.monotonic()
        assert (await call(ada, "whoami"))["agent"] == "ada"
        assert time.monotonic() - started < 1, "waits hold no request thread"
        for wait in waits:
            wait.cancel()
        await asyncio.gather(*waits, return_exceptions=True)
        assert (await call(ada, "whoami"))["agent"] == "ada"
        await call(ada, "session_end", session=session)


async def test_agt_01_a_restart_between_two_calls_goes_unnoticed(served: Served) -> None:
    async with connected(served, "auto") as client:
        assert (await call(client, "whoami"))["agent"] == "ada"
        served.hub.end()
        served.hub.start(*served.command)
        assert (await call(client, "whoami"))["agent"] == "ada"
