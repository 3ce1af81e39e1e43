"""Any order of moves, by anybody: a task stands where a small model says, and only what it allows is done (TSK-01)."""

import itertools
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from core.errors import HubError
from tasks.models import Delegation, Snapshot, Task
from tasks.operations import cancel_task, complete_task, create_task, fail_task, rebuild_task, start_task
from tasks.preflight import prepare
from tests.world import make_agent, make_person, make_project

ENDS = {"complete": "completed", "fail": "failed", "cancel": "cancelled"}
FROM = {
    "start": {"ready"},
    "complete": {"running"},
    "fail": {"running"},
    "cancel": {"created", "ready", "running"},
    "rebuild": {"created", "ready", "running"},
    "prepare": {"created"},
}
CALLS: dict[str, Any] = {
    "start": start_task,
    "complete": complete_task,
    "fail": fail_task,
    "cancel": cancel_task,
    "rebuild": rebuild_task,
}
numbers = itertools.count()


class Moves(RuleBasedStateMachine):
    """One task, its model beside it."""

    def __init__(self) -> None:
        super().__init__()
        number = next(numbers)
        make_project(f"p{number}")
        self.place = f"p{number}"
        self.agent = make_agent(f"a{number}").actor
        self.other = make_agent(f"b{number}").actor
        self.person = make_person(f"k{number}").actor
        made = create_task(self.person, self.place, title="x", text="x", agent=self.agent.name)
        self.task = made["task"]
        self.status, self.revision, self.generation = "created", 1, 1
        self.prepared: set[int] = set()

    @rule(
        action=st.sampled_from(sorted(FROM)),
        by=st.sampled_from(["person", "agent"]),
        behind=st.sampled_from([0, 0, 0, 1]),
    )
    def move(self, action: str, by: str, behind: int) -> None:
        actor = self.person if by == "person" else self.agent
        allowed = self.status in FROM[action] and not behind and not (action == "rebuild" and by == "agent")
        try:
            self.done(action, actor, self.revision - behind)
        except HubError as refusal:
            assert not allowed, (action, self.status)
            assert refusal.code in {"conflict", "forbidden"}
        else:
            assert allowed, (action, self.status)
            self.follow(action)

    @rule(action=st.sampled_from(sorted(CALLS)))
    def another_agent(self, action: str) -> None:
        with pytest.raises(HubError) as refusal:
            self.done(action, self.other, self.revision)
        assert refusal.value.code == ("forbidden" if action == "rebuild" else "not_found")

    def done(self, action: str, actor: Any, revision: int) -> None:
        if action == "prepare":
            prepare(actor, Task.objects.get(pk=self.task), revision)
        else:
            CALLS[action](actor, self.place, task=self.task, expected_revision=revision)

    def follow(self, action: str) -> None:
        self.revision += 1
        self.status = {"start": "running", "rebuild": "created", "prepare": "ready", **ENDS}[action]
        if action == "rebuild":
            self.generation += 1
        if action == "prepare":
            self.prepared.add(self.generation)

    @invariant()
    def it_stands_as_the_model_says(self) -> None:
        row = Task.objects.get(pk=self.task)
        assert (row.status, row.revision, row.generation) == (self.status, self.revision, self.generation)
        assert row.changes.count() == self.revision
        assert set(Snapshot.objects.filter(task=row).values_list("generation", flat=True)) == self.prepared
        live = Delegation.objects.filter(task=row, revoked_at__isnull=True)
        holds = self.status in {"ready", "running"}
        assert list(live.values_list("generation", flat=True)) == ([self.generation] if holds else [])


@pytest.mark.django_db
def test_tsk_01_moves_in_any_order() -> None:
    run_state_machine_as_test(Moves, settings=settings(max_examples=12, stateful_step_count=12, deadline=None))
