"""A snapshot is of its moment: what it was made of may change and go, and it stays, byte for byte (MEM-04)."""

from core.operation import MEMORY
from hubsite.mcp.resources import read
from projects.models import Project
from tests.costs import queries_of
from tests.inprocess import HttpTools, HumanApi
from tests.tasks.desk import Run, created
from tests.world import AgentWithToken

MARKER = "zanzibar-quokka"


def test_mem_04_editing_and_forgetting_change_no_snapshot_and_a_rebuild_resolves_anew(
    project: Project, ada: AgentWithToken, ada_tools: HttpTools, human_api: HumanApi
) -> None:
    kept = human_api.post("/memory", kind="preference", text=f"Kim writes about the {MARKER}.").done()
    task = created(human_api)["task"]
    frozen = ada_tools("task_snapshot", task=task).done()
    assert MARKER in frozen["content"]
    assert MARKER in frozen["markdown"]
    human_api.put(f"/memory/{kept['entry']}", text="Kim writes about herons.", expected_revision=1).done()
    assert ada_tools("task_snapshot", task=task).done() == frozen
    human_api.delete(f"/memory/{kept['entry']}").done()
    assert ada_tools("task_snapshot", task=task).done() == frozen
    human_api.post(f"/tasks/{task}/rebuild", expected_revision=2).done()
    anew = ada_tools("task_snapshot", task=task)
    assert MARKER not in anew["content"]
    assert "herons" not in anew["content"].partition("entries")[2]


def test_mem_01_what_a_snapshot_says_is_found_by_no_search_feed_or_recall(run: Run) -> None:
    run.human_api.post("/memory", kind="preference", text=f"Kim writes about the {MARKER}.").done()
    run.human_api.post(f"/tasks/{run.task}/rebuild", expected_revision=3).done()
    run.tools("session_start", project="atlas", name=run.task.lower(), task=run.task).done()
    assert MARKER in run.tools("task_snapshot", task=run.task)["content"]
    delegation = run.now()["delegation"]["id"]
    for answer in (
        run.tools("search", query=MARKER),
        run.tools("feed_read", project="atlas"),
        run.human_api.get("/projects/atlas/events", kinds="system", limit=50),
        run.recall(MARKER, delegation=delegation),
        run.tools("session_brief", project="atlas"),
        run.tools("task_list"),
    ):
        assert f"about the {MARKER}" not in str(answer.done())


def test_mem_10_a_snapshot_is_replayed_without_index_and_without_the_memory_database(
    run: Run, ada: AgentWithToken
) -> None:
    looks = {
        "over HTTP": lambda: run.tools("task_snapshot", task=run.task).done(),
        "as its subject": lambda: run.human_api.get(f"/tasks/{run.task}/snapshot").done(),
        "as a file": lambda: run.tools("brain_get", session=run.session, path="/fs/.hub/context/snapshot.json").done(),
        "as a resource": lambda: read(ada.actor, f"hub://task/{run.task}/snapshot", ""),
    }
    for name, look in looks.items():
        assert queries_of(look, MEMORY) == [], name
        assert [sql for sql in queries_of(look) if "search_" in sql or "knowledge_chunk" in sql] == [], name
