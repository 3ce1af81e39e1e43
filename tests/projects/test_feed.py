"""HUB-04, HUB-05, IDN-06: reading a feed by pages and filters, and what agents never see in it."""

from itertools import pairwise
from typing import Literal

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from core.actor import HUB
from inbox.operations import post_signal
from projects.models import Event, Kind, Project
from projects.operations import update_project
from sessions_app.operations import start_session
from sessions_app.queries import produced
from tests.inprocess import FACES, HttpTools, HumanApi, Tools
from tests.world import AgentWithToken, make_project


@pytest.fixture(params=FACES)
def tools(request: pytest.FixtureRequest, ada: AgentWithToken, project: Project) -> Tools:
    return FACES[request.param](ada.token)


@pytest.fixture
def feed(ada: AgentWithToken, ben: AgentWithToken, project: Project) -> list[str]:
    """Seven signals, Ada's and Ben's in turn, each in a session; answers their ids, oldest first."""
    sessions = {agent: start_session(agent.actor, "atlas", name="work")["session"] for agent in (ada, ben)}
    ids = []
    for number in range(7):
        agent = (ada, ben)[number % 2]
        kind: Literal["finished", "signal"] = "finished" if number == 3 else "signal"
        posted = post_signal(agent.actor, "atlas", summary=f"n{number}", kind=kind, session=sessions[agent])
        ids.append(posted["event"])
    return ids


def test_hub_04_pages_newest_first_without_gap_or_repeat(tools: Tools, feed: list[str]) -> None:
    seen: list[str] = []
    before = None
    for _ in range(10):
        page = tools("feed_read", project="atlas", limit=3, **({"before": before} if before else {})).done()
        seen += [event["id"] for event in page["events"]]
        assert page["truncated"] is (page["next_before"] is not None)
        before = page["next_before"]
        if before is None:
            break
    assert all(newer > older for newer, older in pairwise(seen))
    assert [event for event in seen if event in feed] == feed[::-1]
    assert len(seen) == len(feed) + 2  # and the two starts of sessions


def test_hub_04_what_is_posted_while_paging_shifts_no_page(tools: Tools, feed: list[str], ben: AgentWithToken) -> None:
    first = tools("feed_read", project="atlas", limit=3).done()
    HttpTools(ben.token)("signal_append", project="atlas", summary="meanwhile").done()
    second = tools("feed_read", project="atlas", limit=3, before=first["next_before"])
    assert [event["id"] for event in second["events"]] == feed[3:0:-1]


def test_hub_04_since_reads_on_oldest_first_and_an_empty_poll_keeps_the_cursor(tools: Tools, feed: list[str]) -> None:
    cursor, seen = feed[0], []
    while True:
        page = tools("feed_read", project="atlas", limit=2, since=cursor).done()
        if not page["events"]:
            break
        seen += [event["id"] for event in page["events"]]
        cursor = page["next_since"]
    assert seen == feed[1:]
    assert page["next_since"] == cursor == feed[-1]


def test_hub_04_the_first_page_says_where_to_poll_from(tools: Tools, feed: list[str], ben: AgentWithToken) -> None:
    newest = tools("feed_read", project="atlas")["next_since"]
    assert newest == feed[-1]
    posted = HttpTools(ben.token)("signal_append", project="atlas", summary="new")["event"]
    assert [event["id"] for event in tools("feed_read", project="atlas", since=newest)["events"]] == [posted]


def test_hub_04_filters_by_kind_session_and_agent(tools: Tools, feed: list[str], ada: AgentWithToken) -> None:
    def ids(**filters: object) -> list[str]:
        return [event["id"] for event in tools("feed_read", project="atlas", **filters)["events"]]

    session = HttpTools(ada.token)("session_list", project="atlas", agent="ada")["sessions"][0]["id"]
    assert ids(kinds=["finished"]) == [feed[3]]
    assert ids(kinds=["finished", "signal"]) == feed[::-1]
    assert ids(agent="ada", kinds=["signal", "finished"]) == feed[6::-2]
    assert ids(session=session, kinds=["signal", "finished"]) == feed[6::-2]
    assert ids(session=session, agent="ben") == []
    assert ids(agent="nobody") == []
    assert ids(agent="") == []


