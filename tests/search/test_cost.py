"""SRC-01: what a search costs does not grow with what it finds, nor with what others have."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from projects.models import Event, Project
from search import index, ranking
from search.families import Document
from search.queries import Asked, search
from tests.brains import begin
from tests.inprocess import HttpTools
from tests.search.finding import page, titles
from tests.world import AgentWithToken, make_project

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def fill(project: str, number: int, text: str = "zebra in the common grass") -> None:
    """Index documents nobody will find again when they are read: enough to be ranked."""
    documents = [Document(project, f"{project}{n:06}", f"thing {n}", text, NOW) for n in range(number)]
    index.put_all("event", documents)


def queries_of(look: Callable[[], object]) -> int:
    with CaptureQueriesContext(connection) as seen:
        look()
    return len(seen)


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


def test_src_01_the_number_of_queries_does_not_grow_with_the_hits(
    project: Project, ada: AgentWithToken, ada_tools: HttpTools
) -> None:
    session = begin(ada_tools, "main")

    def grow(number: int) -> None:
        for n in range(number):
            ada_tools("signal_append", project="atlas", session=session, summary=f"zebra {n}").done()
            page(ada_tools, f"/fs/{number}/{n}.md", "zebra")
            ada_tools(
                "brain_put", store="session", session=session, path=f"/fs/{number}/{n}.md", content="zebra"
            ).done()

    costs = []
    for number in (1, 12):
        grow(number)
        search(ada.actor, Asked("zebra", limit=100))  # what was written is followed
        costs.append(queries_of(lambda: search(ada.actor, Asked("zebra grass savanna", limit=100))))
    assert costs[1] <= costs[0] <= 11


def test_src_01_a_search_that_has_nothing_to_follow_writes_nothing(
    project: Project, ada: AgentWithToken, ada_tools: HttpTools
) -> None:
    begin(ada_tools, "main", notes="zebra")
    search(ada.actor, Asked("zebra"))
    with CaptureQueriesContext(connection) as seen:
        search(ada.actor, Asked("zebra"))
    assert [query for query in seen.captured_queries if not query["sql"].lstrip().startswith("SELECT")] == []


@pytest.mark.skipif(connection.vendor != "sqlite", reason="counts the instructions of SQLite")
def test_src_01_other_projects_documents_cost_nothing(project: Project, ada: AgentWithToken) -> None:
    make_project("other")
    fill("atlas", 50)
    costs = []
    for number in (100, 3000):
        fill("other", number)
        with steps() as counted:
            search(ada.actor, Asked("zebra common", project="atlas"))
        costs.append(counted[0])
    assert costs[1] < costs[0] * 1.5 + 10, costs


@pytest.mark.skipif(connection.vendor != "sqlite", reason="counts the instructions of SQLite")
def test_src_01_a_common_word_costs_no_more_than_so_many_documents(
    project: Project, ada: AgentWithToken, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranking, "COUNTED", 100)
    costs = []
    for number in (1000, 4000):
        fill("atlas", number)
        with steps() as counted:
            answer = search(ada.actor, Asked("zebra common grass"))
        assert answer.count_capped
        costs.append(counted[0])
    assert costs[1] < costs[0] * 1.5 + 10, costs


def test_src_01_a_rare_word_is_found_among_common_ones_however_old(
    project: Project, ada_tools: HttpTools, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranking, "COUNTED", 20)
    session = begin(ada_tools, "main")
    for summary in ("the common grass of the quagga", "common grass, both"):
        ada_tools("signal_append", project="atlas", session=session, summary=summary).done()
    for n in range(40):
        summary = f"{'common' if n % 2 else 'grass'} thing {n}"
        ada_tools("signal_append", project="atlas", session=session, summary=summary).done()
    assert titles(ada_tools, "common quagga")[0] == "the common grass of the quagga"
    assert set(titles(ada_tools, "common grass")[:2]) == {"the common grass of the quagga", "common grass, both"}
    first = ada_tools("search", query="common").done()
    assert (first["count"], first["count_capped"]) == (20, True)
    assert Event.objects.filter(summary__contains="common").count() == 22
