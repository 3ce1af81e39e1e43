"""HUB-04, HUB-07: a page of a feed and the count of what is new cost the same however long the feed is."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from pytest_django import DjangoAssertNumQueries

from core import ids
from projects.models import Event, FeedCursor, Kind, Project
from projects.queries import events_of, read_feed, unseen, with_unseen
from tests.faces import AgentApi
from tests.world import AgentWithToken, make_project

pytestmark = pytest.mark.django_db
SESSION = "01J0000000000000000000000A"


def fill(project: Project, count: int, own_session: str = SESSION) -> list[str]:
    """Put `count` events into a feed, one in ten of them a question; straight into the table, for speed."""
    last = Event.objects.order_by("-pk").values_list("pk", flat=True).first()
    minted = []
    for number in range(count):
        last = ids.after(last)
        kind = Kind.QUESTION if number % 10 == 0 else Kind.SIGNAL
        actor = "ada" if number % 3 else "ben"
        session = None if number % 10 else own_session
        minted.append(
            Event(
                id=last,
                project=project,
                kind=kind,
                actor=actor,
                session=session,
                summary=f"event {number}",
                created_at=datetime.now(UTC),
            )
        )
    Event.objects.bulk_create(minted, batch_size=1000)
    return [event.pk for event in minted]


PAGES: dict[str, Callable[[Project, str], Any]] = {
    "newest": lambda project, _: read_feed(events_of(project), since=None, before=None, limit=50),
    "before": lambda project, middle: read_feed(events_of(project), since=None, before=middle, limit=50),
    "since": lambda project, middle: read_feed(events_of(project), since=middle, before=None, limit=50),
    "one kind": lambda project, _: read_feed(events_of(project, kinds=["question"]), since=None, before=None, limit=50),
    "one session": lambda project, _: read_feed(events_of(project, session=SESSION), since=None, before=None, limit=50),
    "one agent": lambda project, _: read_feed(events_of(project, actor="ben"), since=None, before=None, limit=50),
    "two kinds": lambda project, _: read_feed(
        events_of(project, kinds=["question", "signal"]), since=None, before=None, limit=50
    ),
}


@contextmanager
def steps() -> Iterator[list[int]]:
    """Count what SQLite's engine executes, in units of 100 instructions."""
    count = [0]

    def one() -> int:
        count[0] += 1
        return 0

    connection.ensure_connection()
    raw: Any = connection.connection
    raw.set_progress_handler(one, 100)
    try:
        yield count
    finally:
        raw.set_progress_handler(None, 100)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="counts the instructions of SQLite")
def test_hub_04_a_page_costs_the_same_in_a_feed_ten_times_as_long(project: Project) -> None:
    costs: dict[str, list[int]] = {name: [] for name in PAGES}
    for count in (1000, 9000):
        stored = fill(project, count)
        connection.cursor().execute("ANALYZE")
        for name, read in PAGES.items():
            with steps() as counted:
                read(project, stored[count // 2])
            costs[name].append(counted[0])
    assert {name: cost for name, cost in costs.items() if cost[1] > cost[0] * 1.5 + 2} == {}


@pytest.mark.parametrize(
    ("filters", "index"),
    [
        ({}, "event_feed"),
        ({"kinds": ["question"]}, "event_feed_kind"),
        ({"actor": "ben"}, "event_feed_actor"),
        ({"session": SESSION}, "event_session"),
    ],
)
def test_hub_04_the_plan_of_a_page_uses_an_index(project: Project, filters: dict[str, Any], index: str) -> None:
    fill(project, 1000)
    fill(make_project("other"), 9000, own_session="01J0000000000000000000000B")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    plan = events_of(project, **filters).order_by("-pk")[:50].explain()
    assert f" {index}" in plan, plan
    # PostgreSQL may sort the few rows of a short session; neither may read the table through.
    assert "TEMP B-TREE" not in plan, plan
    assert "Seq Scan" not in plan, plan


def test_hub_04_reading_a_feed_takes_the_same_queries_for_one_row_and_for_many(
    ada: AgentWithToken, project: Project, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    api = AgentApi(ada.token)
    fill(project, 1)
    with django_assert_max_num_queries(12) as few:
        assert len(api.get(f"/projects/{project.slug}/events").json["events"]) == 1
    fill(project, 400)
    with django_assert_max_num_queries(len(few)):
        assert len(api.get(f"/projects/{project.slug}/events", limit=200).json["events"]) == 200


@pytest.mark.skipif(connection.vendor != "sqlite", reason="counts the instructions of SQLite")
def test_hub_07_counting_what_is_new_does_not_read_what_was_seen(project: Project) -> None:
    costs = []
    for count in (1000, 9000):
        stored = fill(project, count)
        FeedCursor.objects.update_or_create(project=project, defaults={"event": stored[-20]})
        connection.cursor().execute("ANALYZE")
        with steps() as counted:
            assert unseen(project).count() == 19
            assert with_unseen(Project.objects.filter(pk=project.pk)).get().unseen == 19  # type: ignore[attr-defined]
        costs.append(counted[0])
    assert costs[1] <= costs[0] * 1.5 + 2, costs
