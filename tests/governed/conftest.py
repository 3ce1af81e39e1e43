"""Fixtures of governed knowledge: Ada at work in atlas, somebody who only reads, a second maintainer."""

import pytest
from django.test import Client

from projects.models import Project
from tests.brains import begin
from tests.inprocess import HttpTools, HumanApi
from tests.world import AgentWithToken, Person, make_agent, make_person


@pytest.fixture
def tools(project: Project, ada: AgentWithToken, human: Person) -> HttpTools:
    """Ada's calls, with a live session in atlas; spaces that she begins are maintained by the human."""
    calls = HttpTools(ada.token)
    begin(calls)
    return calls


@pytest.fixture
def reader(project: Project) -> HttpTools:
    """The calls of an agent that may read atlas."""
    return HttpTools(make_agent("reader", trusted=False, atlas="read").token)


@pytest.fixture
def lee(db: None) -> HumanApi:
    """The API of a second person on the staff, who maintains what is made from now on."""
    client = Client()
    client.force_login(make_person("lee").user)
    return HumanApi(client)
