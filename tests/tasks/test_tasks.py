"""Tasks: who creates them, how they move, who runs them (TSK-01, TSK-04, MEM-05, MEM-07)."""

import json
from typing import Any

import pytest
from django.db import DatabaseError, transaction
from django.test import Client

from core.actor import HUB
from identity.models import Grant
from identity.operations import set_grant
from projects.models import Project
from tasks.models import Delegation, RejectedEvidence, Snapshot, Task
from tasks.outbox_models import OutboxRow
from tests.brains import begin
from tests.inprocess import HttpTools, HumanApi, McpTools, nothing_stored
from tests.tasks.desk import Run, begun, created
from tests.tasks.untouched import without_trigger
from tests.world import AgentWithToken, Person, make_agent, make_person, make_project


def test_tsk_01_a_task_from_its_creation_to_its_end(run: Run) -> None:
    task = run.now()
    assert [(row["action"], row["status"]) for row in task["timeline"]] == [
        ("create", "created"),
        ("ready", "ready"),
        ("start", "running"),
    ]
    assert (task["subject"], task["agent"], task["generation"], task["revision"]) == ("kim", "ada", 1, 3)
    done = run.complete().done()
    assert (done["status"], done["revision"]) == ("completed", 4)
    feed = run.human_api.get("/projects/atlas/events", kinds="system", limit=20)["events"]
    actions = [event["payload"]["action"] for event in feed if "task" in event["payload"]]
    assert actions == ["task.complete", "task.start", "task.ready", "task.create"]


@pytest.mark.parametrize("end", ["completed", "failed", "cancelled"])
def test_tsk_01_an_end_is_an_end(run: Run, end: str) -> None:
    run.complete(outcome=end).done()
    revision = run.revision
    with nothing_stored():
        for action in ("start", "complete", "fail", "cancel", "rebuild", "prepare"):
            refusal = run.human_api.post(f"/tasks/{run.task}/{action}", expected_revision=revision)
            assert refusal.code == "conflict", action
            assert refusal.details["status"] == end
    with pytest.raises(DatabaseError), transaction.atomic():
        Task.objects.filter(pk=run.task).update(status="running", ended_at=None)


def test_tsk_01_a_move_names_what_it_saw(run: Run) -> None:
    with nothing_stored():
        missing = run.tools("task_complete", task=run.task)
        assert (missing.code, missing.details["current_revision"]) == ("precondition_required", 3)
        old = run.complete(expected_revision=2)
        assert (old.code, old.details["reason"], old.details["current_revision"]) == ("conflict", "revision", 3)


def test_tsk_04_a_rebuild_begins_the_next_generation_and_ends_what_the_last_was_given(run: Run) -> None:
    first = run.now()["snapshot"]
    rebuilt = run.human_api.post(f"/tasks/{run.task}/rebuild", expected_revision=3).done()
    assert (rebuilt["status"], rebuilt["generation"]) == ("ready", 2)
    assert rebuilt["delegation"] != run.delegation
    assert run.recall().code == "delegation_revoked"
    stale = run.complete(generation=1)
    assert (stale.code, stale.details["reason"]) == ("conflict", "stale_generation")
    older = run.complete(expected_revision=3)
    assert (older.code, older.details["reason"]) == ("conflict", "stale_generation")
    assert run.complete().details["status"] == "ready"  # it is to be started first
    assert Snapshot.objects.filter(task=run.task).count() == 2
    assert Snapshot.objects.get(task=run.task, generation=1).sha256 == first["sha256"]
    begin_again = run.tools("session_start", project="atlas", name=run.task.lower(), task=run.task)
    assert (begin_again["session"], begin_again["resumed"]) == (run.session, True)
    assert run.recall(delegation=rebuilt["delegation"])["hits"]


@pytest.mark.parametrize("end", ["complete", "fail", "cancel"])
def test_tsk_04_the_delegation_ends_with_the_task(run: Run, end: str) -> None:
    run.human_api.post(f"/tasks/{run.task}/{end}", expected_revision=3).done()
    refusal = run.recall()
    assert refusal.code == "delegation_revoked"
    assert refusal.details["reason"] in {"completed", "failed", "cancelled"}


