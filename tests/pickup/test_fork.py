"""SES-05: forking what runs starts a session on a copy, and the source is untouched and untold."""

import hashlib

import pytest

import agentfs
from projects.models import Event, Project
from sessions_app.models import Session
from tests.brains import begin, brain_file, content, files_below, write
from tests.inprocess import FACES, HttpTools, HumanApi, nothing_stored
from tests.world import AgentWithToken


@pytest.fixture
def running(project: Project, ada_tools: HttpTools) -> str:
    """Answer a live session of Ada's with files, a key and a log."""
    session = begin(ada_tools, "main", notes="one", plan="two")
    write(ada_tools, session, "/fs/notes.md", "three")
    write(ada_tools, session, "/kv/state", {"step": 3})
    return session


def log_of(session: str) -> list[agentfs.LogRow]:
    with agentfs.open_file(brain_file(session)).reading() as brain:
        return brain.log(limit=1000)


@pytest.mark.parametrize("face", FACES)
def test_ses_05_a_fork_has_the_brain_and_its_log(
    running: str, ada_tools: HttpTools, ben: AgentWithToken, face: str
) -> None:
    tools = FACES[face](ben.token)
    answer = tools("session_start", project="atlas", name="branch", **{"from": {"session": running}}).done()
    fork = answer["session"]
    assert fork != running
    assert answer["pickup"] == {
        "mode": "fork",
        "from_session": running,
        "from_agent": "ada",
        "handoff": None,
        "source_active": True,
    }
    assert content(tools, fork, "/fs/notes.md") == "three"
    assert content(tools, fork, "/kv/state") == {"step": 3}
    assert log_of(fork) == log_of(running)
    assert [row.op for row in log_of(fork)] == ["put"] * 4
    # From here on they part ways.
    write(tools, fork, "/fs/notes.md", "his")
    write(ada_tools, running, "/fs/plan.md", "hers")
    assert (content(tools, fork, "/fs/plan.md"), content(tools, running, "/fs/notes.md")) == ("two", "three")
    assert [row.actor for row in log_of(fork)[:2]] == ["ben", "ada"]


def test_ses_05_the_source_keeps_its_row_its_bytes_and_its_peace(running: str, ben_tools: HttpTools) -> None:
    agentfs.close_all()
    row = Session.objects.filter(pk=running).values().get()
    digest, log = hashlib.sha256(brain_file(running).read_bytes()).hexdigest(), len(log_of(running))
    agentfs.close_all()
    events = Event.objects.filter(session=running).count()
    ben_tools("session_start", project="atlas", name="branch", **{"from": {"session": running}}).done()
    agentfs.close_all()
    assert hashlib.sha256(brain_file(running).read_bytes()).hexdigest() == digest
    assert len(log_of(running)) == log
    assert Session.objects.filter(pk=running).values().get() == row
    assert Event.objects.filter(session=running).count() == events


def test_ses_02_a_forks_owner_may_not_write_into_its_source(running: str, ben_tools: HttpTools) -> None:
    ben_tools("session_start", project="atlas", name="branch", **{"from": {"session": running}}).done()
    agentfs.close_all()
    with nothing_stored():
        refused = ben_tools("brain_put", session=running, path="/fs/notes.md", content="his", store="session")
        assert refused.code == "forbidden"
        agentfs.close_all()


def test_ses_05_what_ended_is_not_forked(running: str, ada_tools: HttpTools, ben_tools: HttpTools) -> None:
    ada_tools("session_end", session=running).done()
    with nothing_stored():
        source = {"session": running, "mode": "fork"}
        assert ben_tools("session_start", project="atlas", name="x", **{"from": source}).code == "conflict"


def test_ses_05_a_refused_fork_leaves_no_copy(running: str, ben_tools: HttpTools) -> None:
    begin(ben_tools, "taken")
    with nothing_stored():
        refused = ben_tools("session_start", project="atlas", name="taken", **{"from": {"session": running}})
        assert refused.code == "conflict"
        refused = ben_tools("session_start", project="atlas", name="no good", **{"from": {"session": running}})
        assert refused.code == "invalid_argument"
    assert files_below(brain_file(running).parent) == [f"{running}.db"]


def test_ses_04_a_fork_of_a_session_that_wrote_nothing_has_no_file(
    project: Project, ada_tools: HttpTools, ben_tools: HttpTools
) -> None:
    running = begin(ada_tools, "main")
    fork = ben_tools("session_start", project="atlas", name="x", **{"from": {"session": running}})["session"]
    assert not brain_file(running).exists()
    assert not brain_file(fork).exists()
    assert ben_tools("brain_list", session=fork)["entries"] == []
    write(ben_tools, fork, "/fs/a.md", "first")
    assert not brain_file(running).exists()


def test_ses_05_an_agent_forks_its_own_session_and_the_newest_of_another(
    running: str, ada_tools: HttpTools, ben_tools: HttpTools, human_api: HumanApi
) -> None:
    own = ada_tools("session_start", project="atlas", name="side", **{"from": {"session": running}}).done()
    assert (own["pickup"]["mode"], own["pickup"]["from_agent"]) == ("fork", "ada")
    newest = ben_tools("session_start", project="atlas", name="x", **{"from": {"agent": "ada"}}).done()
    assert newest["pickup"]["from_session"] == own["session"]
    named = ben_tools("session_start", project="atlas", name="y", **{"from": {"agent": "ada", "name": "main"}}).done()
    assert named["pickup"]["from_session"] == running
    assert content(ben_tools, named["session"], "/fs/notes.md") == "three"
