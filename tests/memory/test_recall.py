"""MEM-03, MEM-04, MEM-06: what a recall chooses, why, out of whose memory, and that what was given never changes."""

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from django.utils import timezone

from memory import recall
from memory.models import RecallItem
from memory.queries import recall_of
from memory.recall import LEGS, Asked, Candidate, Ranking, candidates, chosen
from memory.snapshots import NOTICE, freeze
from tests.memory.conftest import Mind

pytestmark = pytest.mark.django_db

MARKER = "quagmire"


def asked(text: str = "", scope: str = "") -> Asked:
    return Asked(text, scope, timezone.now())


def both_remember(kim: Mind, lou: Mind) -> None:
    """Let two people remember as much, one of them with a marker in all of it."""
    for mind, word in ((kim, "harbour"), (lou, MARKER)):
        mind.remember(f"Goes to the {word} by bike", "preference")
        mind.remember(f"The {word} has two cranes")
        mind.working(f"The {word} waits", "task:1")


def found_by(leg: str, kim: Mind) -> list[str]:
    """Answer what a leg finds of one person's memory for the words of another's."""
    question = asked(f"the {MARKER} and its cranes, by bike", "task:1")
    own = candidates(kim.key, question)
    texts = {one.entry.pk: one.text for one in own}
    return [texts[entry] for entry, _ in LEGS[leg](kim.key, own, question)]


def finds_own(leg: str, kim: Mind, lou: Mind, number: int) -> None:
    both_remember(kim, lou)
    texts = found_by(leg, kim)
    assert len(texts) == number
    assert not any(MARKER in text for text in texts)


def test_mem_03_leg_pinned_finds_no_other_subject(kim: Mind, lou: Mind) -> None:
    finds_own("pinned", kim, lou, 1)


def test_mem_03_leg_lexical_finds_no_other_subject(kim: Mind, lou: Mind) -> None:
    finds_own("lexical", kim, lou, 2)


def test_mem_03_leg_recency_finds_no_other_subject(kim: Mind, lou: Mind) -> None:
    finds_own("recency", kim, lou, 3)


def test_mem_03_every_leg_has_a_test_that_it_finds_no_other_subject() -> None:
    tested = {name.removeprefix("test_mem_03_leg_").removesuffix("_finds_no_other_subject") for name in globals()}
    assert set(LEGS) <= tested


def test_mem_03_a_leg_that_looks_elsewhere_brings_nothing_in(
    kim: Mind, lou: Mind, monkeypatch: pytest.MonkeyPatch
) -> None:
    both_remember(kim, lou)
    others = candidates(lou.key, asked("", "task:1"))

    def stray(subject: int, own: Sequence[Candidate], question: Asked) -> Ranking:
        return [(one.entry.pk, 1.0) for one in others]

    monkeypatch.setitem(recall.LEGS, "stray", stray)
    taken = chosen(kim.key, asked("the quagmire", "task:1"), 4000)
    assert len(taken) == 3
    assert not any(MARKER in one.candidate.text for one in taken)
    assert MARKER.encode() not in freeze(kim.key, "the quagmire", {}, scope="task:1").content


def test_mem_06_every_choice_and_drop_is_kept_with_its_reason(kim: Mind) -> None:
    kim.remember("Prefers short answers", "preference")
    kim.remember("The staging database is called lighthouse")
    kim.remember("Coffee is in the kitchen")
    kim.working("Looks at the staging database", "task:9")
    frozen = freeze(kim.key, "Which staging database?", {"model": "m"})
    row, items = recall_of(kim.key, frozen.recall)
    reasons = [(item.chosen, item.reason.split(" (")[0]) for item in items]
    assert reasons == [
        (True, "chosen: resident"),
        (True, "chosen: relevant"),
        (False, "dropped: no word in common with what was asked"),
    ]
    assert (row.considered, row.chosen, row.budget_tokens, row.budget_bytes) == (3, 2, 4000, 65536)
    assert row.used_bytes == len(frozen.content)
    assert row.used_tokens <= row.budget_tokens
    assert row.query_hash == hashlib.sha256(b"Which staging database?").hexdigest()
    relevant = items[1]
    assert set(relevant.legs) == {"lexical", "recency"}
    assert relevant.score == pytest.approx(sum(1 / (60 + leg["rank"]) for leg in relevant.legs.values()))
    assert [entry["text"] for entry in json.loads(frozen.content)["entries"]] == [
        "Prefers short answers",
        "The staging database is called lighthouse",
    ]
    assert [item.revision for item in items] == [1, 1, 1]


