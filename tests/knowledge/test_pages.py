"""KNB-01..06: pages of a project, shared by all who may write it."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

import agentfs
from agentfs import version_of
from core import limits
from projects.models import Event, Project
from tests.inprocess import FACES, HttpTools, HumanApi, Tools, nothing_stored
from tests.world import AgentWithToken, make_agent, make_project

EMPTY = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
PAGE = {"project": "atlas", "store": "project", "path": "/fs/a.md"}


@pytest.fixture(params=FACES)
def tools(request: pytest.FixtureRequest, ada: AgentWithToken, project: Project) -> Tools:
    return FACES[request.param](ada.token)


@pytest.fixture
def api(human_client: Client) -> HumanApi:
    return HumanApi(human_client)


def put(tools: Tools, content: str, **more: object) -> dict[str, Any]:
    return tools("brain_put", **{**PAGE, "content": content, **more}).done()


def history(tools: Tools, **asked: object) -> list[dict[str, Any]]:
    return list(tools("page_history", project="atlas", limit=500, **asked)["rows"])


def test_knb_01_one_file_per_project_beside_the_sessions(tools: Tools, data_dir: Path) -> None:
    make_project("other")
    put(tools, "x")
    put(tools, "y", project="other")
    assert sorted(path.name for path in (data_dir / "kb").glob("*.db")) == ["atlas.db", "other.db"]
    assert tools("brain_get", **PAGE)["content"] == "x"
    assert not (data_dir / "sessions").exists()


def test_knb_01_a_knowledge_base_has_no_keys(tools: Tools, api: HumanApi) -> None:
    put(tools, "x")
    with nothing_stored():
        for path in ("/kv/a", "/kv", "/fs/../kv/a", "/kv/../kv/a"):
            for call, more in {"brain_put": {"content": "1"}, "brain_delete": {}, "brain_get": {}}.items():
                assert tools(call, **{**PAGE, "path": path}, **more).details["field"] == "path", (call, path)
            assert tools("brain_list", project="atlas", store="project", path=path).details["field"] == "path"
            assert tools("page_history", project="atlas", path=path).details["field"] == "path"
            assert api.put("/projects/atlas/page", path=path, content="1").details["field"] == "path"
            assert api.get("/projects/atlas/page", path=path).details["field"] == "path"


@pytest.mark.parametrize(("call", "more"), [("brain_put", {"content": "x"}), ("brain_delete", {})])
def test_knb_02_a_write_names_its_store(tools: Tools, call: str, more: dict[str, str]) -> None:
    tools("session_start", project="atlas", name="one").done()
    with nothing_stored():
        refusal = tools(call, project="atlas", path="/fs/a.md", **more)
        assert (refusal.code, refusal.details["field"]) == ("invalid_argument", "store")
        for store in ("", "both", "Project", None):
            assert tools(call, project="atlas", path="/fs/a.md", store=store or "null", **more).refused


def test_knb_02_a_read_means_the_session_unless_told(tools: Tools) -> None:
    tools("session_start", project="atlas", name="one").done()
    put(tools, "shared")
    put(tools, "mine", store="session")
    assert tools("brain_get", project="atlas", path="/fs/a.md")["content"] == "mine"
    assert tools("brain_get", **PAGE)["content"] == "shared"
    put(tools, "shared", path="/fs/b.md")
    names = [row["name"] for row in tools("brain_list", project="atlas", path="/fs")["entries"]]
    assert names == ["a.md"]
    names = [row["name"] for row in tools("brain_list", project="atlas", store="project")["entries"]]
    assert names == ["a.md", "b.md"]


def test_knb_02_pages_need_no_session(tools: Tools) -> None:
    put(tools, "x")
    assert history(tools)[0]["session"] is None
    session = tools("session_start", project="atlas", name="one")["session"]
    put(tools, "y")
    assert history(tools)[0]["session"] == session
    assert tools("brain_get", store="project", path="/fs/a.md")["content"] == "y"  # the session names the project
    put(tools, "z", project=None) if isinstance(tools, FACES["mcp"]) else put(tools, "z", session=session)
    assert tools("brain_get", **PAGE)["content"] == "z"


def test_knb_03_the_version_is_the_hash_of_what_a_read_returns(tools: Tools) -> None:
    assert put(tools, "")["version"] == EMPTY
    for content in ("x", "é\n", "a" * 100_000):
        written = put(tools, content)["version"]
        entry = tools("brain_get", **PAGE, limit=4_000_000)
        assert entry["version"] == written == version_of(content.encode())
        assert entry["content"] == content


def test_knb_03_if_version_applies_only_while_it_holds(tools: Tools) -> None:
    first = put(tools, "one", if_version="absent")["version"]
    second = put(tools, "two", if_version=first)["version"]
    rows = len(history(tools))
    with nothing_stored():
        for call, more in {"brain_put": {"content": "three"}, "brain_delete": {}}.items():
            for stale in (first, "absent"):
                refusal = tools(call, **PAGE, **more, if_version=stale)
                assert (refusal.code, refusal.details["current"]) == ("version_mismatch", second)
        refusal = tools("brain_put", **PAGE, content="+", append=True, if_version=first)
        assert refusal.details["current"] == second
    assert len(history(tools)) == rows
    assert tools("brain_get", **PAGE)["content"] == "two"
    put(tools, "+", append=True, if_version=second)
    assert tools("brain_get", **PAGE)["content"] == "two+"


def test_knb_03_without_it_the_last_writer_wins(tools: Tools, ben: AgentWithToken) -> None:
    put(tools, "one")
    HttpTools(ben.token)("brain_put", **PAGE, content="two").done()
    put(tools, "three")
    assert tools("brain_get", **PAGE)["content"] == "three"


def test_knb_03_absent_creates_again_after_a_delete(tools: Tools) -> None:
    version = put(tools, "one")["version"]
    assert tools("brain_delete", **PAGE, if_version=version)["version"] == "absent"
    with nothing_stored():
        refusal = tools("brain_put", **PAGE, content="x", if_version=version)
        assert refusal.details["current"] == "absent"
    assert put(tools, "two", if_version="absent")["created"] is True


@pytest.mark.parametrize("token", ["", "x", "sha256:", "sha256:" + "0" * 63, "sha256:" + "G" * 64, "ABSENT"])
def test_knb_03_a_token_no_read_ever_answered_is_refused(tools: Tools, api: HumanApi, token: str) -> None:
    put(tools, "x")
    with nothing_stored():
        assert tools("brain_put", **PAGE, content="y", if_version=token).details["field"] == "if_version"
        assert tools("brain_delete", **PAGE, if_version=token).details["field"] == "if_version"
        assert (
            api.put("/projects/atlas/page", path="/fs/a.md", content="y", if_version=token).code == "invalid_argument"
        )


def test_knb_03_a_person_and_an_agent_hold_the_same_tokens(tools: Tools, api: HumanApi) -> None:
    version = put(tools, "agent's")["version"]
    shown = api.get("/projects/atlas/page", path="/fs/a.md").done()
    assert (shown["version"], shown["content"]) == (version, "agent's")
    moved = api.put("/projects/atlas/page", path="/fs/a.md", content="person's", if_version=version)["version"]
    with nothing_stored():
        refusal = tools("brain_put", **PAGE, content="x", if_version=version)
    assert (refusal.code, refusal.details["current"]) == ("version_mismatch", moved)
    with nothing_stored():
        assert api.delete("/projects/atlas/page", path="/fs/a.md", if_version=version).details["current"] == moved
    api.delete("/projects/atlas/page", path="/fs/a.md", if_version=moved).done()
    assert tools("brain_get", **PAGE).code == "not_found"


def test_knb_04_read_reads_and_write_writes_nobody_owns(
    tools: Tools, ben: AgentWithToken, stranger: AgentWithToken
) -> None:
    put(tools, "ada's")
    HttpTools(ben.token)("brain_put", **PAGE, content="ben's").done()
    reader = HttpTools(make_agent("reader", trusted=False, atlas="read").token)
    assert reader("brain_get", **PAGE)["content"] == "ben's"
    with nothing_stored():
        assert reader("brain_put", **PAGE, content="x").code == "forbidden"
        assert reader("brain_delete", **PAGE).code == "forbidden"
        assert HttpTools(stranger.token)("brain_get", **PAGE).code == "not_found"
    writer = HttpTools(make_agent("writer", trusted=False, atlas="write").token)
    writer("brain_delete", **PAGE).done()


def test_knb_04_an_ordinary_write_makes_no_feed_event(tools: Tools, api: HumanApi) -> None:
    before = Event.objects.count()
    put(tools, "x")
    put(tools, "y", append=True)
    api.put("/projects/atlas/page", path="/fs/b.md", content="x").done()
    tools("brain_delete", **PAGE).done()
    assert Event.objects.count() == before


def test_knb_05_every_write_is_one_row_and_a_refused_one_is_none(
    tools: Tools, api: HumanApi, ben: AgentWithToken
) -> None:
    first = put(tools, "secret words", path="/fs//x/../a.md/")["version"]
    second = HttpTools(ben.token)("brain_put", **PAGE, content="+", append=True)["version"]
    third = api.put("/projects/atlas/page", path="/fs/a.md", content="person")["version"]
    for stale in (first, "absent"):
        assert tools("brain_put", **PAGE, content="no", if_version=stale).refused
    assert tools("brain_put", **{**PAGE, "path": "/fs/a.md/b"}, content="no").refused
    tools("brain_delete", **PAGE).done()
    rows = history(tools)
    assert [(row["op"], row["path"], row["actor"], row["version"]) for row in rows] == [
        ("delete", "/fs/a.md", "ada", "absent"),
        ("put", "/fs/a.md", "human:kim", third),
        ("append", "/fs/a.md", "ben", second),
        ("put", "/fs/a.md", "ada", first),
    ]
    assert all(row["at"].endswith("Z") for row in rows)
    assert "secret words" not in str(rows)


def test_knb_05_a_row_that_cannot_be_written_takes_its_page_with_it(
    tools: Tools, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tools, "kept")

    def broken(*_: object, **__: object) -> int:
        raise agentfs.failures.storage()

    with monkeypatch.context() as patched:
        patched.setattr("agentfs.log.append", broken)
        with nothing_stored():
            assert tools("brain_put", **PAGE, content="lost").code == "unavailable"
            assert tools("brain_delete", **PAGE).code == "unavailable"
    assert tools("brain_get", **PAGE)["content"] == "kept"
    assert len(history(tools)) == 1


def test_knb_06_history_by_page_actor_and_operation(tools: Tools, ben: AgentWithToken) -> None:
    for path in ("/fs/a.md", "/fs/b.md"):
        put(tools, "x", path=path)
        HttpTools(ben.token)("brain_put", **{**PAGE, "path": path}, content="y").done()
    tools("brain_delete", **PAGE).done()
    assert [row["actor"] for row in history(tools, path="/fs/b.md")] == ["ben", "ada"]
    assert {row["path"] for row in history(tools, actor="ben")} == {"/fs/a.md", "/fs/b.md"}
    assert [row["path"] for row in history(tools, op="delete")] == ["/fs/a.md"]
    assert history(tools, actor="nobody") == []


def test_knb_06_history_is_paged_newest_first(tools: Tools, api: HumanApi) -> None:
    versions = [put(tools, str(number))["version"] for number in range(7)]
    seen: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = tools("page_history", project="atlas", path="/fs/a.md", limit=3, **cursor).done()
        seen += [row["version"] for row in page["rows"]]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert seen == versions[::-1]
    assert [row["version"] for row in api.get("/projects/atlas/history", limit=2)["rows"]] == versions[:-3:-1]


def test_knb_06_last_writer_and_trust(tools: Tools, api: HumanApi) -> None:
    def standing() -> tuple[Any, Any]:
        found = tools("page_history", project="atlas", path="/fs/a.md").done()
        shown = api.get("/projects/atlas/history", path="/fs/a.md").done()
        assert (shown["last_writer"], shown["trust"]) == (found["last_writer"], found["trust"])
        return found["last_writer"], found["trust"]

    assert standing() == (None, None)
    put(tools, "x")
    assert standing() == ("ada", "raw")
    api.put("/projects/atlas/page", path="/fs/a.md", content="y").done()
    assert standing() == ("human:kim", "human-touched")
    shown = api.get("/projects/atlas/page", path="/fs/a.md").done()
    assert (shown["last_writer"], shown["trust"]) == ("human:kim", "human-touched")
    put(tools, "z")
    assert standing() == ("ada", "human-touched")
    tools("brain_delete", **PAGE).done()
    assert standing() == ("ada", None)
    put(tools, "again")
    assert standing() == ("ada", "raw")


def test_knb_04_reading_what_is_not_there_creates_nothing(tools: Tools, api: HumanApi) -> None:
    with nothing_stored():
        assert tools("brain_get", **PAGE).code == "not_found"
        assert tools("brain_list", project="atlas", store="project")["entries"] == []
        assert tools("brain_list", project="atlas", store="project", path="/fs/x").code == "not_found"
        assert history(tools) == []
        assert api.get("/projects/atlas/pages")["entries"] == []
        assert api.get("/projects/atlas/page", path="/fs/a.md").code == "not_found"
        assert tools("brain_delete", **PAGE).code == "not_found"


def test_knb_03_one_spelling_of_a_page(tools: Tools) -> None:
    put(tools, "x", path="/fs/e\u0301.md")
    assert tools("brain_get", **{**PAGE, "path": "/fs/\u00e9.md"})["path"] == "/fs/\u00e9.md"
    put(tools, "y", path="/fs/d/./x/../é.md/", if_version="absent")
    assert tools("brain_get", **{**PAGE, "path": "/fs/d/é.md"})["content"] == "y"


def test_knb_03_a_page_has_a_limit(tools: Tools, api: HumanApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PAGE_BYTES", 10)
    put(tools, "x" * 10)
    with nothing_stored():
        for refusal in (
            tools("brain_put", **PAGE, content="é" * 6),
            tools("brain_put", **PAGE, content="y", append=True),
            api.put("/projects/atlas/page", path="/fs/b.md", content="x" * 11),
        ):
            assert (refusal.code, refusal.details["limit"]) == ("payload_too_large", 10)
