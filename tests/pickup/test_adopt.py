"""SES-05: adopting what ended moves its owner, and nothing else."""

import pytest

from projects.models import Event, Project
from sessions_app.models import Session
from tests.brains import begin, brain_file, content, write
from tests.inprocess import FACES, HttpTools, HumanApi, nothing_stored
from tests.world import AgentWithToken, make_agent, make_project


@pytest.fixture
def ended(project: Project, ada_tools: HttpTools) -> str:
    """Answer a session of Ada's that ended with a note."""
    session = begin(ada_tools, "main", notes="found it")
    ada_tools("session_end", session=session, handoff="go on with the tests").done()
    return session


@pytest.mark.parametrize("face", FACES)
def test_ses_05_adopting_moves_the_owner_and_keeps_id_file_and_log(
    ended: str, ada_tools: HttpTools, ben: AgentWithToken, face: str
) -> None:
    before, inode = Session.objects.get(pk=ended), brain_file(ended).stat().st_ino
    ben_tools = FACES[face](ben.token)
    answer = ben_tools("session_start", project="atlas", name="taken", **{"from": {"session": ended}}).done()
    assert answer["session"] == ended
    assert (answer["status"], answer["resumed"], answer["recovery_path"]) == ("live", False, "/fs/handoff.md")
    assert answer["pickup"] == {
        "mode": "adopt",
        "from_session": ended,
        "from_agent": "ada",
        "handoff": "go on with the tests",
        "source_active": False,
    }
    assert brain_file(ended).stat().st_ino == inode
    assert content(ben_tools, ended, "/fs/notes.md") == "found it"
    after = Session.objects.get(pk=ended)
    moved = ("agent_id", "name", "status", "ended_at", "adopted_from", "last_activity")
    kept = [field.attname for field in Session._meta.fields if field.attname not in moved]
    assert {name: getattr(after, name) for name in kept} == {name: getattr(before, name) for name in kept}
    assert (after.agent.name, after.name, after.status, after.ended_at) == ("ben", "taken", "live", None)


def test_ses_05_every_face_says_who_owned_it_before(
    ended: str, ben_tools: HttpTools, human_api: HumanApi, cleo: AgentWithToken
) -> None:
    ben_tools("session_start", project="atlas", name="taken", **{"from": {"agent": "ada"}}).done()
    listed = [face(cleo.token)("session_list", project="atlas")["sessions"] for face in FACES.values()]
    for row in (*listed[0], *listed[1], human_api.get(f"/sessions/{ended}").done()):
        assert (row["id"], row["agent"], row["name"], row["adopted_from"]) == (ended, "ben", "taken", "ada")
        assert row["lineage"] is None
    told = Event.objects.filter(session=ended, kind="session").order_by("pk").values_list("payload__action", flat=True)
    assert list(told) == ["start", "end", "adopt"]


def test_ses_02_the_owner_before_is_refused_from_then_on(
    ended: str, ada_tools: HttpTools, ben_tools: HttpTools
) -> None:
    ben_tools("session_start", project="atlas", name="main", **{"from": {"session": ended}}).done()
    with nothing_stored():
        for call, arguments in [
            ("brain_put", {"path": "/fs/notes.md", "content": "mine", "store": "session"}),
            ("brain_delete", {"path": "/fs/notes.md", "store": "session"}),
            ("session_end", {}),
            ("signal_append", {"project": "atlas", "summary": "x"}),
        ]:
            assert ada_tools(call, session=ended, **arguments).code == "forbidden", call
    # The name is hers again: it means another session now.
    again = ada_tools("session_start", project="atlas", name="main").done()
    assert (again["resumed"], again["session"] == ended) == (False, False)
    write(ben_tools, ended, "/fs/notes.md", "his")


def test_ses_05_what_still_runs_is_not_adopted(project: Project, ada_tools: HttpTools, ben_tools: HttpTools) -> None:
    running = begin(ada_tools, "main", notes="x")
    with nothing_stored():
        source = {"session": running, "mode": "adopt"}
        assert ben_tools("session_start", project="atlas", name="x", **{"from": source}).code == "conflict"


def test_ses_05_what_is_pruned_is_not_there_to_adopt(ended: str, ben_tools: HttpTools, human_api: HumanApi) -> None:
    human_api.post(f"/sessions/{ended}/prune").done()
    with nothing_stored():
        for source in ({"session": ended}, {"agent": "ada"}, {"agent": "ada", "name": "main", "mode": "adopt"}):
            assert ben_tools("session_start", project="atlas", name="x", **{"from": source}).code == "not_found"


def test_ses_05_a_name_the_caller_has_already_is_a_conflict(ended: str, ben_tools: HttpTools) -> None:
    begin(ben_tools, "taken")
    with nothing_stored():
        refused = ben_tools("session_start", project="atlas", name="taken", **{"from": {"session": ended}})
        assert refused.code == "conflict"


def test_ses_05_a_name_that_a_prune_can_still_bring_back_is_a_conflict(
    ended: str, ada_tools: HttpTools, ben_tools: HttpTools, human_api: HumanApi
) -> None:
    other = begin(ben_tools, "held")
    ben_tools("session_end", session=other).done()
    human_api.post(f"/sessions/{other}/prune").done()
    human_api.post(f"/sessions/{ended}/prune").done()
    third = begin(ada_tools, "third")
    ada_tools("session_end", session=third).done()
    with nothing_stored():
        assert ada_tools("session_start", project="atlas", name="main").code == "conflict"
        for source in ({"session": third}, {"agent": "ada", "name": "third"}):
            refused = ben_tools("session_start", project="atlas", name="held", **{"from": source})
            assert refused.code == "conflict"


def test_ses_05_a_source_is_a_session_or_an_agent_of_this_project(ended: str, ben_tools: HttpTools) -> None:
    make_project("other")
    with nothing_stored():
        for source in ({}, {"session": ended, "agent": "ada"}, {"session": "x"}):
            refused = ben_tools("session_start", project="atlas", name="x", **{"from": source})
            assert refused.code == "invalid_argument"
        for source in ({"session": ended}, {"agent": "ada"}, {"agent": "nobody"}):
            assert ben_tools("session_start", project="other", name="x", **{"from": source}).code == "not_found"


def test_idn_03_only_who_may_write_in_the_project_picks_up(
    ended: str, ada: AgentWithToken, ben: AgentWithToken
) -> None:
    reader = HttpTools(make_agent("reader", trusted=False, atlas="read").token)
    stranger = HttpTools(make_agent("nobody", trusted=False).token)
    own = begin(HttpTools(ada.token), "own", project="~ada")
    HttpTools(ada.token)("session_end", session=own).done()
    with nothing_stored():
        given = {"project": "atlas", "name": "x", "from": {"session": ended}}
        assert reader("session_start", **given).code == "forbidden"
        assert stranger("session_start", **given).code == "not_found"
        given = {"project": "~ada", "name": "x", "from": {"session": own}}
        assert HttpTools(ben.token)("session_start", **given).code == "forbidden"
