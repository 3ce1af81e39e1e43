"""IDN-07: every tool that resolves the caller's session touches it; a busy store neither fails nor delays the call."""

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timedelta

import pytest
from django.db import connection, connections, transaction
from django.test import Client
from django.utils import timezone

from core import gate, limits
from hubsite.agent_calls import calls
from identity.models import Agent
from projects.models import Project
from sessions_app.activity import active_agents
from sessions_app.models import Session
from tests.brains import begin
from tests.inprocess import HttpTools
from tests.racing import Meanwhile, together
from tests.world import AgentWithToken

BUSY_SECONDS = 3.0  # far below the ten a writer waits for the store
CALLS: dict[str, dict[str, object]] = {
    "signal_append": {"project": "atlas", "summary": "x"},
    "question_post": {"project": "atlas", "subject": "x"},
    "approval_post": {"project": "atlas", "subject": "x"},
    "brain_put": {"path": "/fs/new.md", "content": "x", "store": "session"},
    "brain_get": {"path": "/fs/notes.md"},
    "brain_list": {},
    "brain_delete": {"path": "/fs/notes.md", "store": "session"},
    "brain_promote": {"from_path": "/fs/notes.md", "to_path": "/fs/notes.md"},
    "session_brief": {"project": "atlas"},
    "session_end": {},
    "artifact_publish": {"project": "atlas", "title": "x", "kind": "text", "content": "x"},
    "artifact_update": {"content": "y", "force": True},
    "document_submit": {"expected_revision": 1},
}
PLACED = ("artifact_update", "document_submit")
"""Calls that name a thing of the project rather than the project."""


def thing(tools: HttpTools, call: str) -> dict[str, object]:
    """Make what a call is about; answers the argument that names it."""
    if call == "artifact_update":
        return {"artifact": tools("artifact_publish", **CALLS["artifact_publish"])["artifact"]}
    if call == "document_submit":
        return {"document": tools("document_draft", project="atlas", title="x", body="x")["document"]}
    return {}


@pytest.fixture
def session(project: Project, ada_tools: HttpTools) -> str:
    """Answer a live session nobody has touched for a while."""
    started = begin(ada_tools, "main", notes="x")
    idle(timedelta(minutes=5))
    return started


def idle(time: timedelta) -> datetime:
    then = timezone.now() - time
    Session.objects.update(last_activity=then)
    return then


def fresh() -> bool:
    return timezone.now() - Session.objects.get().last_activity < timedelta(minutes=1)


def test_idn_07_no_tool_that_takes_a_session_is_left_out() -> None:
    takes = {name for name, call in calls().items() if "session" in call.arguments.model_fields}
    filtered_by_it = {"artifact_list", "feed_read", "search"}
    assert takes - filtered_by_it == set(CALLS)


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("call", CALLS)
def test_idn_07_it_is_touched_named_or_not(session: str, ada_tools: HttpTools, call: str, *, named: bool) -> None:
    if call == "session_end":
        named = True  # its address names one
    given = CALLS[call] | thing(ada_tools, call) | ({"session": session} if named else {})
    idle(timedelta(minutes=5))
    if not named and "project" not in given and call not in PLACED:
        given["project"] = "atlas"
    ada_tools(call, **given).done()
    assert fresh()


def test_idn_07_calls_at_once_write_it_once_a_minute(session: str, ada_tools: HttpTools) -> None:
    idle(timedelta(seconds=limits.TOUCH_SECONDS - 10))
    before = Session.objects.get().last_activity
    ada_tools("brain_list", session=session).done()
    assert Session.objects.get().last_activity == before
    idle(timedelta(seconds=limits.TOUCH_SECONDS + 1))
    ada_tools("brain_list", session=session).done()
    touched = Session.objects.get().last_activity
    ada_tools("brain_get", session=session, path="/fs/notes.md").done()
    assert Session.objects.get().last_activity == touched


def test_idn_07_nobody_elses_call_touches_it(session: str, ben_tools: HttpTools, human_client: Client) -> None:
    then = Session.objects.get().last_activity
    ben_tools("brain_get", session=session, path="/fs/notes.md").done()
    ben_tools("session_brief", project="atlas", session=session).done()
    human_client.get(f"/session/{session}/")
    assert Session.objects.get().last_activity == then


def test_idn_07_a_call_brings_the_agent_into_the_active_window(
    session: str, ada_tools: HttpTools, human_client: Client
) -> None:
    idle(timedelta(seconds=limits.ACTIVE_WINDOW_SECONDS + 1))
    assert not active_agents().exists()
    ada_tools("brain_list", session=session).done()
    assert [agent.name for agent in active_agents()] == ["ada"]


@contextmanager
def held_elsewhere() -> Iterator[None]:
    """Hold the store's write lock, as another process would: on PostgreSQL, of the rows a touch writes."""
    if connection.vendor == "sqlite":
        with closing(sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            yield
            other.execute("ROLLBACK")
        return
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            list(Session.objects.select_for_update())
            list(Agent.objects.select_for_update())
            held.set()
            done.wait(60)
        connections.close_all()

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(30)
    try:
        yield
    finally:
        done.set()
        thread.join()


@contextmanager
def held_here() -> Iterator[None]:
    """Hold this process's turn to write."""
    assert gate._writers.acquire(30)
    try:
        yield
    finally:
        gate._writers.release()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("busy", [held_elsewhere, held_here])
def test_idn_07_a_busy_store_neither_fails_nor_delays_the_call(
    session: str, ada: AgentWithToken, ada_tools: HttpTools, busy: object
) -> None:
    Agent.objects.update(last_seen_at=timezone.now() - timedelta(minutes=5))
    took = []
    with busy():  # type: ignore[operator]
        for call in ("brain_list", "brain_get", "brain_put", "brain_promote"):
            began = time.monotonic()
            ada_tools(call, session=session, **CALLS[call]).done()
            took.append(time.monotonic() - began)
    assert min(took) < BUSY_SECONDS, took
    assert sum(took) < 4 * BUSY_SECONDS, took
    ada_tools("brain_list", session=session).done()
    assert fresh()
    if connection.vendor == "sqlite":  # writers are patient as before
        with connection.cursor() as cursor:
            assert cursor.execute("PRAGMA busy_timeout").fetchone()[0] == 10_000


@pytest.mark.django_db(transaction=True)
def test_idn_07_many_calls_at_once_write_it_once(session: str, ada: AgentWithToken) -> None:
    def look() -> datetime:
        HttpTools(ada.token)("brain_list", session=session).done()
        return Session.objects.get().last_activity

    seen = {moment for moment in together([look] * 6) if timezone.now() - moment < timedelta(minutes=1)}
    assert len(seen) <= 1
    HttpTools(ada.token)("brain_list", session=session).done()
    assert fresh()


@pytest.mark.django_db(transaction=True)
def test_idn_07_a_late_touch_never_moves_what_ended(session: str, ada: AgentWithToken) -> None:
    tools = HttpTools(ada.token)

    def look() -> bool:
        HttpTools(ada.token)("brain_get", session=session, path="/fs/notes.md").done()
        return True

    with Meanwhile(look):
        tools("session_end", session=session).done()
        Session.objects.update(last_activity=timezone.now() - timedelta(minutes=5))
        then = Session.objects.get().last_activity
        time.sleep(0.2)
    assert Session.objects.get().last_activity == then
