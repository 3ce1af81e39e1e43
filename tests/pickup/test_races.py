"""SES-03: of two transitions that exclude each other exactly one wins, on either database."""

import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

import agentfs
from projects.models import Project
from sessions_app import transitions
from sessions_app.jobs import close_due_prunes
from sessions_app.models import Session
from sessions_app.operations import pickup
from tests.brains import begin, brain_file
from tests.inprocess import HttpTools, HumanApi, Json, Outcome
from tests.racing import Meanwhile, together
from tests.world import AgentWithToken, Person

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = 5
type Race = Callable[[], Outcome]


class World:
    """The project with two more agents and the human, each call on a client of its own."""

    def __init__(self, ada: AgentWithToken, ben: AgentWithToken, cleo: AgentWithToken, human: Person) -> None:
        self.tools = {agent.name: HttpTools(agent.token) for agent in (ada, ben, cleo)}
        self._human = human

    def human(self) -> HumanApi:
        client = Client()
        client.force_login(self._human.user)
        return HumanApi(client)

    def session(self, name: str, *, ended: bool) -> str:
        """Begin a session of Ada's that has a brain."""
        session = begin(self.tools["ada"], name, notes="x")
        if ended:
            self.tools["ada"]("session_end", session=session).done()
        return session

    def race(self, name: str, session: str) -> Race:
        """Answer a transition by name, ready to go."""
        who, _, what = name.partition(" ")
        if who == "human":
            api = self.human()
            return {
                "end": lambda: api.post(f"/sessions/{session}/end"),
                "prune": lambda: api.post(f"/sessions/{session}/prune"),
            }[what]
        tools, source = self.tools[who], {"session": session}
        start = {"project": "atlas", "name": f"{session[-9:].lower()}"}
        return {
            "end": lambda: tools("session_end", session=session),
            "adopt": lambda: tools("session_start", **start, **{"from": source | {"mode": "adopt"}}),
            "fork": lambda: tools("session_start", **start, **{"from": source | {"mode": "fork"}}),
            "resume": lambda: tools("session_start", project="atlas", name=Session.objects.get(pk=session).name),
        }[what]


@pytest.fixture
def world(project: Project, ada: AgentWithToken, ben: AgentWithToken, cleo: AgentWithToken, human: Person) -> World:
    return World(ada, ben, cleo, human)


def consistent(session: str, project: str = "atlas") -> None:
    """Check that there are as many brains as rows, each under its row's id."""
    rows = set(Session.objects.filter(project=project).values_list("pk", flat=True))
    assert {path.stem for path in brain_file(session).parent.glob("*.db")} == rows


@pytest.mark.parametrize(
    ("one", "other", "ended"),
    [
        ("ada end", "human end", False),
        ("ada end", "ada end", False),
        ("ben adopt", "cleo adopt", True),
        ("ben adopt", "human prune", True),
        ("human prune", "human prune", True),
    ],
)
def test_ses_03_exactly_one_of_two_wins(world: World, one: str, other: str, *, ended: bool) -> None:
    for number in range(ROUNDS):
        session = world.session(f"s{number}", ended=ended)
        outcomes = together([world.race(one, session), world.race(other, session)])
        refused = [outcome.code for outcome in outcomes if outcome.refused]
        assert len(refused) == 1
        assert refused[0] in {"conflict", "not_found"}
        row = Session.objects.get(pk=session)
        adopted = [name for name, outcome in zip((one, other), outcomes, strict=True) if not outcome.refused]
        if "adopt" in adopted[0]:
            assert (row.agent.name, row.status, row.deleted_at) == (adopted[0].split()[0], "live", None)
        elif "prune" in adopted[0]:
            assert (row.agent.name, row.status) == ("ada", "ended")
            assert row.deleted_at is not None
        consistent(session)


def test_ses_03_resuming_and_adopting_at_once_leave_one_owner(world: World) -> None:
    for number in range(ROUNDS):
        session = world.session(f"s{number}", ended=True)
        resumed, adopted = together([world.race("ada resume", session), world.race("ben adopt", session)])
        owner = Session.objects.get(pk=session).agent.name
        assert owner == ("ada" if adopted.refused else "ben")
        assert resumed["resumed"] is (owner == "ada")
        assert (resumed["session"] == session) is (owner == "ada")


def test_ses_03_resuming_and_pruning_at_once_never_both(world: World) -> None:
    for number in range(ROUNDS):
        session = world.session(f"s{number}", ended=True)
        resumed, pruned = together([world.race("ada resume", session), world.race("human prune", session)])
        assert resumed.refused is not pruned.refused
        row = Session.objects.get(pk=session)
        assert (row.status, row.deleted_at is None) == (("live", True) if pruned.refused else ("ended", False))


