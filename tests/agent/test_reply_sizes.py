"""What nobody asked to be long stays below what agents' clients cut off (AGT-01)."""

from typing import Any

import pytest

from tests.agent.conftest import Mcp

MOST = 20_000


def text_bytes(mcp: Mcp, name: str, /, **arguments: object) -> tuple[int, dict[str, Any]]:
    result = mcp.tool(name, **arguments)
    assert not result["isError"], result
    return len(result["content"][0]["text"].encode()), result["structuredContent"]


def crowd(mcp: Mcp) -> str:
    """Fill a session and its project with more than fits a reply; answers the session."""
    session: str = mcp.tool("session_start", project="atlas", name="one")["structuredContent"]["session"]
    for number in range(30):
        mcp.tool("signal_append", project="atlas", kind="finished", summary="ü" * 500, payload={"text": "x" * 2000})
        mcp.tool("question_post", project="atlas", subject="ö" * 200, body="y" * 3000)
        for store in ("session", "project"):
            path = f"/fs/{number:02}{'n' * 200}.md"
            mcp.tool("brain_put", store=store, session=session, project="atlas", path=path, content="z")
    mcp.tool("brain_put", store="session", session=session, path="/fs/long.md", content='a "quoted" line\n' * 5_000)
    return session


@pytest.mark.usefixtures("project")
def test_agt_01_default_replies_stay_small_and_say_there_is_more(mcp: Mcp) -> None:
    crowded = crowd(mcp)
    for name, arguments in [
        ("feed_read", {"project": "atlas"}),
        ("inbox_read", {}),
        ("brain_list", {"path": "/fs", "session": crowded}),
        ("brain_list", {"path": "/fs", "store": "project", "project": "atlas"}),
        ("brain_get", {"path": "/fs/long.md", "session": crowded}),
        ("page_history", {"project": "atlas"}),
    ]:
        size, answer = text_bytes(mcp, name, **arguments)
        assert size < MOST, name
        assert answer["truncated"] is (name in {"feed_read", "inbox_read", "brain_get"}), name
    for name, arguments in [("whoami", {}), ("project_list", {}), ("session_list", {})]:
        assert text_bytes(mcp, name, **arguments)[0] < MOST
    assert text_bytes(mcp, "session_brief", project="atlas", session=crowded)[0] < MOST
    [message] = mcp.ask("prompts/get", {"name": "orient", "arguments": {"project": "atlas"}}).result["messages"]
    assert len(message["content"]["text"].encode()) < MOST