def test_tsk_01_adopting_a_session_keeps_its_task_and_a_fork_has_none(
    run: Run, ben_tools: HttpTools, human_api: HumanApi
) -> None:
    fork = ben_tools("session_start", project="atlas", name="fork", **{"from": {"session": run.session}})
    assert fork["task"] is None
    run.tools("session_end", session=run.session).done()
    adopted = ben_tools("session_start", project="atlas", name="adopted", **{"from": {"session": run.session}})
    assert (adopted["pickup"]["mode"], adopted["task"]) == ("adopt", run.task)
    seen = ben_tools("task_get").done()  # he may see what it is, and not what Kim lent to Ada
    assert (seen["id"], seen["delegation"]) == (run.task, None)
    assert ben_tools("task_snapshot", task=run.task).code == "not_found"
    assert ben_tools("brain_get", session=run.session, path="/fs/.hub/context/snapshot.md").code == "not_found"
    assert ben_tools("knowledge_recall", delegation=run.delegation, query="heron").code == "not_found"
    assert ben_tools("task_complete", task=run.task, expected_revision=3).code == "not_found"
    rebuilt = human_api.post(f"/tasks/{run.task}/rebuild", expected_revision=3, agent="ben").done()
    assert ben_tools("task_get")["delegation"]["id"] == rebuilt["delegation"]
    assert run.tools("task_get", task=run.task).code == "not_found"


def test_tsk_01_a_session_runs_a_task_of_its_own_agent_and_one_alone(run: Run, ben_tools: HttpTools) -> None:
    with nothing_stored():
        assert ben_tools("session_start", project="atlas", name="mine", task=run.task).code == "not_found"
    other = created(run.human_api)["task"]
    with nothing_stored():
        name = run.task.lower()
        assert run.tools("session_start", project="atlas", name=name, task=other).code == "conflict"
        source = {"session": run.session}
        both = run.tools("session_start", project="atlas", name="x", task=other, **{"from": source})
        assert both.code == "invalid_argument"
    run.complete().done()
    assert run.tools("session_start", project="atlas", name="late", task=run.task).code == "conflict"


def test_tsk_01_an_agent_creates_a_task_for_who_has_allowed_it(
    project: Project, human: Person, ada_tools: HttpTools, human_api: HumanApi
) -> None:
    asked = {"project": "atlas", "title": "Mine", "text": "Do it.", "subject": "kim"}
    with nothing_stored():
        assert ada_tools("task_create", **asked).code == "forbidden"
        nobody = ada_tools("task_create", **{**asked, "subject": "nobody"})
    assert nobody.code == "forbidden"  # who is not there and who has not allowed it look the same
    assert human_api.get("/task-setting")["agents_may_create"] is False
    human_api.put("/task-setting", agents_may_create=True).done()
    task = ada_tools("task_create", **asked).done()
    assert task["status"] == "ready"
    assert ada_tools("task_list")["tasks"][0]["subject"] == "kim"
    human_api.put("/task-setting", agents_may_create=False).done()
    assert ada_tools("task_create", **asked).code == "forbidden"
    assert human_api.post("/projects/atlas/tasks", title="x", text="x", agent="ada", subject="lee").code == "forbidden"


def test_tsk_01_bad_input_is_refused_by_name_and_stores_nothing(
    project: Project, ada: AgentWithToken, human_api: HumanApi
) -> None:
    good = {"title": "x", "text": "x", "agent": "ada"}
    bad: dict[str, object] = {
        "title": "",
        "text": "x" * 20_001,
        "nodes": [{"kind": "nonsense"}],
        "scopes": ["knowledge.write"],
        "lifetime": 604_801,
    }
    human_api.get("/tasks").done()
    with nothing_stored():
        for field, value in bad.items():
            refusal = human_api.post("/projects/atlas/tasks", **{**good, field: value})
            assert (refusal.code, refusal.details["field"]) == ("invalid_argument", field)
        assert human_api.post("/projects/atlas/tasks", **{**good, "agent": "nobody"}).code == "not_found"
        assert human_api.post("/projects/atlas/tasks", **{**good, "spaces": ["x" * 26]}).code == "not_found"
        assert human_api.post("/projects/nowhere/tasks", **good).code == "not_found"


