"""SES-03, SES-07: starts at once, and a write that races the end of its session."""

import threading

import pytest

from core.errors import HubError
from projects.models import Event
from sessions_app.brain import brain_of, brain_path
from sessions_app.models import Session
from sessions_app.operations import append_entry, end_session, start_session
from tests.inprocess import together
from tests.world import make_agent, make_project

pytestmark = pytest.mark.django_db(transaction=True)


def test_ses_03_starts_at_once_make_one_session() -> None:
    make_project("atlas")
    ada = make_agent("ada").actor
    for number in range(5):
        results = together(*[lambda name=f"s{number}": start_session(ada, "atlas", name=name)] * 4)
        assert len({result["session"] for result in results}) == 1
        assert sorted(result["resumed"] for result in results) == [False, True, True, True]
    assert Session.objects.count() == 5
    assert [event.payload["action"] for event in Event.objects.filter(kind="session")] == ["start"] * 5


def test_ses_03_of_ends_at_once_one_ends() -> None:
    make_project("atlas")
    ada = make_agent("ada").actor
    for number in range(5):
        session = start_session(ada, "atlas", name=f"s{number}")["session"]
        results = together(*[lambda at=session: end_session(ada, "atlas", session=at)] * 3)
        assert [result.code for result in results if isinstance(result, HubError)] == ["conflict"] * 2
    ends = [event for event in Event.objects.filter(kind="session") if event.payload["action"] == "end"]
    assert len(ends) == 5


def test_ses_07_a_write_that_races_the_end_lands_before_it_or_not_at_all() -> None:
    make_project("atlas")
    ada = make_agent("ada").actor
    for number in range(4):
        session = start_session(ada, "atlas", name=f"s{number}")["session"]
        written, going = [0, 0, 0], threading.Event()

        def write(which: int, at: str, counts: list[int], started: threading.Event) -> str:
            while True:
                try:
                    append_entry(ada, "atlas", session=at, path=f"/fs/{which}", content=b"x")
                except HubError as refusal:
                    return refusal.code
                counts[which] += 1
                started.set()

        def end(at: str, started: threading.Event) -> None:
            started.wait(30)
            end_session(ada, "atlas", session=at, handoff="over")

        actions = [lambda w=which: write(w, session, written, going) for which in range(3)]  # noqa: B023 - used at once
        results = together(*actions, lambda: end(session, going))  # noqa: B023 - as above
        assert results == ["conflict"] * 3 + [None]
        row = Session.objects.get(pk=session)
        with brain_of(row).reading() as brain:
            stored = [len(brain.get(f"/fs/{which}").content) if written[which] else 0 for which in range(3)]
            assert stored == written
            assert brain.last_log_id() == sum(written)
        brain_of(row).close()
        left = {path.name for path in brain_path("atlas", session).parent.glob(f"{session}*")}
        assert left == {f"{session}.db"}
