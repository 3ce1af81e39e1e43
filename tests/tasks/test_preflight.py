"""Preparing a task: all of it, or nothing and a reason, and it can be tried again (TSK-02, MEM-04, MEM-10)."""

from collections.abc import Callable

import pytest
from django.contrib.auth import get_user_model
from django.db import DatabaseError

from core.actor import HUB
from core.errors import HubError
from core.limits import DELEGATION_DEFAULT_SECONDS
from identity.models import Grant
from identity.operations import remove_grant, set_grant
from projects.models import Project
from tasks.models import Delegation, Snapshot, Task
from tests.inprocess import HttpTools, HumanApi, Outcome
from tests.tasks.desk import created
from tests.world import Person, make_agent

pytestmark = pytest.mark.usefixtures("project", "ada")


def plane_down(mode: str) -> None:
    assert mode == "preflight"
    raise HubError("unavailable", "It is down.", reason="retrieval_plane_unavailable", plane="unreadable")


def memory_down(*_: object, **__: object) -> None:
    raise DatabaseError("no memory")


def asked(human_api: HumanApi) -> Outcome:
    return human_api.post("/projects/atlas/tasks", title="x", text="x", agent="ada")


@pytest.mark.parametrize(
    ("place", "broken", "code"),
    [
        ("tasks.preflight.retrieval.check", plane_down, "retrieval_plane_unavailable"),
        ("tasks.preflight.freeze", memory_down, "unavailable"),
    ],
)
def test_mem_10_what_is_down_fails_the_preflight_and_nothing_is_frozen_or_delegated(
    human_api: HumanApi, monkeypatch: pytest.MonkeyPatch, place: str, broken: Callable[..., None], code: str
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(place, broken)
        refusal = asked(human_api)
        assert (refusal.code, refusal.body["status"]) == (code, 503)
        task = refusal.details["task"]
        shown = human_api.get(f"/tasks/{task}").done()
        assert (shown["status"], shown["problem"], shown["revision"]) == ("preflight_failed", code, 2)
        assert (shown["snapshot"], shown["delegation"]) == (None, None)
        again = human_api.post(f"/tasks/{task}/prepare", expected_revision=2)
        assert again.code == code
        assert human_api.post(f"/tasks/{task}/start", expected_revision=3).code == "conflict"
    done = human_api.post(f"/tasks/{task}/prepare", expected_revision=3).done()
    assert (done["status"], done["revision"], done["generation"]) == ("ready", 4, 1)
    assert human_api.get(f"/tasks/{task}")["problem"] is None


def test_mem_10_a_rebuild_is_prepared_as_carefully(human_api: HumanApi, monkeypatch: pytest.MonkeyPatch) -> None:
    task = created(human_api)["task"]
    with monkeypatch.context() as patch:
        patch.setattr("tasks.preflight.retrieval.check", plane_down)
        assert human_api.post(f"/tasks/{task}/rebuild", expected_revision=2).code == "retrieval_plane_unavailable"
    assert Delegation.objects.get().revoked_for == "rebuilt"
    assert Snapshot.objects.filter(generation=2).count() == 0
    assert human_api.post(f"/tasks/{task}/prepare", expected_revision=4)["generation"] == 2


def test_tsk_02_who_may_not_read_any_more_gets_no_delegation(
    human_api: HumanApi, human: Person, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    helper = HttpTools(make_agent("helper", trusted=False, atlas="write").token)
    human_api.put("/task-setting", agents_may_create=True).done()
    with monkeypatch.context() as patch:
        patch.setattr("tasks.preflight.freeze", memory_down)
        asked = helper("task_create", project="atlas", title="x", text="x", subject="kim")
        task = asked.details["task"]
    remove_grant(HUB, "atlas", agent="helper")
    refusal = human_api.post(f"/tasks/{task}/prepare", expected_revision=2)
    assert refusal.code == "scope_exceeds_actor"
    set_grant(HUB, "atlas", agent="helper", level=Grant.Level.WRITE)
    get_user_model().objects.filter(pk=human.user.pk).update(is_staff=False)
    refusal = helper("task_prepare", task=task, expected_revision=3)
    assert refusal.code == "scope_exceeds_subject"
    row = Task.objects.get()
    assert (row.status, row.problem, row.revision) == ("preflight_failed", "scope_exceeds_subject", 4)
    assert Delegation.objects.count() == Snapshot.objects.count() == 0


def test_tsk_02_a_delegation_says_who_where_what_and_until_when(human_api: HumanApi) -> None:
    row = Delegation.objects.get(pk=created(human_api)["delegation"])
    assert (row.agent_name, row.project, row.generation) == ("ada", "atlas", 1)
    assert row.scopes == ["knowledge.recall", "knowledge.read"]
    assert len(row.spaces) == 1  # the project's own, also where nothing has been written yet
    assert (row.expires_at - row.issued_at).total_seconds() == DELEGATION_DEFAULT_SECONDS
    longer = Delegation.objects.get(pk=created(human_api, lifetime=604_800)["delegation"])
    assert (longer.expires_at - longer.issued_at).days == 7


def test_mem_04_a_retried_creation_is_answered_and_made_once(human_api: HumanApi) -> None:
    first = created(human_api, idempotency_key="k")
    again = created(human_api, idempotency_key="k")
    assert (again["task"], again["status"]) == (first["task"], "ready")
    assert Task.objects.count() == 1


def test_tsk_01_two_who_prepare_at_once(human_api: HumanApi, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever comes second finds it prepared: its snapshot and delegation are the first one's."""
    with monkeypatch.context() as patch:
        patch.setattr("tasks.preflight.freeze", memory_down)
        task = asked(human_api).details["task"]

    from memory.snapshots import freeze  # noqa: PLC0415

    def freeze_late(*given: object, **more: object) -> object:
        monkeypatch.setattr("tasks.preflight.freeze", freeze)
        human_api.post(f"/tasks/{task}/prepare", expected_revision=2).done()
        return freeze(*given, **more)  # type: ignore[arg-type]

    monkeypatch.setattr("tasks.preflight.freeze", freeze_late)
    assert human_api.post(f"/tasks/{task}/prepare", expected_revision=2).code == "conflict"
    assert human_api.get(f"/tasks/{task}")["status"] == "ready"
    assert Delegation.objects.count() == Snapshot.objects.count() == 1