def test_mem_04_the_snapshot_is_served_alike_everywhere_and_read_only(run: Run, ada: AgentWithToken) -> None:
    served = run.tools("task_snapshot", task=run.task).done()
    place = "/fs/.hub/context"
    assert run.tools("brain_get", session=run.session, path=f"{place}/snapshot.json", encoding="base64").done()
    text = run.tools("brain_get", session=run.session, path=f"{place}/snapshot.json")["content"]
    assert text == served["content"] == run.human_api.get(f"/tasks/{run.task}/snapshot")["content"]
    assert served["sha256"] == run.now()["snapshot"]["sha256"]
    assert "does not replace" in served["markdown"].partition("##")[0]
    level = run.tools("brain_list", session=run.session, path="/fs")["entries"]
    assert [row["name"] for row in level] == [".hub"]
    run.tools("brain_put", session=run.session, path="/fs/.a", content="x", store="session").done()
    level = run.tools("brain_list", session=run.session, path="/fs", limit=1)
    assert ([row["name"] for row in level["entries"]], level["next_cursor"]) == ([".a"], ".a")
    level = run.tools("brain_list", session=run.session, path="/fs", cursor=".a")
    assert [row["name"] for row in level["entries"]] == [".hub"]
    with nothing_stored():
        for path in (f"{place}/snapshot.md", "/fs/.hub", "/fs/.hub/new", "/fs/x/../.hub/y"):
            for call in (
                {"content": "x"},
                {"content": "x", "append": True},
            ):
                refusal = run.tools("brain_put", session=run.session, path=path, store="session", **call)
                assert refusal.code in {"forbidden", "invalid_argument"}, path
            assert run.tools("brain_delete", session=run.session, path=path, store="session").code in {
                "forbidden",
                "invalid_argument",
            }
        promoted = run.tools("brain_promote", from_path=f"{place}/snapshot.md", to_path="/fs/x.md")
        assert promoted.code == "not_found"


def test_mem_04_nobody_else_gets_to_see_a_snapshot(run: Run, ben_tools: HttpTools) -> None:
    lee = Client()
    lee.force_login(make_person("lee").user)
    assert HumanApi(lee).get(f"/tasks/{run.task}")["snapshot"]["sha256"]
    assert HumanApi(lee).get(f"/tasks/{run.task}/snapshot").code == "not_found"
    assert ben_tools("task_get", task=run.task).code == "not_found"
    assert ben_tools("brain_list", session=run.session, path="/fs")["entries"] == []


def test_mem_04_altered_bytes_refuse_to_run(
    document: str, human: Person, ada_tools: HttpTools, human_api: HumanApi
) -> None:
    task = created(human_api)["task"]
    with pytest.raises(DatabaseError), transaction.atomic():
        Snapshot.objects.update(content=b"{}")
    with without_trigger("tasks_snapshot", "tasks_snapshot_fixed"):
        Snapshot.objects.update(markdown="Do what I say.")
    with nothing_stored():
        for refusal in (
            human_api.post(f"/tasks/{task}/start", expected_revision=2),
            ada_tools("session_start", project="atlas", name="main", task=task),
            ada_tools("task_snapshot", task=task),
        ):
            assert (refusal.code, refusal.details["reason"]) == ("conflict", "snapshot_altered")
    human_api.post(f"/tasks/{task}/rebuild", expected_revision=2).done()
    ada_tools("session_start", project="atlas", name="main", task=task).done()


def test_mem_07_evidence_is_offered_by_completing_alone_and_waits_in_the_same_transaction(run: Run) -> None:
    item = {"kind": "fact", "text": "The lake freezes in January."}
    with nothing_stored():
        for end in ("failed", "cancelled"):
            refusal = run.complete(outcome=end, memory_evidence=[item])
            assert (refusal.code, refusal.details["field"]) == ("invalid_argument", "memory_evidence")
        for bound in ("subject", "task", "generation", "status", "revision"):
            refusal = run.complete(memory_evidence=[{**item, bound: "1"}])
            assert (refusal.code, refusal.details["field"]) == ("invalid_argument", f"memory_evidence.0.{bound}")
        assert run.complete(memory_evidence=[item] * 21).code == "invalid_argument"
        assert run.complete(memory_evidence=[{**item, "text": "x" * 1001}]).code == "invalid_argument"
    secret = {"kind": "fact", "text": "Write to kim@example.org about it."}
    done = run.complete(memory_evidence=[item, secret], idempotency_key="once").done()
    assert done["memory_evidence"]["taken"] == 1
    assert [row["kind"] for row in done["memory_evidence"]["rejected"]] == ["fact"]
    row = OutboxRow.objects.get(task=run.task)
    assert [kept["text"] for kept in row.items] == [item["text"]]
    kept = RejectedEvidence.objects.get()
    assert (kept.kind, len(kept.sha256)) == ("fact", 64)
    assert run.complete(expected_revision=3, memory_evidence=[item, secret], idempotency_key="once").done() == done
    assert OutboxRow.objects.count() == 1


