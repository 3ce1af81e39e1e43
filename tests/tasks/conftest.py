"""Fixtures of tasks: one of Kim's that Ada runs, with a document to recall."""

import pytest

from projects.models import Project
from tests.governed.desk import published
from tests.inprocess import HttpTools, HumanApi
from tests.tasks.desk import Run, begun
from tests.world import AgentWithToken, Person


@pytest.fixture
def document(project: Project, ada_tools: HttpTools, human_api: HumanApi) -> str:
    """A published document of atlas that speaks of herons."""
    return published(ada_tools, human_api, "Herons", "# Nests\n\nThe grey heron builds its nest in tall trees.")


@pytest.fixture
def run(document: str, human: Person, ada: AgentWithToken, ada_tools: HttpTools, human_api: HumanApi) -> Run:
    """A running task of Kim's, Ada's session bound to it."""
    return begun(human_api, ada_tools, document)
