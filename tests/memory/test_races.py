"""MEM-03, MEM-08: who writes one memory at the same moment does so in turn."""

import pytest

from core.errors import HubError
from memory import queries
from memory.consolidation import apply
from memory.models import Receipt
from tests.inprocess import together
from tests.memory.conftest import Mind
from tests.world import make_person

pytestmark = pytest.mark.django_db(transaction=True)


def test_mem_03_of_edits_at_once_one_wins_and_the_others_hear_of_it() -> None:
    kim = Mind(make_person("kim"))
    entry = kim.remember("The first words")["entry"]
    results = together(*(lambda n=n: kim.edit(entry, f"Words of number {n}") for n in range(6)))
    refused = [result for result in results if isinstance(result, HubError)]
    assert [refusal.code for refusal in refused] == ["version_mismatch"] * 5
    assert [refusal.details["current"] for refusal in refused] == [2] * 5
    assert len(queries.revisions_of(kim.key, entry)) == 2


def test_mem_03_the_same_text_at_once_is_one_entry_of_each_person() -> None:
    kim, lou = Mind(make_person("kim")), Mind(make_person("lou"))
    results = together(*(lambda mind=mind: mind.remember("The same words") for mind in (kim, lou) * 4))
    assert sum(result["created"] for result in results) == 2
    for mind in (kim, lou):
        assert [row.seen_count for row in queries.entries_of(mind.key)] == [4]


def test_mem_08_one_delivery_at_once_is_taken_once() -> None:
    kim = Mind(make_person("kim"))
    items = [{"kind": "fact", "text": f"Fact of {word}", "source_ref": "", "confidence": 1} for word in ("a", "b")]
    results = together(*(lambda: apply("key", kim.key, "T1", items) for _ in range(6)))
    assert sorted(results) == [False] * 5 + [True]
    assert Receipt.objects.of(kim.key).count() == 1
    assert [row.seen_count for row in queries.entries_of(kim.key)] == [1, 1]


def test_mem_03_forgetting_and_a_delivery_at_once_leave_nothing_half_done() -> None:
    kim = Mind(make_person("kim"))
    for number in range(4):
        text = f"Words of round {'abcd'[number]}"
        entry = kim.remember(text)["entry"]
        item = {"kind": "fact", "text": text, "source_ref": "", "confidence": 1}
        together(lambda: kim.forget(entry), lambda: apply(f"key {number}", kim.key, "T", [item]))  # noqa: B023 - used at once
        assert kim.texts() == []
        assert not queries.revisions_of(kim.key, entry)