def test_mem_07_what_cannot_wait_completes_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise DatabaseError("no outbox")

    monkeypatch.setattr("tasks.outbox.enqueue", broken)
    with nothing_stored():
        run.complete(memory_evidence=[{"kind": "fact", "text": "Herons."}])
    assert run.now()["status"] == "running"


def test_tsk_06_the_recall_skill_is_in_every_node_in_no_listing_and_stays(run: Run, ben_tools: HttpTools) -> None:
    nodes = [{"kind": "plan", "skills": []}, {"kind": "report", "title": "Tell Kim"}]
    task = created(run.human_api, nodes=nodes)["task"]
    name = "system.knowledge-recall"
    for node in run.tools("task_get", task=task)["nodes"]:
        assert node["skills"][0]["name"] == name
        assert "knowledge_recall" in node["skills"][0]["instructions"]
    assert name not in str(run.human_api.get("/node-library").done())
    with nothing_stored():
        for at in (f"/tasks/{task}/nodes/1/skills/{name}", f"/tasks/{task}/nodes/2/skills/{name}"):
            assert run.human_api.delete(at).code == "not_found"
        assert run.human_api.get(f"/node-library/skills/{name}").code == "not_found"
        given = {"title": "x", "text": "x", "agent": "ada", "nodes": [{"kind": "plan", "skills": [name]}]}
        assert run.human_api.post("/projects/atlas/tasks", **given).code == "not_found"
    run.human_api.delete(f"/tasks/{task}/nodes/2/skills/show").done()
    assert [skill["name"] for skill in run.tools("task_get", task=task)["nodes"][1]["skills"]] == [name, "hand-over"]


def test_hub_08_everything_of_a_task_goes_with_its_project_and_nothing_before(run: Run, human_api: HumanApi) -> None:
    run.recall().done()
    for rows in (Snapshot.objects, Delegation.objects):
        with pytest.raises(DatabaseError), transaction.atomic():
            rows.all().delete()
    human_api.delete("/projects/atlas", confirm="atlas").done()
    hanging: list[Any] = [relation.related_model for relation in Task._meta.related_objects]
    assert {model.__name__: model._base_manager.count() for model in [Task, *hanging]} == dict.fromkeys(
        [model.__name__ for model in [Task, *hanging]], 0
    )


def test_agt_01_the_tools_of_a_task_are_listed_to_who_runs_one(run: Run, ben: AgentWithToken) -> None:
    tools = {"knowledge_recall", "knowledge_read", "task_get", "task_complete"}
    hers, his = McpTools(run.tools._headers["Authorization"].removeprefix("Bearer ")), McpTools(ben.token)  # type: ignore[attr-defined]
    listed = hers.ask("tools/list")
    assert len(json.dumps(listed, separators=(",", ":"))) < 20_000
    assert tools <= {tool["name"] for tool in listed["tools"]}
    assert not tools & {tool["name"] for tool in his.ask("tools/list")["tools"]}
    uri = f"hub://task/{run.task}/snapshot"
    assert uri in {row["uri"] for row in hers.ask("resources/list")["resources"]}
    parts = hers.ask("resources/read", uri=uri)["contents"]
    assert parts[1]["text"] == run.tools("task_snapshot", task=run.task)["content"]
    run.complete().done()
    assert not tools & {tool["name"] for tool in hers.ask("tools/list")["tools"]}


def test_tsk_02_a_project_that_closes_to_the_agent(run: Run) -> None:
    make_project("closed", restricted=True)
    refusal = run.human_api.post("/projects/closed/tasks", title="x", text="x", agent="ada")
    assert refusal.code == "scope_exceeds_actor"
    set_grant(HUB, "closed", agent="ada", level=Grant.Level.READ)
    assert created(run.human_api, project="closed")["status"] == "ready"
    outsider = make_agent("outsider", trusted=False, closed="read")
    assert HttpTools(outsider.token)("task_list")["tasks"] == []
    assert begin(run.tools, "other")
    assert begun(run.human_api, run.tools).recall()["hits"]
