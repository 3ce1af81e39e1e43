"""MEM-01, MEM-03: what is in a memory is found nowhere else, and by nobody else."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.test import Client

from hubsite.agent_calls import calls
from knowledge.operations import put_page
from memory import consolidation, operations
from projects.models import Project
from search.families import families
from tests.inprocess import HttpTools, HumanApi
from tests.memory.conftest import Mind
from tests.world import AgentWithToken

pytestmark = pytest.mark.django_db

MARKER = "quagmire"
# Reads of an agent that take words or list what there is.
AGENT_READS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("search", {"query": MARKER}),
    ("search", {"query": MARKER, "project": "atlas"}),
    ("feed_read", {"project": "atlas"}),
    ("inbox_read", {}),
    ("session_brief", {"project": "atlas"}),
    ("page_history", {"project": "atlas"}),
    ("brain_list", {"project": "atlas", "store": "project"}),
    ("document_list", {"project": "atlas"}),
    ("project_list", {}),
    ("whoami", {}),
)
PAGES = ("/", "/inbox/", f"/search/?q={MARKER}", "/project/atlas/", "/project/atlas/knowledge/", "/storage/")


@pytest.fixture
def everything(kim: Mind, project: Project, ada: AgentWithToken) -> Mind:
    """Let a marker go through every way memory is written and read."""
    put_page(ada.actor, "atlas", path="/fs/a.md", content=b"nothing of it")
    entry = kim.remember(f"The {MARKER} is north")["entry"]
    kim.edit(entry, f"The {MARKER} is south")
    kim.working(f"Looks at the {MARKER}", "task:1")
    evidence = [{"kind": "rule", "text": f"Never enter the {MARKER}", "source_ref": "a", "confidence": 1}]
    consolidation.apply("key", kim.key, "T1", evidence, project="atlas")
    operations.allow_agent(kim.person.actor, kim.key, agent="ada")
    operations.start_conversation(ada.actor, kim.key, text="Where is it?", title="Where")
    with pytest.raises(Exception, match="was changed"):
        kim.edit(entry, f"The {MARKER} is nowhere", 1)
    return kim


def test_mem_01_a_marker_is_in_no_table_and_no_file_of_the_hub(
    everything: Mind, data_dir: Path, hub_holds: Callable[[str], list[str]], memory_holds: Callable[[str], list[str]]
) -> None:
    assert hub_holds(MARKER) == []
    assert "memory_revision" in memory_holds(MARKER)
    files = [path for path in data_dir.rglob("*") if path.is_file()]
    assert not [path for path in files if MARKER.encode() in path.read_bytes()]


def test_mem_01_no_search_family_or_index_is_of_memory() -> None:
    assert {"event", "page", "document"} <= set(families())
    assert not [name for name, family in families().items() if family.read.__module__.startswith("memory")]
    for model in apps.get_app_config("search").get_models():
        assert not any("memory" in field.name for field in model._meta.fields)


def test_mem_01_no_call_and_no_page_of_others_shows_a_marker(
    everything: Mind, lou: Mind, ada_tools: HttpTools, ben_tools: HttpTools
) -> None:
    assert {name for name, _ in AGENT_READS} <= set(calls())
    for tools in (ada_tools, ben_tools):
        for name, arguments in AGENT_READS:
            shown = repr(tools(name, **arguments).done()).replace(repr(MARKER), "")
            assert f"the {MARKER}" not in shown.lower(), name
    client = Client()
    client.force_login(lou.person.user)
    for path in (*PAGES, "/memory/", "/memory/?layer=semantic", "/memory/?layer=working"):
        response = client.get(path)
        assert response.status_code == 200, path
        assert f"the {MARKER}" not in response.content.decode().lower(), path
    api = HumanApi(client)
    for at in ("/memory", "/memory/proposals", "/memory/recalls", "/memory/conversations", "/inbox"):
        assert MARKER not in repr(api.get(at).done()), at


def test_mem_03_nothing_of_a_person_answers_to_another(everything: Mind, lou: Mind, human_api: HumanApi) -> None:
    client = Client()
    client.force_login(lou.person.user)
    other = HumanApi(client)
    entry = human_api.get("/memory")["entries"][0]["id"]
    proposal = human_api.get("/memory/proposals")["proposals"][0]["id"]
    recall = human_api.get("/memory/recalls")["recalls"][0]["id"]
    conversation = human_api.get("/memory/conversations")["conversations"][0]["id"]
    attempts = [
        other.get(f"/memory/{entry}"),
        other.put(f"/memory/{entry}", text="x", expected_revision=1),
        other.delete(f"/memory/{entry}"),
        other.post(f"/memory/proposals/{proposal}/decision", approved=True),
        other.get(f"/memory/recalls/{recall}"),
        other.get(f"/memory/conversations/{conversation}"),
        other.post(f"/memory/conversations/{conversation}/end"),
    ]
    assert {attempt.code for attempt in attempts} == {"not_found"}
    for path in (f"/memory/{entry}/", f"/memory/recall/{recall}/", f"/memory/conversation/{conversation}/"):
        assert client.get(path).status_code == 404
    for path in (f"/memory/{entry}/edit/", f"/memory/{entry}/forget/"):
        assert client.post(path, {"text": "x", "expected_revision": "1"}).status_code == 404


def test_mem_01_nothing_of_it_is_logged(
    everything: Mind, caplog: pytest.LogCaptureFixture, human_api: HumanApi
) -> None:
    with caplog.at_level(logging.INFO):
        human_api.post("/memory", kind="nonsense", text=f"The {MARKER} is east")
        human_api.post("/memory", kind="fact", text=f"The {MARKER} has a password = 'hunter2hunter'")
        human_api.post("/memory", kind="fact", text=f"The {MARKER} is west")
        consolidation.apply("key-2", everything.key, "T1", [{"kind": "fact", "text": f"{MARKER}: a@b.org"}])
    assert MARKER not in caplog.text
