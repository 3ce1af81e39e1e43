"""What pages cost: the number of queries stays as it is however many rows there are (HUB-04, HUB-05)."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from inbox.operations import post_approval, post_question, post_signal
from knowledge.operations import put_page
from projects.models import Project
from sessions_app.operations import put_entry, start_session
from tests.world import AgentWithToken, make_agent, make_project


def work(agent: AgentWithToken, number: int) -> str:
    """Let an agent leave one of everything behind; answers the session."""
    session: str = start_session(agent.actor, "atlas", name=f"s{number}")["session"]
    post_signal(agent.actor, "atlas", summary=f"signal {number}", session=session)
    post_signal(agent.actor, "atlas", summary=f"finished {number}", kind="finished", session=session)
    post_question(agent.actor, "atlas", subject=f"question {number}", options=["a"], session=session)
    post_approval(agent.actor, "atlas", subject=f"approval {number}", session=session)
    put_entry(agent.actor, "atlas", session=session, path="/fs/notes.md", content=b"# Notes")
    put_page(agent.actor, "atlas", path=f"/fs/pages/{number}.md", content=b"# Page")
    return session


def cost(client: Client, address: str) -> int:
    """Answer how many queries a page makes."""
    client.get(address)  # whatever is prepared once
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200
    return len(queries)


@pytest.mark.django_db(transaction=True)
def test_hub_04_pages_make_as_many_queries_for_many_rows_as_for_one(
    human_client: Client, project: Project, ada: AgentWithToken
) -> None:
    session = work(ada, 0)
    addresses = [
        "/",
        "/inbox/",
        "/project/atlas/",
        "/project/atlas/sessions/",
        f"/session/{session}/",
        "/project/atlas/knowledge/",
        "/connect/",
        "/identity/agent/",
        "/identity/grant/",
        "/projects/project/",
    ]
    before = {address: cost(human_client, address) for address in addresses}
    for number in range(1, 6):
        make_project(f"other-{number}")
        work(ada, number)
        work(make_agent(f"agent-{number}", atlas="write"), number)
    after = {address: cost(human_client, address) for address in addresses}
    assert after == before
    assert 5 < min(after.values()) <= max(after.values()) < 30, after
