"""Fixtures of the outbox: a completed task of Kim's, and the contributions it makes up."""

from collections.abc import Callable
from typing import Any

import pytest

from projects.models import Project
from tasks import outbox
from tasks.outbox_models import OutboxRow
from tests.inprocess import HttpTools, HumanApi
from tests.tasks.desk import Run, begun
from tests.world import AgentWithToken, Person


@pytest.fixture
def run(project: Project, human: Person, ada: AgentWithToken, ada_tools: HttpTools, human_api: HumanApi) -> Run:
    """A running task of Kim's, Ada's session bound to it."""
    return begun(human_api, ada_tools)


@pytest.fixture
def waiting(run: Run, human: Person) -> Callable[..., OutboxRow]:
    """Let a contribution wait, each of another generation."""
    made = iter(range(100, 1000))

    def wait(*items: dict[str, Any]) -> OutboxRow:
        generation = next(made)
        given = list(items) or [{"kind": "fact", "text": f"Kim counts herons, says generation {generation}."}]
        outbox.enqueue(run.task, generation, human.user.pk, given)
        return OutboxRow.objects.get(generation=generation)

    return wait
