"""SES-04, SES-08: a pruned session is unreadable from its mark on; what it produced stays."""

import pytest

from projects.models import Event, Project
from sessions_app.models import Session
from tests.brains import begin, brain_file
from tests.inprocess import FACES, HttpTools, HumanApi, nothing_stored
from tests.world import AgentWithToken, make_project


@pytest.fixture
def ended(project: Project, ada_tools: HttpTools) -> str:
    """Answer an ended session that reported, asked and wrote."""
    session = begin(ada_tools, "main", notes="x")
    for summary in ("first", "second"):
        ada_tools("signal_append", project="atlas", summary=summary, session=session).done()
    ada_tools("question_post", project="atlas", subject="why?", session=session).done()
    ada_tools("session_end", session=session, handoff="note").done()
    return session


@pytest.fixture
def agents(ada: AgentWithToken, ben: AgentWithToken) -> dict[str, AgentWithToken]:
    return {"ada": ada, "ben": ben}


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("reader", ["ada", "ben"])
def test_ses_04_no_agent_reads_it_from_the_mark_on(
    ended: str, agents: dict[str, AgentWithToken], human_api: HumanApi, face: str, reader: str
) -> None:
    tools = FACES[face](agents[reader].token)
    human_api.post(f"/sessions/{ended}/prune").done()
    assert brain_file(ended).exists()  # it can still be undone
    assert tools("session_list").done()["sessions"] == []
    assert tools("session_list", project="atlas", status="ended").done()["sessions"] == []
    assert tools("whoami").done()["sessions"] == []
    with nothing_stored():
        for call, arguments in [
            ("brain_get", {"path": "/fs/notes.md"}),
            ("brain_list", {}),
            ("brain_put", {"path": "/fs/notes.md", "content": "x", "store": "session"}),
            ("brain_delete", {"path": "/fs/notes.md", "store": "session"}),
            ("brain_promote", {"from_path": "/fs/notes.md", "to_path": "/fs/notes.md"}),
            ("session_brief", {"project": "atlas"}),
            ("session_end", {}),
            ("signal_append", {"project": "atlas", "summary": "x"}),
        ]:
            assert tools(call, session=ended, **arguments).code == "not_found", call
    brief = tools("session_brief", project="atlas").done()
    assert (brief["previous_session"], brief["handoff"]) == (None, None)


def test_ses_04_no_person_reads_it_from_the_mark_on(ended: str, human_api: HumanApi) -> None:
    human_api.post(f"/sessions/{ended}/prune").done()
    assert human_api.get("/sessions")["sessions"] == []
    with nothing_stored():
        answers = [
            human_api.get(f"/sessions/{ended}"),
            human_api.get(f"/sessions/{ended}/brain"),
            human_api.get(f"/sessions/{ended}/brain/entry", path="/fs/notes.md"),
            human_api.post(f"/sessions/{ended}/end"),
            human_api.put(f"/sessions/{ended}/owner", agent="ada"),
            human_api.post(f"/sessions/{ended}/prune"),
        ]
    assert {answer.code for answer in answers} == {"not_found"}
    for address in (f"/session/{ended}/", f"/session/{ended}/brain/fs/notes.md"):
        assert human_api.client.get(address).status_code == 404


def test_ses_08_the_feed_still_shows_its_work(ended: str, ada_tools: HttpTools, human_api: HumanApi) -> None:
    human_api.post(f"/sessions/{ended}/prune").done()
    for events in (
        ada_tools("feed_read", project="atlas", session=ended)["events"],
        human_api.get("/projects/atlas/events", session=ended)["events"],
    ):
        work = [event["summary"] for event in events if event["kind"] != "session"]
        assert work == ["why?", "second", "first"]


def test_ses_03_what_is_live_is_not_pruned(project: Project, ada_tools: HttpTools, human_api: HumanApi) -> None:
    session = begin(ada_tools, "main", notes="x")
    with nothing_stored():
        assert human_api.post(f"/sessions/{session}/prune").code == "conflict"
        assert human_api.post("/sessions/prune", project="atlas")["sessions"] == []
    assert Session.objects.get().deleted_at is None


def test_ses_08_every_ended_session_of_a_project_or_of_all(
    project: Project, ada_tools: HttpTools, ben_tools: HttpTools, human_api: HumanApi
) -> None:
    make_project("other")
    ended = {
        slug: [begin(tools, name, slug) for tools in (ada_tools, ben_tools)]
        for name, slug in (("one", "atlas"), ("two", "other"))
    }
    for sessions in ended.values():
        for tools, session in zip((ada_tools, ben_tools), sessions, strict=True):
            tools("session_end", session=session).done()
    live = begin(ada_tools, "live", notes="x")
    assert sorted(human_api.post("/sessions/prune", project="atlas")["sessions"]) == sorted(ended["atlas"])
    assert {row["id"] for row in human_api.get("/sessions")["sessions"]} == {live, *ended["other"]}
    assert sorted(human_api.post("/sessions/prune")["sessions"]) == sorted(ended["other"])
    assert [row["id"] for row in human_api.get("/sessions")["sessions"]] == [live]
    assert human_api.post("/sessions/prune")["sessions"] == []
    assert human_api.post("/sessions/prune", project="nowhere").code == "not_found"


def test_ses_08_a_mark_is_announced_with_the_time_it_can_be_undone_until(ended: str, human_api: HumanApi) -> None:
    answer = human_api.post(f"/sessions/{ended}/prune").done()
    assert answer["session"] == ended
    marked = Session.objects.get().deleted_at
    assert marked is not None
    assert answer["undo_until"] > marked.isoformat()[:19]
    assert Event.objects.filter(session=ended, kind="session").count() == 2
