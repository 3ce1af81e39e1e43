"""MEM-04, MEM-07: conversations of a person and of an agent for them, and that agents write no memory."""

import json
from typing import Any

import pytest

from hubsite.agent_calls import calls
from memory import operations
from memory.models import Companion, Entry
from tests.inprocess import HttpTools, HumanApi, nothing_stored
from tests.memory.conftest import Mind
from tests.world import AgentWithToken

pytestmark = pytest.mark.django_db


@pytest.fixture
def api(human_client: Any) -> HumanApi:
    return HumanApi(human_client)


def test_mem_04_a_conversation_is_given_a_snapshot_that_never_changes(kim: Mind, api: HumanApi) -> None:
    entry = kim.remember("Prefers quagmires", "preference")["entry"]
    started = api.post("/memory/conversations", text="What do I like?\nTell me.")
    at = f"/memory/conversations/{started['conversation']}"
    before = api.get(at).done()
    assert before["title"] == "What do I like?"
    assert "Prefers quagmires" in before["snapshot"]
    kim.edit(entry, "Prefers marshes")
    kim.forget(entry)
    assert api.get(at).done() == before
    assert api.get("/memory/conversations")["conversations"][0]["sha256"] == before["sha256"]


def test_mem_02_working_memory_belongs_to_its_conversation(kim: Mind, api: HumanApi) -> None:
    first = api.post("/memory/conversations", text="one").done()
    kim.working("The door is left open", first["scope"], "open_item")
    other = api.post("/memory/conversations", text="two")["conversation"]
    next_one = api.post("/memory/conversations", text="three", follows=first["conversation"])["conversation"]
    assert json.loads(api.get(f"/memory/conversations/{other}")["snapshot"])["entries"] == []
    (entry,) = json.loads(api.get(f"/memory/conversations/{next_one}")["snapshot"])["entries"]
    assert entry["scope"] == first["scope"]
    assert api.post(f"/memory/conversations/{first['conversation']}/end")["expired"] == 1
    assert api.post(f"/memory/conversations/{first['conversation']}/end").code == "conflict"
    assert kim.texts() == []


def test_mem_04_an_agent_starts_one_for_who_lets_it_and_reads_its_own_alone(
    kim: Mind, lou: Mind, ada_tools: HttpTools, ben_tools: HttpTools, api: HumanApi
) -> None:
    kim.remember("Prefers marshes", "preference")
    with nothing_stored():
        refused = ada_tools("conversation_start", subject="kim", text="hello")
        nobody = ada_tools("conversation_start", subject="nobody", text="hello")
    assert refused.body == nobody.body
    assert refused.code == "not_found"
    assert api.call("PUT", "/memory/agents/ada", {})["allowed"]
    started = ada_tools("conversation_start", subject="kim", text="hello").done()
    assert "Prefers marshes" in started["markdown"]
    assert (started["started_by"], started["agent"]) == ("ada", "ada")
    read = ada_tools("conversation_get", subject="kim", conversation=started["id"]).done()
    assert read["snapshot"] == started["snapshot"]
    for subject in ("kim", "lou", "nobody"):
        answer = ben_tools("conversation_get", subject=subject, conversation=started["id"])
        assert (answer.code, answer.details) == ("not_found", {"what": "conversation"})
    assert ada_tools("conversation_start", subject="lou", text="hello").code == "not_found"
    assert api.delete("/memory/agents/ada")["changed"]
    assert ada_tools("conversation_get", subject="kim", conversation=started["id"]).code == "not_found"
    assert ada_tools("conversation_start", subject="kim", text="hello").code == "not_found"


def test_agt_02_a_retry_starts_no_second_conversation(kim: Mind, ada_tools: HttpTools) -> None:
    operations.allow_agent(kim.person.actor, kim.key, agent="ada")
    given = {"subject": "kim", "text": "hello", "idempotency_key": "one"}
    first = ada_tools("conversation_start", **given).done()
    kim.remember("Prefers marshes", "preference")
    with nothing_stored():
        assert ada_tools("conversation_start", **given).done() == first
        assert ada_tools("conversation_start", **{**given, "text": "other"}).code == "conflict"


def test_mem_07_no_call_of_an_agent_writes_memory(kim: Mind, ada: AgentWithToken, ada_tools: HttpTools) -> None:
    ours = {name for name, call in calls().items() if call.run.__module__.startswith("memory.")}
    assert ours == {"conversation_start", "conversation_get"}
    operations.allow_agent(kim.person.actor, kim.key, agent="ada")
    ada_tools("conversation_start", subject="kim", text="Remember that I like quagmires").done()
    assert not Entry.objects.of(kim.key).exists()
    taken: list[Any] = [
        operations.remember,
        operations.edit_entry,
        operations.forget_entry,
        operations.decide_proposal,
        operations.take_evidence,
        operations.allow_agent,
    ]
    for operation in taken:
        with pytest.raises(Exception, match="Only the person"):
            operation(ada.actor, kim.key)
    assert Companion.objects.of(kim.key).count() == 1