def test_hub_04_a_default_page_stays_small_and_loses_nothing(
    tools: Tools, feed: list[str], ada: AgentWithToken
) -> None:
    posts = HttpTools(ada.token)
    big = [
        posts("signal_append", project="atlas", summary="x" * 1000, payload={"text": "y" * 7000})["event"]
        for _ in range(4)
    ]
    seen: list[str] = []
    before: dict[str, str] = {}
    while True:
        page = tools("feed_read", project="atlas", **before).done()
        assert len(str(page)) < 20_000
        seen += [event["id"] for event in page["events"]]
        if page["next_before"] is None:
            break
        before = {"before": page["next_before"]}
    assert [event for event in seen if event in {*big, *feed}] == [*feed, *big][::-1]


def test_idn_06_system_events_never_reach_an_agents_feed(tools: Tools, feed: list[str], human_client: Client) -> None:
    update_project(HUB, "atlas", name="Renamed")
    shown = HumanApi(human_client).get("/projects/atlas/events", kinds="system")["events"]
    assert {event["payload"]["action"] for event in shown} == {"project_created", "project_updated"}
    for asked in ({}, {"kinds": ["system"]}, {"kinds": ["system", "signal"]}, {"since": "0" * 26}, {"agent": "hub"}):
        events = tools("feed_read", project="atlas", limit=500, **asked)["events"]
        assert "system" not in {event["kind"] for event in events}
    assert tools("feed_read", project="atlas", kinds=["system"])["events"] == []


def test_idn_06_no_reply_can_be_hung_on_a_system_event(tools: Tools, feed: list[str], ada: AgentWithToken) -> None:
    audit = Event.objects.filter(project="atlas", kind=Kind.SYSTEM).get()
    assert tools("signal_append", project="atlas", summary="x", thread=audit.pk).code == "not_found"


def test_hub_05_an_event_names_its_session_and_a_session_counts_per_kind(
    tools: Tools, ada: AgentWithToken, human_client: Client, project: Project
) -> None:
    session = tools("session_start", project="atlas", name="one")["session"]
    for number in range(3):
        tools("signal_append", project="atlas", summary=f"s{number}").done()
    tools("signal_append", project="atlas", summary="done", kind="finished").done()
    tools("question_post", project="atlas", subject="which?").done()
    assert Event.objects.filter(session=session, kind="signal").count() == 3
    shown = HumanApi(human_client).get(f"/sessions/{session}")
    assert shown["produced"] == {"finished": 1, "question": 1, "signal": 3}


def test_hub_05_counting_reads_no_payload(tools: Tools, project: Project) -> None:
    session = tools("session_start", project="atlas", name="one")["session"]
    tools("signal_append", project="atlas", summary="s").done()
    with CaptureQueriesContext(connection) as queries:
        assert produced(session) == {"signal": 1}
    (query,) = queries.captured_queries
    assert "payload" not in query["sql"]
    explain = "EXPLAIN QUERY PLAN " if connection.vendor == "sqlite" else "EXPLAIN "
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off")  # a handful of rows is cheaper to scan
        cursor.execute(explain + query["sql"])
        plan = str(cursor.fetchall())
    assert "event_session" in plan, plan


def test_hub_01_a_feed_holds_its_project_alone(tools: Tools, feed: list[str]) -> None:
    make_project("other")
    tools("session_start", project="other", name="elsewhere").done()
    posted = tools("signal_append", project="other", summary="here")["event"]
    assert posted not in [event["id"] for event in tools("feed_read", project="atlas")["events"]]
    assert [event["id"] for event in tools("feed_read", project="other", kinds=["signal"])["events"]] == [posted]
