"""SES-03, SES-05: a person gives a session to another agent, and ends one whoever owns it."""

import pytest
from django.test import Client

from projects.models import Event, Project
from sessions_app.models import Session
from tests.brains import begin, brain_file, content, write
from tests.inprocess import HttpTools, HumanApi, nothing_stored
from tests.world import AgentWithToken, make_agent


@pytest.fixture
def running(project: Project, ada_tools: HttpTools) -> str:
    return begin(ada_tools, "main", notes="x")


@pytest.mark.parametrize("state", ["live", "ended"])
def test_ses_03_a_person_gives_a_session_to_another_agent(
    running: str, state: str, ada_tools: HttpTools, ben_tools: HttpTools, human_api: HumanApi
) -> None:
    if state == "ended":
        ada_tools("session_end", session=running, handoff="note").done()
    inode = brain_file(running).stat().st_ino
    answer = human_api.put(f"/sessions/{running}/owner", agent="ben").done()
    assert (answer["session"], answer["status"]) == (running, state)
    shown = human_api.get(f"/sessions/{running}").done()
    assert (shown["agent"], shown["name"], shown["adopted_from"], shown["status"]) == ("ben", "main", "ada", state)
    assert brain_file(running).stat().st_ino == inode
    refused = ada_tools("brain_put", session=running, path="/fs/a", content="x", store="session")
    assert refused.code == "forbidden"
    assert ben_tools("session_start", project="atlas", name="main").done()["session"] == running
    write(ben_tools, running, "/fs/a.md", "his")
    assert content(ada_tools, running, "/fs/a.md") == "his"
    event = Event.objects.filter(session=running, payload__action="reassign").get()
    assert (event.actor, event.payload["agent"]) == ("human:kim", "ben")


def test_ses_03_what_cannot_be_given_away_is_refused_with_nothing_changed(
    running: str, ben_tools: HttpTools, human_api: HumanApi
) -> None:
    make_agent("outsider", trusted=False)
    make_agent("reader", trusted=False, atlas="read")
    begin(ben_tools, "main")
    with nothing_stored():
        for agent, code in [
            ("ada", "conflict"),  # hers already
            ("outsider", "conflict"),  # may not see the project
            ("reader", "conflict"),  # may not write there
            ("ben", "conflict"),  # has a session of that name
            ("nobody", "not_found"),
        ]:
            assert human_api.put(f"/sessions/{running}/owner", agent=agent).code == code, agent


def test_ses_03_a_person_ends_any_session_an_agent_its_own(
    running: str, ada_tools: HttpTools, ben_tools: HttpTools, human_api: HumanApi
) -> None:
    with nothing_stored():
        assert ben_tools("session_end", session=running).code == "forbidden"
    ended = human_api.post(f"/sessions/{running}/end", handoff="stopped by me").done()
    assert (ended["status"], ended["handoff"]) == ("ended", "stopped by me")
    with nothing_stored():
        assert human_api.post(f"/sessions/{running}/end").code == "conflict"
        assert ada_tools("session_end", session=running).code == "conflict"
        refused = ada_tools("brain_put", session=running, path="/fs/a", content="x", store="session")
        assert refused.code == "conflict"
    event = Event.objects.filter(session=running, payload__action="end").get()
    assert (event.actor, event.payload["handoff"]) == ("human:kim", "stopped by me")


def test_ses_06_the_note_is_on_the_row_and_in_the_event_never_in_the_brain(running: str, ada_tools: HttpTools) -> None:
    ada_tools("session_end", session=running, handoff="secret word").done()
    assert Session.objects.get(pk=running).handoff == "secret word"
    assert Event.objects.get(session=running, payload__action="end").payload["handoff"] == "secret word"
    assert b"secret word" not in brain_file(running).read_bytes()


def test_ses_07_ending_folds_the_write_ahead_log_in(running: str, ada_tools: HttpTools) -> None:
    write(ada_tools, running, "/fs/large.md", "x" * 1_000_000)
    ada_tools("session_end", session=running).done()
    directory = brain_file(running).parent
    assert [path.name for path in directory.iterdir()] == [f"{running}.db"]


def test_ses_03_only_people_reassign(running: str, ben: AgentWithToken) -> None:
    signed_out = HumanApi(Client(headers={"Authorization": f"Bearer {ben.token}"}))
    with nothing_stored():
        assert signed_out.put(f"/sessions/{running}/owner", agent="ben").refused
        assert signed_out.post(f"/sessions/{running}/prune").refused
