"""An agent with a live session in atlas, and what it publishes."""

import base64
from collections.abc import Callable

import pytest

from projects.models import Project
from tests.inprocess import HttpTools, Tools
from tests.world import AgentWithToken

type Publish = Callable[..., str]


@pytest.fixture
def tools(ada: AgentWithToken, project: Project) -> Tools:
    """Ada's calls, with a live session in atlas."""
    tools = HttpTools(ada.token)
    tools("session_start", project="atlas", name="main").done()
    return tools


@pytest.fixture
def publish(tools: Tools) -> Publish:
    """Let Ada publish; answers the artifact."""

    def publish(kind: str, content: str | bytes, title: str = "Report", **more: object) -> str:
        if isinstance(content, bytes):
            content, more["encoding"] = base64.b64encode(content).decode(), "base64"
        asked = {"project": "atlas", "title": title, "kind": kind, "content": content, **more}
        return str(tools("artifact_publish", **asked)["artifact"])

    return publish