def test_mem_04_a_snapshot_is_bounded_in_tokens_and_bytes(kim: Mind) -> None:
    kim.remember("Prefers short answers", "preference")
    for number in range(30):
        kim.remember(f"Lighthouse {number} " + "stands on a rock in the sea " * 20)
    few = freeze(kim.key, "lighthouse", {}, tokens=1000)
    row, items = recall_of(kim.key, few.recall)
    assert 1 < row.chosen < 8
    assert row.used_tokens <= 1000
    assert recall.tokens_in(few.content.decode()) <= 1000
    assert "do not fit" in items[-1].reason
    small = freeze(kim.key, "lighthouse", {}, max_bytes=3000)
    assert len(small.content) <= 3000
    dropped = [item.reason for item in recall_of(kim.key, small.recall)[1] if "bytes" in item.reason]
    assert dropped
    assert len(freeze(kim.key, "lighthouse", {}).content) <= 65536
    with pytest.raises(Exception, match="leaves no room"):
        freeze(kim.key, "lighthouse", {"long": "x" * 20_000})


def test_mem_05_it_opens_with_what_it_does_not_replace(kim: Mind) -> None:
    kim.remember("Prefers\nshort answers", "preference")
    frozen = freeze(kim.key, "x", {"model": "m"})
    assert frozen.content.decode().startswith('{"notice":"This is personal memory')
    assert frozen.markdown.startswith(f"# Memory\n\n> {NOTICE}")
    for words in ("task instructions", "project knowledge", "repository evidence", "authorised tools"):
        assert words in NOTICE
    assert hashlib.sha256(frozen.content).hexdigest() == frozen.sha256


def test_mem_04_the_same_memory_is_the_same_bytes_and_an_edit_is_in_the_next_alone(
    kim: Mind, memory_holds: Callable[[str], list[str]]
) -> None:
    entry = kim.remember("The quagmire is north", "rule")["entry"]
    first, again = freeze(kim.key, "x", {"a": 1, "b": 2}), freeze(kim.key, "x", {"b": 2, "a": 1})
    assert (first.content, first.sha256) == (again.content, again.sha256)
    kept = bytes(first.content)
    kim.edit(entry, "The marsh is north")
    assert freeze(kim.key, "x", {"a": 1, "b": 2}).sha256 != first.sha256
    kim.forget(entry)
    assert first.content == kept
    assert json.loads(freeze(kim.key, "x", {}).content)["entries"] == []
    assert memory_holds("quagmire") == []  # a recall names what it chose and holds no words of it
    assert RecallItem.objects.of(kim.key).exists()


def test_mem_04_what_is_rare_and_asked_for_comes_first(kim: Mind) -> None:
    for number in range(10):
        kim.remember(f"The build of part {number} takes long")
    wanted = kim.remember("The build of POL-358 needs two cores")["entry"]
    for query in ("how does POL-358 build?", "pol358 build", "build pol_358"):
        ranked = chosen(kim.key, asked(query), 4000)
        assert ranked[0].candidate.entry.pk == wanted, query


def test_mem_04_it_is_found_in_scripts_without_spaces(kim: Mind) -> None:
    kim.remember("数据库每晚备份一次")
    kim.remember("咖啡在厨房")
    ranked: list[Any] = [one for one in chosen(kim.key, asked("备份数据库"), 4000) if one.chosen]
    assert [one.candidate.text for one in ranked] == ["数据库每晚备份一次"]
