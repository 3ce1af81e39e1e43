"""SES-01..04, SES-06, SES-07: sessions and their brains, by their owner and by readers."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from projects.models import Event, Project
from sessions_app.brain import brain_path
from sessions_app.models import Session
from tests.inprocess import FACES, HttpTools, HumanApi, Tools, nothing_stored
from tests.world import AgentWithToken, make_agent, make_project


@pytest.fixture(params=FACES)
def tools(request: pytest.FixtureRequest, ada: AgentWithToken, project: Project) -> Tools:
    return FACES[request.param](ada.token)


@pytest.fixture
def session(tools: Tools) -> str:
    return str(tools("session_start", project="atlas", name="one")["session"])


def put(tools: Tools, session: str, path: str, content: object, **more: object) -> dict[str, Any]:
    return tools("brain_put", session=session, store="session", path=path, content=content, **more).done()


def files_of(session: str) -> list[str]:
    directory = brain_path("atlas", session).parent
    return sorted(path.name for path in directory.glob(f"{session}*"))


def test_ses_01_a_brain_holds_files_and_json_keys(tools: Tools, session: str) -> None:
    put(tools, session, "/fs/notes/plan.md", "# Plan")
    values: list[Any] = [{"a": [1, None, True]}, None, 0, "", [], "é", 1.5]
    for value in values:
        put(tools, session, "/kv/state", value)
        entry = tools("brain_get", session=session, path="/kv/state")
        assert (entry["content"], entry["type"]) == (value, "key")
    assert tools("brain_get", session=session, path="/fs/notes/plan.md")["content"] == "# Plan"
    rows = tools("brain_list", session=session)["entries"]
    assert [(row["path"], row["type"]) for row in rows] == [("/fs", "dir"), ("/kv", "dir")]
    rows = tools("brain_list", session=session, path="/fs")["entries"]
    assert [(row["path"], row["type"]) for row in rows] == [("/fs/notes", "dir")]


def test_ses_01_appending_and_deleting(tools: Tools, session: str) -> None:
    for part in ("one\n", "two\n"):
        put(tools, session, "/fs/log.md", part, append=True)
    assert tools("brain_get", session=session, path="/fs/log.md")["content"] == "one\ntwo\n"
    gone = tools("brain_delete", session=session, store="session", path="/fs//log.md/").done()
    assert gone == {"path": "/fs/log.md", "version": "absent"}
    assert tools("brain_get", session=session, path="/fs/log.md").code == "not_found"
    with nothing_stored():
        assert tools("brain_delete", session=session, store="session", path="/fs/log.md").code == "not_found"


def test_ses_01_one_file_per_session(tools: Tools, session: str, data_dir: Path) -> None:
    other = tools("session_start", project="atlas", name="two")["session"]
    for at in (session, other):
        put(tools, at, "/fs/a.md", at)
    found = sorted(path.name for path in (data_dir / "sessions" / "atlas").glob("*.db"))
    assert found == sorted(f"{at}.db" for at in (session, other))
    assert tools("brain_get", session=other, path="/fs/a.md")["content"] == other


@pytest.mark.parametrize("encoding", ["text", "base64"])
def test_ses_01_content_comes_in_parts_without_loss(tools: Tools, session: str, encoding: str) -> None:
    text = "aé€😀" * 3
    put(tools, session, "/fs/a.md", text)
    for limit in (1, 2, 3, 4, 7, 50):
        parts = b""
        offset: int | None = 0
        while offset is not None:
            part = tools("brain_get", session=session, path="/fs/a.md", offset=offset, limit=limit, encoding=encoding)
            if part["encoding"] == "base64":
                parts += __import__("base64").b64decode(part["content"])
            else:
                parts += part["content"].encode()
            assert part["next_offset"] is None or part["next_offset"] > offset
            offset = part["next_offset"]
        assert parts.decode() == text


def test_ses_01_a_level_is_paged_by_name(tools: Tools, session: str) -> None:
    for key in ("a", "a/b", "b", "c/d", "c/e", "d"):
        put(tools, session, f"/kv/{key}", key)
    wanted = [("a", "key"), ("a", "dir"), ("b", "key"), ("c", "dir"), ("d", "key")]
    for limit in (1, 2, 3, 4):
        seen: list[tuple[str, str]] = []
        cursor: dict[str, str] = {}
        while True:
            page = tools("brain_list", session=session, path="/kv", limit=limit, **cursor).done()
            seen += [(row["name"], row["type"]) for row in page["entries"]]
            assert page["truncated"] is (page["next_cursor"] is not None)
            if page["next_cursor"] is None:
                break
            cursor = {"cursor": page["next_cursor"]}
        assert seen == wanted, limit


def test_ses_02_only_the_owner_writes(tools: Tools, session: str, ben: AgentWithToken) -> None:
    put(tools, session, "/fs/a.md", "mine")
    other = HttpTools(ben.token)
    other("session_start", project="atlas", name="his").done()
    with nothing_stored():
        for call, arguments in {
            "brain_put": {"store": "session", "path": "/fs/a.md", "content": "x"},
            "brain_delete": {"store": "session", "path": "/fs/a.md"},
            "session_end": {"handoff": "x"},
            "signal_append": {"project": "atlas", "summary": "x"},
            "question_post": {"project": "atlas", "subject": "x"},
        }.items():
            assert other(call, session=session, **arguments).code == "forbidden", call
    assert tools("brain_get", session=session, path="/fs/a.md")["content"] == "mine"


def test_ses_02_whoever_reads_the_project_reads_the_brain(
    tools: Tools, session: str, ben: AgentWithToken, stranger: AgentWithToken, human_client: Client
) -> None:
    put(tools, session, "/fs/a.md", "mine")
    reader = make_agent("reader", trusted=False, atlas="read")
    for agent in (ben, reader):
        other = HttpTools(agent.token)
        assert other("brain_get", session=session, path="/fs/a.md")["content"] == "mine"
        assert other("brain_list", session=session, path="/fs")["entries"][0]["name"] == "a.md"
    assert HttpTools(stranger.token)("brain_get", session=session, path="/fs/a.md").code == "not_found"
    api = HumanApi(human_client)
    assert api.get(f"/sessions/{session}/brain/entry", path="/fs/a.md")["content"] == "mine"
    assert api.get(f"/sessions/{session}/brain", path="/fs")["entries"][0]["path"] == "/fs/a.md"


def test_ses_02_an_owner_who_lost_the_project_writes_no_more(ada: AgentWithToken, db: None) -> None:
    make_project("closed")
    mine = HttpTools(ada.token)
    session = mine("session_start", project="closed", name="one")["session"]
    Project.objects.filter(pk="closed").update(restricted=True)
    with nothing_stored():
        assert mine("brain_put", session=session, store="session", path="/fs/a", content="x").code == "not_found"


def test_ses_02_the_one_live_session_is_meant_when_none_is_named(tools: Tools, session: str) -> None:
    tools("brain_put", project="atlas", store="session", path="/fs/a.md", content="x").done()
    assert tools("brain_get", session=session, path="/fs/a.md")["content"] == "x"
    assert tools("brain_get", path="/fs/a.md")["content"] == "x"
    posted = tools("signal_append", project="atlas", summary="x")["event"]
    assert Event.objects.get(pk=posted).session == session


def test_ses_02_none_and_several_are_refused_by_name(tools: Tools, ben: AgentWithToken) -> None:
    HttpTools(ben.token)("session_start", project="atlas", name="his").done()
    calls: dict[str, dict[str, Any]] = {
        "signal_append": {"project": "atlas", "summary": "x"},
        "question_post": {"project": "atlas", "subject": "x"},
        "brain_put": {"project": "atlas", "store": "session", "path": "/fs/a", "content": "x"},
        "brain_get": {"project": "atlas", "path": "/fs/a"},
        "brain_list": {},
    }
    with nothing_stored():
        for call, arguments in calls.items():
            assert tools(call, **arguments).code == "no_active_session", call
    live = [tools("session_start", project="atlas", name=name)["session"] for name in ("one", "two")]
    with nothing_stored():
        for call, arguments in calls.items():
            refusal = tools(call, **arguments)
            assert refusal.code == "ambiguous_session", call
            assert sorted(row["id"] for row in refusal.details["sessions"]) == sorted(live)
    tools("signal_append", project="atlas", summary="x", session=live[0]).done()
    tools("session_end", session=live[1]).done()
    tools("signal_append", project="atlas", summary="x").done()


def test_ses_02_a_session_of_another_project_is_not_meant(tools: Tools, session: str) -> None:
    make_project("other")
    with nothing_stored():
        assert tools("signal_append", project="other", summary="x", session=session).code == "not_found"
        assert tools("signal_append", project="other", summary="x").code == "no_active_session"


def test_ses_03_start_resume_end(tools: Tools, ben: AgentWithToken) -> None:
    first = tools("session_start", project="atlas", name="one").done()
    assert (first["status"], first["resumed"], first["handoff"]) == ("live", False, None)
    put(tools, first["session"], "/fs/a.md", "kept")
    again = tools("session_start", project="atlas", name="one").done()
    assert (again["session"], again["resumed"]) == (first["session"], True)
    ended = tools("session_end", session=first["session"], handoff="go on here").done()
    assert (ended["status"], ended["handoff"]) == ("ended", "go on here")
    resumed = tools("session_start", project="atlas", name="one").done()
    assert (resumed["session"], resumed["resumed"], resumed["handoff"]) == (first["session"], True, "go on here")
    assert tools("brain_get", session=first["session"], path="/fs/a.md")["content"] == "kept"
    assert Session.objects.get(pk=first["session"]).ended_at is None
    # A name is its owner's: Ben's is another.
    other = HttpTools(ben.token)("session_start", project="atlas", name="one").done()
    assert (other["session"] != first["session"], other["resumed"]) == (True, False)
    actions = [event.payload["action"] for event in Event.objects.filter(kind="session", actor="ada").order_by("pk")]
    assert actions == ["start", "end", "resume"]


def test_ses_03_once_ended_nothing_is_written(tools: Tools, session: str) -> None:
    put(tools, session, "/fs/a.md", "x")
    tools("session_end", session=session).done()
    with nothing_stored():
        for call, arguments in {
            "brain_put": {"store": "session", "path": "/fs/a.md", "content": "y"},
            "brain_delete": {"store": "session", "path": "/fs/a.md"},
            "session_end": {},
            "signal_append": {"project": "atlas", "summary": "x"},
        }.items():
            assert tools(call, session=session, **arguments).code == "conflict", call
    assert tools("brain_get", session=session, path="/fs/a.md")["content"] == "x"


@pytest.mark.parametrize("name", ["", "Loud", "a b", "../x", "x" * 64, "é", "-x", "x\n"])
def test_ses_03_a_name_that_is_none_is_refused(tools: Tools, name: str) -> None:
    with nothing_stored():
        assert tools("session_start", project="atlas", name=name).details["field"] == "name"


def test_ses_04_reads_create_nothing(tools: Tools, session: str, ben: AgentWithToken, human_client: Client) -> None:
    reader, api = HttpTools(ben.token), HumanApi(human_client)
    with nothing_stored():
        for path in ("/", "/fs", "/kv"):
            assert tools("brain_list", session=session, path=path)["entries"] == []
            assert api.get(f"/sessions/{session}/brain", path=path)["entries"] == []
        for path in ("/fs/a", "/kv/a", "/fs/a/b"):
            assert reader("brain_get", session=session, path=path).code == "not_found"
            assert reader("brain_list", session=session, path=path).code == "not_found"
        assert api.get(f"/sessions/{session}/brain/entry", path="/fs/a").code == "not_found"
        assert tools("session_list")["sessions"][0]["brain_bytes"] == 0
        refused = {"session": session, "store": "session", "path": "/fs/a"}
        assert tools("brain_put", content="x", if_version="sha256:" + "0" * 64, **refused).code == "version_mismatch"
        assert tools("brain_delete", **refused).code == "not_found"


def test_ses_04_a_session_that_wrote_nothing_leaves_no_file(tools: Tools, session: str) -> None:
    tools("signal_append", project="atlas", summary="x").done()
    tools("session_end", session=session, handoff="nothing done").done()
    assert files_of(session) == []


def test_ses_06_the_handoff_lives_on_the_row_and_in_the_event(tools: Tools, session: str, human_client: Client) -> None:
    put(tools, session, "/fs/a.md", "x")
    tools("session_end", session=session, handoff="Mind the gap.").done()
    assert Session.objects.get(pk=session).handoff == "Mind the gap."
    event = Event.objects.filter(session=session, kind="session").order_by("pk").last()
    assert event is not None
    assert (event.payload["action"], event.payload["handoff"]) == ("end", "Mind the gap.")
    assert tools("session_list")["sessions"][0]["handoff"] == "Mind the gap."
    assert HumanApi(human_client).get(f"/sessions/{session}")["handoff"] == "Mind the gap."
    assert b"Mind the gap" not in brain_path("atlas", session).read_bytes()
    assert tools("session_start", project="atlas", name="one")["recovery_path"] == "/fs/handoff.md"


def test_ses_06_a_handoff_has_a_limit(tools: Tools, session: str) -> None:
    with nothing_stored():
        refusal = tools("session_end", session=session, handoff="x" * 4097)
    assert (refusal.details["field"], refusal.details["limit"]) == ("handoff", 4096)
    tools("session_end", session=session, handoff="x" * 4096).done()


def test_ses_07_ending_folds_the_log_into_the_file(tools: Tools, session: str) -> None:
    for number in range(30):
        put(tools, session, f"/fs/{number}.md", f"mark{number}." + "x" * 900)
    assert f"{session}.db-wal" in files_of(session)
    tools("session_end", session=session).done()
    assert files_of(session) == [f"{session}.db"]
    stored = brain_path("atlas", session).read_bytes()
    assert all(f"mark{number}.".encode() in stored for number in range(30))


def test_ses_02_the_list_shows_what_the_caller_may_read(
    tools: Tools, session: str, ben: AgentWithToken, stranger: AgentWithToken
) -> None:
    his = HttpTools(ben.token)("session_start", project="atlas", name="his")["session"]
    HttpTools(ben.token)("session_end", session=his).done()

    def ids(**asked: object) -> list[str]:
        return [row["id"] for row in tools("session_list", **asked)["sessions"]]

    assert sorted(ids()) == sorted([session, his])
    assert ids(status="live") == ids(agent="ada") == [session]
    assert ids(status="ended", project="atlas") == [his]
    assert ids(agent="nobody") == []
    first = tools("session_list", limit=1).done()
    assert len(first["sessions"]) == 1
    assert ids(cursor=first["next_cursor"]) == [row for row in ids() if row != first["sessions"][0]["id"]]
    assert HttpTools(stranger.token)("session_list")["sessions"] == []
    with nothing_stored():
        assert tools("session_list", status="pruned").details["field"] == "status"


def test_ses_04_a_pruned_session_is_unreadable(tools: Tools, session: str, human_client: Client) -> None:
    put(tools, session, "/fs/a.md", "x")
    tools("session_end", session=session).done()
    api = HumanApi(human_client)
    api.post(f"/sessions/{session}/prune").done()
    with nothing_stored():
        assert tools("brain_get", session=session, path="/fs/a.md").code == "not_found"
        assert api.get(f"/sessions/{session}/brain/entry", path="/fs/a.md").code == "not_found"
        assert tools("session_list")["sessions"] == []
        assert tools("session_start", project="atlas", name="one").code == "conflict"
