"""Resources and prompts: the guide, knowledge pages, orient and handoff (AGT-01, KNB-04, IDN-03)."""

import base64

import pytest

from hubsite.mcp import resources
from hubsite.mcp_server import McpEndpoint
from knowledge.operations import put_page
from projects.models import Project
from tests import world
from tests.agent.conftest import Mcp

pytestmark = pytest.mark.usefixtures("project")


def write(agent: world.AgentWithToken, path: str, content: bytes, project: str = "atlas") -> None:
    put_page(agent.actor, project, path=path, content=content)


def test_agt_01_the_guide_is_a_resource(mcp: Mcp) -> None:
    [guide] = mcp.ask("resources/list").result["resources"]
    [content] = mcp.ask("resources/read", {"uri": guide["uri"]}).result["contents"]
    assert content["mimeType"] == "text/markdown"
    assert "http://127.0.0.1:8000/mcp" in content["text"]


def test_knb_04_a_page_is_a_resource_for_who_may_read_the_project(mcp: Mcp, ada: world.AgentWithToken) -> None:
    write(ada, "/fs/notes/über uns.md", b"# Hello")
    write(ada, "/fs/logo.bin", b"\xff\x00")
    listed = mcp.ask("resources/list").result["resources"]
    uris = {row["name"]: row["uri"] for row in listed[1:]}
    assert uris["/fs/logo.bin"] == "hub://kb/atlas/fs/logo.bin"
    assert uris["/fs/notes/über uns.md"] == "hub://kb/atlas/fs/notes/%C3%BCber%20uns.md"
    for uri in (uris["/fs/notes/über uns.md"], "hub://kb/atlas/fs/notes/über uns.md"):
        [text] = mcp.ask("resources/read", {"uri": uri}).result["contents"]
        assert (text["text"], text["mimeType"], text["uri"]) == ("# Hello", "text/markdown", uri)
    [blob] = mcp.ask("resources/read", {"uri": uris["/fs/logo.bin"]}).result["contents"]
    assert base64.b64decode(blob["blob"]) == b"\xff\x00"


def test_idn_03_a_hidden_page_answers_like_none(
    endpoint: McpEndpoint, ada: world.AgentWithToken, stranger: world.AgentWithToken
) -> None:
    write(ada, "/fs/secret.md", b"x")
    theirs = Mcp(endpoint, stranger.token)
    assert [row["name"] for row in theirs.ask("resources/list").result["resources"]] == ["guide"]
    hidden = theirs.ask("resources/read", {"uri": "hub://kb/atlas/fs/secret.md"})
    missing = theirs.ask("resources/read", {"uri": "hub://kb/nix/fs/secret.md"})
    assert hidden.error == missing.error
    assert hidden.error["code"] == -32002


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "hub://",
        "hub://kb/",
        "hub://kb/atlas",
        "hub://kb/atlas/",
        "hub://kb/atlas/fs/nix.md",
        "hub://kb/atlas/fs/../../x",
        "hub://kb/atlas/fs/%00",
        "hub://kb/atlas/%2e%2e/hub.sqlite3",
        "file:///etc/passwd",
        "hub://kb/at\x00las/fs/x",
        "hub://kb/" + "a" * 5000 + "/fs/x",
    ],
)
def test_agt_01_a_resource_that_is_not_there_is_an_error(mcp: Mcp, uri: str) -> None:
    answer = mcp.ask("resources/read", {"uri": uri})
    assert answer.status == 200
    assert answer.error["code"] in {-32002, -32602}
    assert answer.error["data"]["code"] in {"not_found", "invalid_argument"}


def test_agt_01_many_pages_come_in_parts_without_loss(
    mcp: Mcp, ada: world.AgentWithToken, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.make_project("borea")
    wanted = []
    for project in ("atlas", "borea", ada.space):
        for number in range(3):
            path = ("/fs/a.md", "/fs/a/b.md", "/fs/a0.md")[number]
            write(ada, path, b"x", project)
            wanted.append(f"hub://kb/{project}{path}")
    monkeypatch.setattr(resources, "PAGES_LISTED", 2)
    seen, cursor = [], None
    for _ in range(10):
        result = mcp.ask("resources/list", {"cursor": cursor} if cursor else {}).result
        assert len(result["resources"]) <= 2
        seen += [row["uri"] for row in result["resources"]]
        cursor = result.get("nextCursor")
        if cursor is None:
            break
    assert seen == ["hub://guide", *wanted]


def test_agt_01_a_list_of_long_names_stays_small(mcp: Mcp, ada: world.AgentWithToken) -> None:
    for number in range(30):
        write(ada, f"/fs/{number}{'ü' * 100}/{'ö' * 100}.md", b"x")
    answer = mcp.ask("resources/list")
    assert len(answer.body) < 20_000
    rest = mcp.ask("resources/list", {"cursor": answer.result["nextCursor"]})
    assert len(answer.result["resources"]) + len(rest.result["resources"]) <= 31


@pytest.mark.parametrize("cursor", ["x", "hub://kb", "\0"])
def test_agt_01_a_bad_cursor_is_refused(mcp: Mcp, cursor: str) -> None:
    assert mcp.ask("resources/list", {"cursor": cursor}).error["data"]["code"] == "invalid_argument"


def test_agt_01_prompts_name_their_project_and_what_to_do(mcp: Mcp) -> None:
    names = [prompt["name"] for prompt in mcp.ask("prompts/list").result["prompts"]]
    assert names == ["orient", "handoff"]
    for name, expected in (("orient", "what is still open"), ("handoff", "/fs/handoff.md")):
        [message] = mcp.ask("prompts/get", {"name": name, "arguments": {"project": "atlas"}}).result["messages"]
        assert message["role"] == "user"
        assert "'atlas'" in message["content"]["text"]
        assert expected in message["content"]["text"]


@pytest.mark.parametrize(
    "arguments", [None, {}, {"project": 5}, {"project": "atlas", "x": "y"}, [], {"project": "nix"}]
)
def test_agt_01_a_prompt_refuses_wrong_arguments(mcp: Mcp, arguments: object) -> None:
    assert mcp.ask("prompts/get", {"name": "orient", "arguments": arguments}).error["code"] == -32602


def test_idn_03_a_prompt_about_a_hidden_project_answers_like_none(
    endpoint: McpEndpoint, stranger: world.AgentWithToken, project: Project
) -> None:
    theirs = Mcp(endpoint, stranger.token)
    answers = [
        theirs.ask("prompts/get", {"name": "handoff", "arguments": {"project": slug}}).error
        for slug in (project.slug, "nix")
    ]
    assert answers[0] == answers[1]