def test_ses_05_a_fork_and_the_end_of_its_source_at_once_leave_whole_brains(world: World) -> None:
    for number in range(ROUNDS):
        session = world.session(f"s{number}", ended=False)
        forked, ended = together([world.race("ben fork", session), world.race("ada end", session)])
        assert not ended.refused
        assert not forked.refused or forked.code == "conflict"
        consistent(session)


def test_ses_03_two_starts_of_a_name_at_once_are_one_session(world: World) -> None:
    for number in range(ROUNDS):

        def start(name: str) -> Json:
            return world.tools["ada"]("session_start", project="atlas", name=name).done()

        answers = together([partial(start, f"n{number}")] * 3)
        assert len({answer["session"] for answer in answers}) == 1
        assert sorted(answer["resumed"] for answer in answers) == [False, True, True]


def test_ses_05_one_name_for_two_forks_and_an_adoption_at_once_is_one_session(world: World) -> None:
    for number in range(ROUNDS):
        sources = [world.session(f"s{number}-{n}", ended=n == 2) for n in range(3)]

        def pick_up(source: str, name: str) -> Race:
            given = {"project": "atlas", "name": name, "from": {"session": source}}
            return lambda: world.tools["ben"]("session_start", **given)

        outcomes = together([pick_up(source, f"n{number}") for source in sources])
        assert sorted(outcome.refused for outcome in outcomes) == [False, True, True]
        assert {outcome.code for outcome in outcomes if outcome.refused} == {"conflict"}
        assert Session.objects.filter(agent__name="ben", name=f"n{number}").count() == 1
        consistent(sources[0])


def test_ses_05_a_name_taken_between_the_look_and_the_write_is_a_conflict(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = [world.session(f"s{number}", ended=False) for number in range(2)]
    both_looked = threading.Barrier(2)

    def look(*args: Any, **kwargs: Any) -> None:
        transitions.check_name_free(*args, **kwargs)
        with suppress(threading.BrokenBarrierError):  # where the store lets one in at a time, nobody else comes
            both_looked.wait(1)

    monkeypatch.setattr(pickup, "check_name_free", look)

    def fork(source: str) -> Outcome:
        given = {"project": "atlas", "name": "wanted", "from": {"session": source}}
        return world.tools["ben"]("session_start", **given)

    outcomes = together([partial(fork, source) for source in sources])
    assert sorted(outcome.refused for outcome in outcomes) == [False, True]
    assert next(outcome for outcome in outcomes if outcome.refused).code == "conflict"
    consistent(sources[0])


@pytest.mark.parametrize("transition", ["end", "reassign"])
def test_ses_02_no_write_lands_after_the_end_or_the_reassignment(world: World, transition: str) -> None:
    session, acknowledged = world.session("main", ended=False), list[str]()

    def write() -> bool:
        content = f"{len(acknowledged)}"
        outcome = world.tools["ada"]("brain_put", session=session, path="/fs/n.md", content=content, store="session")
        if outcome.refused:
            assert outcome.code == ("conflict" if transition == "end" else "forbidden")
            return False
        acknowledged.append(content)
        return True

    def log() -> int:
        with agentfs.open_file(brain_file(session), synchronous="NORMAL").reading() as brain:
            return brain.last_log_id()

    human = world.human()
    with Meanwhile(write, write, write):
        while len(acknowledged) < 20:
            pass
        if transition == "end":
            human.post(f"/sessions/{session}/end").done()
        else:
            human.put(f"/sessions/{session}/owner", agent="ben").done()
        at_the_moment = log()
    assert log() == at_the_moment == 1 + len(acknowledged)


def test_ses_08_undoing_and_closing_at_once_leave_all_or_nothing(world: World) -> None:
    human = world.human()
    for number in range(ROUNDS):
        session = world.session(f"s{number}", ended=True)
        human.post(f"/sessions/{session}/prune").done()
        # The window closes about now.
        Session.objects.filter(pk=session).update(deleted_at=timezone.now() - timedelta(seconds=29.99))

        def undo(given: str) -> bool:
            return not human.delete(f"/sessions/{given}/prune").refused

        def close() -> bool:
            for _ in range(20):
                close_due_prunes()
            return True

        both: list[Callable[[], bool]] = [partial(undo, session), close]
        undone, _ = together(both)
        close_due_prunes()
        there = Session.objects.filter(pk=session).exists()
        assert there is brain_file(session).exists()
        assert there or not undone
