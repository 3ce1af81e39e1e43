"""MEM-02..06 in the browser, without script: three tabs, revisions, editing, forgetting, what waits, why."""

import pytest
from django.test import Client

from memory import queries
from memory.consolidation import apply
from tests.memory.conftest import Mind
from tests.world import AgentWithToken

pytestmark = pytest.mark.django_db


def shown(client: Client, path: str, status: int = 200) -> str:
    response = client.get(path)
    assert response.status_code == status, path
    return response.content.decode()


def test_mem_02_three_tabs_each_with_source_end_and_revision(kim: Mind, human_client: Client) -> None:
    kim.remember("Prefers short answers", "preference", source_ref="talk 1")
    entry = kim.remember("The <b>build</b> is slow")["entry"]
    kim.edit(entry, "The <b>build</b> is quick")
    kim.working("Waits for the build")
    resident, semantic, working = (
        shown(human_client, f"/memory/?layer={name}") for name in ("", "semantic", "working")
    )
    assert "Prefers short answers" in resident
    assert "talk 1" in resident
    assert "The &lt;b&gt;build&lt;/b&gt; is quick" in semantic
    assert "revision 2" in semantic
    assert "Prefers short" not in semantic
    for part in ("Waits for the build", "task:1", "note 1", "until <time"):
        assert part in working
    one = shown(human_client, f"/memory/{entry}/")
    assert "The &lt;b&gt;build&lt;/b&gt; is slow" in one
    assert 'name="expected_revision" value="2"' in one


def test_mem_03_remembering_editing_and_forgetting(kim: Mind, human_client: Client) -> None:
    added = human_client.post("/memory/add/", {"kind": "fact", "text": "Harbour has cranes"})
    assert (added.status_code, added["Location"]) == (302, "/memory/?layer=semantic")
    entry = queries.entries_of(kim.key).get().pk
    at = f"/memory/{entry}/"
    assert human_client.post(f"{at}edit/", {"text": "Harbour has two", "expected_revision": "1"}).status_code == 302
    late = human_client.post(f"{at}edit/", {"text": "My own words", "expected_revision": "1"})
    assert late.status_code == 409
    assert "My own words" in late.content.decode()
    assert "Harbour has two" in late.content.decode()
    assert human_client.post(f"{at}edit/", {"text": "x"}).status_code == 428
    assert human_client.post(f"{at}forget/").status_code == 302
    assert "Its words were forgotten" in shown(human_client, at)
    again = {"kind": "fact", "text": "Harbour has two"}
    refused = human_client.post("/memory/add/?layer=semantic", again)
    assert refused.status_code == 409
    assert 'name="again"' in refused.content.decode()
    assert human_client.post("/memory/add/", again | {"again": "1"}).status_code == 302
    assert kim.texts() == ["Harbour has two"]


def test_mem_02_what_is_refused_keeps_what_was_typed(kim: Mind, human_client: Client) -> None:
    refused = human_client.post("/memory/add/?layer=working", {"kind": "decision", "text": "Use a queue"})
    assert refused.status_code == 422
    assert "Use a queue" in refused.content.decode()
    assert shown(human_client, "/memory/nonsense/", 422)
    assert kim.texts() == []


def test_mem_07_proposals_are_decided_there(kim: Mind, human_client: Client) -> None:
    item = {"kind": "goal", "text": "Ships it", "source_ref": "task 1", "confidence": 1}
    assert apply("key", kim.key, "T1", [item])
    (waiting,) = queries.open_proposals(kim.key)
    assert "Ships it" in shown(human_client, "/memory/")
    human_client.post(f"/memory/proposal/{waiting.pk}/", {"decision": "approve"})
    assert kim.texts() == ["Ships it"]
    text = "The weekly report must reach all the team leads on Friday"
    kim.remember(text)
    kim.remember(text.replace("report", "reports"))
    (waiting,) = queries.open_proposals(kim.key)
    assert "say nearly the same" in shown(human_client, "/memory/")
    human_client.post(f"/memory/proposal/{waiting.pk}/", {"decision": "decline"})
    assert len(kim.texts()) == 3


def test_mem_06_conversations_recalls_and_agents(kim: Mind, human_client: Client, ada: AgentWithToken) -> None:
    kim.remember("Prefers short answers", "preference")
    started = human_client.post("/memory/conversations/", {"text": "Hello there", "agent": "ada"})
    page = shown(human_client, started["Location"])
    assert "Prefers short answers" in page
    assert "does not replace task instructions" in page
    (row,) = queries.recalls_of(kim.key, 5)
    assert "chosen: resident (pinned 1, recency 1)" in shown(human_client, f"/memory/recall/{row.pk}/")
    assert human_client.post(f"{started['Location']}end/").status_code == 302
    human_client.post("/memory/agents/", {"agent": "ada"})
    assert [one.name for one in queries.companions_of(kim.key)] == ["ada"]
    human_client.post("/memory/agents/", {"agent": "ada", "stop": "1"})
    assert queries.companions_of(kim.key) == []
    assert human_client.post("/memory/conversations/", {"text": " "}).status_code == 422
