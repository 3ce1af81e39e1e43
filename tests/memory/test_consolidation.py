"""MEM-07, MEM-08, MEM-09: evidence becomes memory once, undoes no edit, and waits for the person where it must."""

from collections.abc import Callable
from typing import Any

import pytest

from core.errors import HubError
from inbox.models import InboxItem
from inbox.operations import decide
from memory import consolidation, jobs, planning, queries
from memory.consolidation import apply
from memory.models import Proposal, Receipt
from projects.models import Event, Project
from tests.inprocess import HumanApi
from tests.memory.conftest import Mind

pytestmark = pytest.mark.django_db

SAME = "The weekly report must reach all the team leads on Friday"


def item(text: str, kind: str = "fact", **more: Any) -> dict[str, Any]:
    return {"kind": kind, "text": text, "source_ref": "commit 1", "confidence": 0.9, **more}


def test_mem_08_a_delivery_is_taken_once_however_often_it_comes(kim: Mind) -> None:
    items = [item("Harbour has cranes"), item("Waits", "open_item"), item("harbour has CRANES")]
    assert apply("key", kim.key, "T1", items)
    before = kim.texts(), Receipt.objects.of(kim.key).get().outcome
    assert not apply("key", kim.key, "T1", items)
    assert not apply("key", kim.key, "T1", [item("Something else")])
    assert (kim.texts(), Receipt.objects.of(kim.key).get().outcome) == before
    assert before == (["Harbour has cranes", "Waits"], {"added": 2, "seen": 1})
    fact, waits = queries.entries_of(kim.key).order_by("pk")
    assert (fact.seen_count, fact.scope, fact.source_ref) == (2, "", "commit 1")
    assert (waits.scope, waits.expires_at is not None) == ("task:T1", True)


def test_mem_08_a_delivery_that_fails_leaves_nothing_and_can_come_again(
    kim: Mind, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr("core.limits.MEMORY_ENTRIES", 1)
        with pytest.raises(HubError):
            apply("key", kim.key, "T1", [item("One"), item("Two")])
    assert (kim.texts(), Receipt.objects.of(kim.key).count()) == ([], 0)
    assert apply("key", kim.key, "T1", [item("One"), item("Two")])
    assert kim.texts() == ["One", "Two"]


def test_mem_03_a_delivery_that_waited_undoes_no_edit_made_meanwhile(
    kim: Mind, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = kim.remember(SAME)["entry"]
    edited = "The report has moved to Monday and goes to nobody"
    plan = planning.planned

    def slowly(subject: int, said: Any) -> Any:
        made = plan(subject, said)
        kim.edit(first, edited)
        return made

    monkeypatch.setattr(consolidation, "planned", slowly)
    assert apply("key", kim.key, "T1", [item(SAME.replace("report", "reports"))])
    assert kim.texts() == [edited, SAME.replace("report", "reports")]
    assert queries.open_proposals(kim.key) == []  # it is no near duplicate of what stands there now


def test_mem_03_near_duplicates_of_a_delivery_wait_for_the_person(kim: Mind) -> None:
    kim.remember(SAME)
    assert apply("key", kim.key, "T1", [item(SAME.replace("report", "reports"))])
    assert [row.kind for row in queries.open_proposals(kim.key)] == ["merge"]
    assert len(kim.texts()) == 2


def test_mem_09_what_is_screened_out_leaves_a_count(kim: Mind, memory_holds: Callable[[str], list[str]]) -> None:
    assert apply("key", kim.key, "T1", [item("Ask kim@quagmire.example"), item("Harbour has cranes")])
    assert Receipt.objects.of(kim.key).get().outcome == {"rejected": 1, "added": 1}
    assert memory_holds("quagmire") == []


def proposed(kim: Mind, project: Project) -> InboxItem:
    assert apply("key", kim.key, "T1", [item("Ships the quagmire", "goal")], project=project.slug)
    assert kim.texts() == []
    (row,) = queries.open_proposals(kim.key)
    return InboxItem.objects.select_related("event").get(pk=row.item)


def test_mem_07_resident_changes_wait_in_the_inbox_which_never_says_what(
    kim: Mind, lou: Mind, project: Project, hub_holds: Callable[[str], list[str]]
) -> None:
    waiting = proposed(kim, project)
    assert (waiting.status, waiting.event.kind) == ("action", "approval")
    assert waiting.event.summary == "A change to what is always known of kim waits"
    assert jobs.announce_proposals() == 0
    assert Event.objects.filter(kind="approval").count() == 1
    with pytest.raises(HubError) as refusal:
        decide(lou.person.actor, project.slug, item=waiting.pk, approved=True)
    assert refusal.value.code == "forbidden"
    decide(kim.person.actor, project.slug, item=waiting.pk, approved=True)
    assert kim.texts() == ["Ships the quagmire"]
    assert Proposal.objects.of(kim.key).get().text == ""
    assert hub_holds("quagmire") == []


def test_mem_07_the_memory_page_decides_both(kim: Mind, project: Project, human_api: HumanApi) -> None:
    waiting = proposed(kim, project)
    (shown,) = human_api.get("/memory/proposals")["proposals"]
    assert shown["text"] == "Ships the quagmire"
    at = f"/memory/proposals/{shown['id']}/decision"
    assert human_api.post(at, approved=False)["state"] == "declined"
    waiting.refresh_from_db()
    assert (waiting.status, waiting.outcome) == ("resolved", "declined")
    assert human_api.post(at, approved=False)["state"] == "declined"
    assert human_api.post(at, approved=True).code == "conflict"
    assert apply("other", kim.key, "T2", [item("ships the quagmire", "goal")], project=project.slug)
    assert queries.open_proposals(kim.key) == []  # what was declined is not asked again


def test_mem_07_a_project_that_is_gone_leaves_the_memory_page(kim: Mind, human_api: HumanApi) -> None:
    assert apply("key", kim.key, "T1", [item("Ships it", "goal")], project="nowhere")
    (shown,) = human_api.get("/memory/proposals")["proposals"]
    assert human_api.post(f"/memory/proposals/{shown['id']}/decision", approved=True)["state"] == "confirmed"
    assert kim.texts() == ["Ships it"]
