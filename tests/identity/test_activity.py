"""IDN-07: who is active, and what it costs to know."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from core import gate, limits
from identity.models import Agent
from projects.models import Project
from sessions_app.activity import active_agents
from sessions_app.models import Session
from tests.inprocess import HttpTools
from tests.world import AgentWithToken


def names() -> list[str]:
    return sorted(active_agents().values_list("name", flat=True))


def last(moment: timedelta) -> datetime:
    """Let every session have been touched that long ago; answers when."""
    then = timezone.now() - moment
    Session.objects.update(last_activity=then)
    return then


def touches(tools: HttpTools, name: str, /, **arguments: object) -> int:
    """Make a call and answer how often it wrote a session's row."""
    with CaptureQueriesContext(connection) as captured:
        tools(name, **arguments).done()
    return sum('UPDATE "sessions_app_session"' in query["sql"] for query in captured.captured_queries)


@pytest.fixture
def ada_at_work(ada: AgentWithToken, project: Project) -> HttpTools:
    tools = HttpTools(ada.token)
    tools("session_start", project="atlas", name="one").done()
    return tools


def test_idn_07_an_agent_without_a_live_session_is_not_active(ada: AgentWithToken, project: Project) -> None:
    tools = HttpTools(ada.token)
    tools("whoami").done()
    assert names() == []
    session = tools("session_start", project="atlas", name="one")["session"]
    assert names() == ["ada"]
    tools("session_end", session=session).done()
    assert names() == []


def test_idn_07_two_sessions_count_once(ada_at_work: HttpTools, ben: AgentWithToken) -> None:
    ada_at_work("session_start", project="atlas", name="two").done()
    HttpTools(ben.token)("session_start", project="atlas", name="one").done()
    assert names() == ["ada", "ben"]


def test_idn_07_a_session_outside_the_window_does_not_count(ada_at_work: HttpTools) -> None:
    last(timedelta(seconds=limits.ACTIVE_WINDOW_SECONDS + 1))
    assert names() == []
    ada_at_work("signal_append", project="atlas", summary="back").done()
    assert names() == ["ada"]


def test_idn_07_a_pruned_session_does_not_count(ada_at_work: HttpTools) -> None:
    Session.objects.update(deleted_at=timezone.now())
    assert names() == []


def test_idn_07_a_call_touches_at_most_once_a_minute(ada_at_work: HttpTools) -> None:
    last(timedelta(seconds=61))
    counts = [touches(ada_at_work, "signal_append", project="atlas", summary="x") for _ in range(4)]
    assert counts == [1, 0, 0, 0]
    last(timedelta(seconds=58))
    assert touches(ada_at_work, "brain_list", project="atlas") == 0


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        ("signal_append", {"project": "atlas", "summary": "x"}),
        ("question_post", {"project": "atlas", "subject": "x"}),
        ("brain_list", {"project": "atlas"}),
        ("brain_put", {"project": "atlas", "path": "/fs/a.md", "content": "x", "store": "session"}),
    ],
)
def test_idn_07_every_call_that_resolves_the_session_touches_it(
    ada_at_work: HttpTools, call: str, arguments: dict[str, object]
) -> None:
    last(timedelta(minutes=5))
    assert touches(ada_at_work, call, **arguments) == 1
    assert timezone.now() - Session.objects.get().last_activity < timedelta(seconds=30)


def test_idn_07_a_reader_does_not_touch_anothers_session(ada_at_work: HttpTools, ben: AgentWithToken) -> None:
    then = last(timedelta(minutes=5))
    session = Session.objects.get()
    assert touches(HttpTools(ben.token), "brain_list", session=session.pk) == 0
    assert Session.objects.get().last_activity == then


@contextmanager
def busy_gate() -> Iterator[None]:
    """Hold the process's turn to write in another thread."""
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        assert gate._writers.acquire(5)
        held.set()
        done.wait(30)
        gate._writers.release()

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(10)
    try:
        yield
    finally:
        done.set()
        thread.join()


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the gate stands before SQLite only")
def test_idn_07_a_busy_store_never_fails_nor_delays_a_read(ada_at_work: HttpTools) -> None:
    then = last(timedelta(minutes=5))
    Agent.objects.update(last_seen_at=None)
    started = timezone.now()
    with busy_gate():
        assert ada_at_work("brain_list", project="atlas")["entries"] == []
    assert timezone.now() - started < timedelta(seconds=5)
    assert Session.objects.get().last_activity == then


def test_idn_07_a_store_that_fails_the_touch_never_fails_the_call(
    ada_at_work: HttpTools, monkeypatch: pytest.MonkeyPatch
) -> None:
    then = last(timedelta(minutes=5))

    def locked(_: object, **__: object) -> int:
        raise OperationalError("database is locked")

    with monkeypatch.context() as patched:
        patched.setattr("django.db.models.query.QuerySet.update", locked)
        assert ada_at_work("brain_list", project="atlas")["entries"] == []
    assert Session.objects.get().last_activity == then
