"""The public guide (AGT-01)."""

import json
import re
import tomllib

import pytest
from django.test import Client

from core.version import VERSION
from hubsite import agent_calls


def test_agt_01_anyone_reads_the_guide_with_this_hubs_address(client: Client) -> None:
    response = client.get("/SKILL.md", headers={"Host": "localhost:9000"})
    text = response.content.decode()
    assert (response.status_code, response.headers["Content-Type"]) == (200, "text/markdown; charset=utf-8")
    assert text.startswith("---\nname: muster\n")
    assert (
        'claude mcp add --transport http --scope project --header "Authorization: Bearer $HUB_TOKEN" '
        "hub http://localhost:9000/mcp"
    ) in text
    assert "{{" not in text
    assert "&quot;" not in text


def test_agt_01_behind_a_proxy_it_shows_the_set_address(client: Client, settings: pytest.FixtureRequest) -> None:
    settings.HUB_URL = "https://hub.example"  # type: ignore[attr-defined]
    text = client.get("/SKILL.md").content.decode()
    assert '"url":"https://hub.example/mcp"' in text
    assert "localhost" not in text


def test_agt_01_the_configurations_it_shows_parse(client: Client) -> None:
    text = client.get("/SKILL.md").content.decode()
    blocks = re.findall(r"```(json|toml)\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 5
    for kind, block in blocks:
        parsed = json.loads(block) if kind == "json" else tomllib.loads(block)
        assert "/mcp" in str(parsed)


def test_agt_01_it_lists_every_call_and_no_other(client: Client) -> None:
    text = client.get("/SKILL.md").content.decode()
    tools = text.partition("## Tools")[2].partition("## Errors")[0]
    assert re.findall(r"^- `(\w+)\(", tools, re.MULTILINE) == list(agent_calls.calls())
    assert "`feed_read(project, since?, before?" in tools


def test_agt_01_the_version_is_the_packages() -> None:
    with open("pyproject.toml", "rb") as file:  # noqa: PTH123 - the test runs at the root
        assert tomllib.load(file)["project"]["version"] == VERSION
