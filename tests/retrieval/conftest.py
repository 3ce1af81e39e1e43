"""Fixtures of retrieval: Ada at work in atlas, with documents the human publishes."""

from functools import partial
from typing import Any

import pytest

from knowledge.retrieval import planes
from knowledge.retrieval.breaker import Breaker
from projects.models import Project
from tests.brains import begin
from tests.inprocess import HttpTools
from tests.world import AgentWithToken, Person


@pytest.fixture
def tools(project: Project, ada: AgentWithToken, human: Person) -> HttpTools:
    """Ada's calls, with a live session in atlas; spaces that she begins are maintained by the human."""
    calls = HttpTools(ada.token)
    begin(calls)
    return calls


@pytest.fixture
def tantivy(settings: Any) -> None:
    """Configure the plane; nothing is built yet."""
    settings.HUB_RETRIEVAL_PLANE = "tantivy"


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a plane take its time on a busy machine; that it is not waited for is tried by itself."""
    monkeypatch.setattr(planes, "Breaker", partial(Breaker, timeout=60.0))
