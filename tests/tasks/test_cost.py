"""TSK-05, TSK-07, MEM-08: lists, look-ups and recalls cost the same however much there is."""

from typing import Any

import pytest
from django.db.models import QuerySet
from django.utils import timezone

from sessions_app.models import Session
from tasks import outbox, queries
from tasks.models import Delegation, RecallEvidence, Snapshot, TaskChange
from tasks.outbox_models import OutboxRow
from tests.costs import plan, queries_of, seeks
from tests.governed.desk import published
from tests.inprocess import HumanApi
from tests.tasks.desk import Run, created
from tests.world import AgentWithToken


def plan_of(rows: QuerySet[Any]) -> str:
    """Answer how a page of rows is read."""
    (sql,) = queries_of(lambda: list(rows[:50]))
    return plan(sql)


def test_tsk_05_lists_and_look_ups_use_indexes(run: Run) -> None:
    now = timezone.now()
    for rows in (
        TaskChange.objects.filter(task=run.task).order_by("revision"),
        Snapshot.objects.filter(task=run.task, generation=1),
        Delegation.objects.filter(task=run.task, generation=1),
        RecallEvidence.objects.filter(task=run.task).order_by("-pk"),
        Session.objects.filter(agent=1, status="live", deleted_at=None),
        OutboxRow.objects.filter(state="dead").order_by("-pk"),
        OutboxRow.objects.filter(state="pending", due_at__lte=now, attempts__gte=10).order_by("due_at"),
    ):
        told = plan_of(rows)
        assert seeks(told), told


def test_tsk_01_a_page_of_tasks_is_read_by_its_projects_index(run: Run, human_api: HumanApi) -> None:
    seen = queries_of(lambda: human_api.get("/tasks", project="atlas").done())
    (sql,) = [query for query in seen if 'FROM "tasks_task"' in query and "LIMIT" in query]
    told = plan(sql)
    assert "task_project" in told, told


def test_mem_08_a_claim_seeks_what_is_due(run: Run) -> None:
    (claim,) = [sql for sql in queries_of(lambda: outbox.claimed(timezone.now())) if sql.lstrip().startswith("UPDATE")]
    told = plan(claim)
    assert seeks(told), told
    assert "outbox_due" in told, told


def test_tsk_07_a_recall_takes_as_many_queries_for_one_document_as_for_many(run: Run, human_api: HumanApi) -> None:
    costs = []
    for more in (0, 8):
        for number in range(more):
            published(run.tools, human_api, f"Herons {number}", f"# Nests\n\nThe heron builds nest {number}.")
        hits: list[Any] = []
        costs.append(len(queries_of(lambda hits=hits: hits.extend(run.recall(limit=20)["hits"]))))  # type: ignore[misc]
        assert len(hits) == 1 + more
    assert costs[0] == costs[1]


def test_tsk_05_pages_take_as_many_queries_for_one_row_as_for_many(
    run: Run, human_api: HumanApi, ada: AgentWithToken
) -> None:
    costs = []
    for more in (0, 6):
        for _ in range(more):
            created(human_api)
            run.recall().done()
        costs.append(
            [
                len(queries_of(lambda: human_api.get("/tasks", limit=50).done())),
                len(queries_of(lambda: human_api.get(f"/tasks/{run.task}/recalls", limit=50).done())),
                len(queries_of(lambda: human_api.get("/outbox").done())),
                len(queries_of(lambda: run.tools("task_list").done())),
                len(queries_of(lambda: queries.is_bound(ada.actor))),
            ]
        )
    assert costs[0] == costs[1]


@pytest.mark.parametrize("page", ["/project/atlas/tasks/", "/outbox/", "/task/{}/"])
def test_hum_01_a_page_takes_as_many_queries_for_one_row_as_for_many(
    run: Run, human_api: HumanApi, human_client: Any, page: str
) -> None:
    page = page.format(run.task)
    human_client.get(page)
    costs = []
    for more in (1, 6):
        for number in range(more):
            created(human_api)
            run.recall().done()
            outbox.enqueue(run.task, 100 * more + number, 1, [{"kind": "fact", "text": "x"}])
        costs.append(len(queries_of(lambda: human_client.get(page))))
    assert costs[0] == costs[1]
    assert max(costs) <= 40
