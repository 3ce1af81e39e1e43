"""MEM-03: whose it is, compare-and-set, the same text twice, near duplicates, forgetting, expiry."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from core.actor import HUB
from core.errors import HubError
from memory import consolidation, jobs, operations, queries
from memory.likeness import nearly_same, words_of
from memory.models import Entry, Revision
from tests.memory.conftest import Mind, models_of_memory
from tests.world import AgentWithToken

pytestmark = pytest.mark.django_db


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(HubError) as refusal:
        call()
    return refusal.value.code


def test_mem_03_a_missing_subject_is_a_mistake_and_not_everyone(kim: Mind) -> None:
    kim.remember("Lighthouse")
    for model in models_of_memory():
        manager = model._default_manager
        for read in (manager.all, manager.count, manager.first, lambda m=manager: m.filter(subject=kim.key)):
            with pytest.raises(TypeError):
                read()
        for nobody in (None, 0, -1, "1", True):
            with pytest.raises(TypeError):
                manager.of(nobody)  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        operations.expire_entries(HUB, None)  # type: ignore[arg-type]


def test_mem_03_only_the_person_and_the_hub_act(kim: Mind, lou: Mind, ada: AgentWithToken) -> None:
    entry = kim.remember("Lighthouse")["entry"]
    for actor in (lou.person.actor, ada.actor):
        forget = lambda actor=actor: operations.forget_entry(actor, kim.key, entry=entry)  # noqa: E731
        assert code_of(forget) == "forbidden"
    assert code_of(lambda: lou.forget(entry)) == "not_found"
    assert code_of(lambda: lou.edit(entry, "x")) == "not_found"
    kim.person.user.is_active = False
    kim.person.user.save()
    assert code_of(lambda: kim.forget(entry)) == "forbidden"
    assert operations.forget_entry(HUB, kim.key, entry=entry)["forgotten"] == 1


def test_mem_03_edits_append_revisions_by_the_one_that_was_read(kim: Mind) -> None:
    entry = kim.remember("The staging database is called lighthouse")["entry"]
    other = kim.remember("Coffee is in the kitchen")["entry"]
    assert kim.edit(entry, "The staging database is called harbour")["revision"] == 2
    assert code_of(lambda: kim.edit(entry, "x", None)) == "precondition_required"
    assert code_of(lambda: kim.edit(entry, "x", 1)) == "version_mismatch"
    assert code_of(lambda: kim.edit(entry, "coffee is  in the KITCHEN", 2)) == "conflict"
    assert kim.edit(entry, "The staging database is called harbour", 2) == {
        "entry": entry,
        "revision": 2,
        "changed": False,
    }
    first, second = queries.revisions_of(kim.key, entry)[::-1]
    assert (first.text, second.text) == (
        "The staging database is called lighthouse",
        "The staging database is called harbour",
    )
    assert first.valid_to is not None
    assert second.valid_to is None
    assert queries.revisions_of(kim.key, other)[0].number == 1


def test_mem_03_a_repeat_of_the_same_text_is_one_entry_seen_twice(kim: Mind, lou: Mind) -> None:
    first = kim.remember("The Build needs  two cores")
    again = kim.remember("the build needs two cores")
    assert (again["entry"], again["created"]) == (first["entry"], False)
    assert lou.remember("The Build needs  two cores")["created"]
    assert queries.entry_of(kim.key, first["entry"]).seen_count == 2
    assert kim.texts() == ["The Build needs  two cores"]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("The weekly report must reach all leads on Friday", "The weekly reports must reach all lead on Friday", True),
        ("Retry an upload 3 times before it is given up", "Retry an upload 4 times before it is given up", False),
        ("Run the slow tests before any release, no mercy", "Run the slow tests before any release, mercy", False),
        ("We can deploy on a Friday if it is winter now", "We can't deploy on a Friday if it is winter now", False),
        ("Coffee is in the kitchen", "Tea is in the garden", False),
    ],
)
def test_mem_03_near_duplicates_share_words_numbers_and_negations(one: str, other: str, same: bool) -> None:  # noqa: FBT001
    assert nearly_same(words_of(one), words_of(other)) is same


def test_mem_03_near_duplicates_are_proposed_and_merged_by_the_person(
    kim: Mind, memory_holds: Callable[[str], list[str]]
) -> None:
    one = "The weekly report must reach all the team leads on Friday"
    first = kim.remember(one)["entry"]
    made = kim.remember(one.replace("report", "reports"))
    assert kim.texts() == [one, one.replace("report", "reports")]
    (proposal,) = made["proposals"]
    kim.edit(made["entry"], one.replace("report", "reports, late or early,"))

    def decide(approved: bool) -> Any:  # noqa: FBT001
        return operations.decide_proposal(kim.person.actor, kim.key, proposal=proposal, approved=approved)

    assert code_of(lambda: decide(True)) == "conflict"  # noqa: FBT003
    assert len(kim.texts()) == 2
    kim.edit(made["entry"], one.replace("report", "reports"), 2)
    assert decide(False)["state"] == "declined"  # noqa: FBT003
    third = kim.remember(one.replace("leads", "lead"))
    merged = {queries.proposal_of(kim.key, name).entry: name for name in third["proposals"]}
    assert set(merged) == {first, made["entry"]}
    operations.decide_proposal(kim.person.actor, kim.key, proposal=merged[first], approved=True)
    assert kim.texts() == [one.replace("leads", "lead"), one.replace("report", "reports")]
    assert queries.open_proposals(kim.key) == []  # the other was about an entry that gave way
    assert queries.entry_of(kim.key, third["entry"]).superseded_by == first
    kim.forget(first)
    assert queries.entry_of(kim.key, third["entry"]).state == "forgotten"
    kim.forget(made["entry"])
    assert memory_holds("weekly") == []


def test_mem_03_forgetting_erases_every_word_and_no_delivery_brings_it_back(
    kim: Mind, memory_holds: Callable[[str], list[str]]
) -> None:
    entry = kim.remember("The quagmire is north")["entry"]
    kim.edit(entry, "The quagmire is south")
    assert memory_holds("quagmire")
    kim.forget(entry)
    assert memory_holds("quagmire") == []
    for key, text in enumerate(("The quagmire is north", "the QUAGMIRE is south")):
        item = {"kind": "fact", "text": text, "source_ref": "", "confidence": 1}
        assert consolidation.apply(f"key-{key}", kim.key, "task", [item])
        assert memory_holds("quagmire") == []
        assert memory_holds("QUAGMIRE") == []
    assert code_of(lambda: kim.remember("the quagmire is north")) == "conflict"
    assert code_of(lambda: kim.forget(entry)) == "not_found"
    assert kim.remember("the quagmire is north", again=True)["created"]


def test_mem_03_working_memory_ends_by_job_and_on_read(kim: Mind, lou: Mind) -> None:
    one, other = kim.working("Waits for the build"), kim.working("Waits for the review")
    kept = lou.working("Waits for the build")
    kim.pass_expiry(one)
    assert Entry.objects.subjects_with_due(timezone.now()) == [kim.key]
    assert jobs.expire_due() == 1
    assert jobs.expire_due() == 0
    assert queries.entry_of(kim.key, one).state == "expired"
    assert queries.entry_of(kim.key, other).state == "active"
    kim.pass_expiry(other)
    assert code_of(lambda: kim.edit(other, "x")) == "not_found"
    assert kim.working("Waits for the review") != other
    assert queries.entry_of(lou.key, kept).state == "active"


def test_mem_03_a_memory_has_a_limit(kim: Mind, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.limits.MEMORY_ENTRIES", 1)
    kim.remember("One")
    assert code_of(lambda: kim.remember("Two")) == "rate_limited"
    assert Revision.objects.of(kim.key).count() == 1


def test_mem_09_what_a_person_writes_may_be_personal_and_is_no_secret(kim: Mind) -> None:
    assert kim.remember("My address is kim@example.org", "identity")["created"]
    assert code_of(lambda: kim.remember("password = 'hunter2hunter'")) == "invalid_argument"
