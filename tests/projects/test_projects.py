"""HUB-06, HUB-07, HUB-08: names, the cursor, and what is unseen."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from core.actor import HUB
from core.errors import HubError
from inbox.operations import post_question, post_signal
from projects.models import Event, FeedCursor, Project
from projects.operations import create_project, open_feed, update_project
from tests.inprocess import HttpTools, HumanApi, nothing_stored
from tests.world import AgentWithToken, Person, make_project


@pytest.fixture
def api(human_client: Client) -> HumanApi:
    return HumanApi(human_client)


def post(agent: AgentWithToken, number: int = 1, slug: str = "atlas") -> list[str]:
    return [post_signal(agent.actor, slug, summary=f"n{index}")["event"] for index in range(number)]


def unseen(api: HumanApi, slug: str = "atlas") -> Any:
    return next(row["unseen"] for row in api.get("/projects")["projects"] if row["slug"] == slug)


def rows_but_events() -> list[Any]:
    """Every row of every table of ours that is no event, project aside."""
    tables = [name for name in connection.introspection.table_names() if name.startswith(("inbox", "identity", "sess"))]
    with connection.cursor() as cursor:
        found = []
        for table in sorted(tables):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)} ORDER BY 1")  # noqa: S608 - own names
            found.append((table, cursor.fetchall()))
    return found


def test_hub_06_renaming_changes_one_column(api: HumanApi, project: Project, ada: AgentWithToken) -> None:
    post(ada, 2)
    post_question(ada.actor, "atlas", subject="which?")
    before, others = Project.objects.filter(pk="atlas").values().get(), rows_but_events()
    events = list(Event.objects.order_by("pk").values())
    assert api.patch("/projects/atlas", name="A new name")["project_name"] == "A new name"
    assert Project.objects.filter(pk="atlas").values().get() == before | {"name": "A new name"}
    assert rows_but_events() == others
    assert list(Event.objects.order_by("pk").values())[: len(events)] == events
    assert [item["project_name"] for item in api.get("/inbox")["items"]] == ["A new name"]


def test_hub_06_the_slug_is_read_only_after_creation(api: HumanApi, project: Project) -> None:
    with nothing_stored():
        refusal = api.patch("/projects/atlas", slug="other")
    assert (refusal.code, refusal.details["field"]) == ("invalid_argument", "slug")
    assert Project.objects.filter(pk="atlas").exists()


def test_hub_06_the_artifact_policy_is_a_column_and_settings_are_reserved(api: HumanApi, project: Project) -> None:
    assert api.patch("/projects/atlas", artifact_policy="required")["artifact_policy"] == "required"
    row = Project.objects.get(pk="atlas")
    assert (row.artifact_policy, row.settings) == ("required", {})
    assert api.patch("/projects/atlas", artifact_policy="maybe").details["field"] == "artifact_policy"
    assert api.patch("/projects/atlas", settings={}).details["field"] == "settings"


@pytest.mark.parametrize("slug", ["", "Atlas", "a b", "../x", "~ada", "-a", "a-", "a/b", "é", "a" * 64, "a\n"])
def test_hub_06_a_slug_that_is_no_slug_is_refused(api: HumanApi, db: None, slug: str) -> None:
    with nothing_stored():
        assert api.post("/projects", slug=slug).details["field"] == "slug"


def test_hub_06_a_slug_is_taken_once(api: HumanApi, project: Project) -> None:
    with nothing_stored():
        assert api.post("/projects", slug="atlas").code == "conflict"


def test_hub_06_a_personal_space_keeps_its_own_rule(api: HumanApi, ada: AgentWithToken) -> None:
    with nothing_stored():
        assert api.patch(f"/projects/{ada.space}", restricted=True).code == "conflict"


def test_hub_07_every_event_above_the_cursor_is_unseen(api: HumanApi, project: Project, ada: AgentWithToken) -> None:
    events = post(ada, 5)
    assert unseen(api) == 5
    assert api.post("/projects/atlas/cursor", event=events[2])["moved"] is True
    assert unseen(api) == 2
    assert api.post("/projects/atlas/cursor", event=events[4])["moved"] is True
    assert unseen(api) == 0
    post(ada)
    assert unseen(api) == 1


def test_hub_07_the_cursor_moves_forward_only(api: HumanApi, project: Project, ada: AgentWithToken) -> None:
    events = post(ada, 3)
    api.post("/projects/atlas/cursor", event=events[2]).done()
    assert api.post("/projects/atlas/cursor", event=events[0])["moved"] is False
    assert api.post("/projects/atlas/cursor", event=events[2])["moved"] is False
    assert FeedCursor.objects.get(project="atlas").event == events[2]


def test_hub_07_the_cursor_takes_only_an_event_of_its_project(
    api: HumanApi, project: Project, ada: AgentWithToken
) -> None:
    make_project("other")
    (elsewhere,) = post(ada, slug="other")
    with nothing_stored():
        assert api.post("/projects/atlas/cursor", event=elsewhere).code == "not_found"
        assert api.post("/projects/atlas/cursor", event="0" * 26).code == "not_found"
        assert api.post("/projects/atlas/cursor", event="x").details["field"] == "event"
        assert api.post("/projects/nowhere/cursor", event=elsewhere).code == "not_found"


def test_hub_07_only_the_human_moves_it(project: Project, ada: AgentWithToken, api: HumanApi) -> None:
    (event,) = post(ada)
    HttpTools(ada.token)("feed_read", project="atlas").done()
    api.get("/projects/atlas/events").done()  # reading as such does not move it either
    assert not FeedCursor.objects.exists()
    with pytest.raises(HubError, match="may not"):
        open_feed(ada.actor, "atlas", event=event)
    assert not FeedCursor.objects.exists()


def test_hub_07_system_events_are_never_counted(api: HumanApi, project: Project, ada: AgentWithToken) -> None:
    assert unseen(api) == 0  # its creation stands in the feed
    post(ada)
    update_project(HUB, "atlas", name="Renamed")
    assert unseen(api) == 1
    assert unseen(api, ada.space) == 0  # agent created, token issued


def test_hub_07_counting_all_projects_takes_the_same_queries_however_many(
    api: HumanApi, project: Project, ada: AgentWithToken
) -> None:
    def queries() -> list[str]:
        with CaptureQueriesContext(connection) as captured:
            api.get("/projects").done()
        return [query["sql"] for query in captured.captured_queries]

    few = queries()
    for number in range(12):
        make_project(f"more{number}")
        events = post(ada, 2, f"more{number}")
        open_feed(HUB, f"more{number}", event=events[number % 2])
    many = queries()
    assert len(many) == len(few)
    assert sum("projects_event" in query for query in many) == 1
    counts = {row["slug"]: row["unseen"] for row in api.get("/projects")["projects"]}
    assert [counts[f"more{number}"] for number in range(4)] == [1, 0, 1, 0]


def test_hub_07_the_count_of_all_projects_seeks_above_each_cursor(
    api: HumanApi, project: Project, ada: AgentWithToken
) -> None:
    post(ada, 3)
    with CaptureQueriesContext(connection) as captured:
        api.get("/projects").done()
    (query,) = [query["sql"] for query in captured.captured_queries if "projects_event" in query["sql"]]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(("EXPLAIN QUERY PLAN " if connection.vendor == "sqlite" else "EXPLAIN ") + query)
        plan = "\n".join(str(row) for row in cursor.fetchall())
    assert "event_feed" in plan, plan


def test_hub_08_a_project_made_later_has_no_cursor_and_its_first_events_are_new(
    api: HumanApi, ada: AgentWithToken, human: Person
) -> None:
    create_project(human.actor, slug="later")
    post(ada, 3, "later")
    assert not FeedCursor.objects.filter(project="later").exists()
    assert unseen(api, "later") == 3


def test_hub_08_the_rows_of_a_project_go_with_it(project: Project, ada: AgentWithToken) -> None:
    (event,) = post(ada)
    open_feed(HUB, "atlas", event=event)
    project.delete()
    assert not Event.objects.filter(project="atlas").exists()
    assert not FeedCursor.objects.exists()


def test_a_full_feed_refuses_agents_but_not_the_answer_of_a_person(
    api: HumanApi, project: Project, ada: AgentWithToken, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = post_question(ada.actor, "atlas", subject="which?")["event"]
    monkeypatch.setattr("core.limits.EVENTS_PER_PROJECT", 1)
    monkeypatch.setattr("projects.feed._room", {})
    tools = HttpTools(ada.token)
    session = tools("session_start", project="atlas", name="one")["session"]  # sessions are exempt
    with nothing_stored():
        refusal = tools("signal_append", project="atlas", summary="one too many")
    assert (refusal.code, refusal.body["retryable"]) == ("rate_limited", True)
    assert refusal.details["limit"] == 1
    api.post(f"/inbox/{asked}/answer", body="this one").done()
    tools("session_end", session=session).done()
