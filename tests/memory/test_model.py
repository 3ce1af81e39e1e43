"""MEM-03 in any order: two people and deliveries against a plain model of what each remembers."""

import itertools
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from core.errors import HubError
from memory.consolidation import apply
from memory.jobs import expire_due
from memory.models import Entry, Revision, Tombstone
from tests.memory.conftest import Mind
from tests.world import make_person

WORDS = ("alder", "birch", "cedar", "dogwood", "elder")
words, who, scopes = st.sampled_from(WORDS), st.integers(0, 1), st.sampled_from(["task:1", "task:2"])
names = itertools.count()


class World:
    """Who is in it."""

    minds: tuple[Mind, ...]


class Memory(RuleBasedStateMachine):
    """Each person's texts by place, those forgotten, and how often each was seen."""

    def __init__(self) -> None:
        super().__init__()
        self.minds = World.minds
        for mind in self.minds:  # what an example before this one left
            for model in (Revision, Entry, Tombstone):
                model.objects.of(mind.key).delete()
        # (scope, text) -> [entry, seen, past]
        self.held: list[dict[tuple[str, str], list[Any]]] = [{}, {}]
        self.forgotten: list[set[str]] = [set(), set()]
        self.delivered: list[tuple[int, str, str, str]] = []

    def stored(self, person: int, scope: str, text: str, entry: str) -> None:
        known = self.held[person].get((scope, text))
        if known is None:
            self.held[person][scope, text] = [entry, 1, False]
        else:
            known[1] += 1

    @rule(person=who, text=words, again=st.booleans())
    def remember(self, person: int, text: str, *, again: bool) -> None:
        dead = text in self.forgotten[person]  # a text that is held may be dead too: its other place was forgotten
        held = ("", text) in self.held[person]
        try:
            made = self.minds[person].remember(text, again=again)
        except HubError as refusal:
            assert (refusal.code, dead, again, held) == ("conflict", True, False, False)
            return
        self.settle(person)
        assert made["created"] is not held
        assert held or not dead or again
        if not held:
            self.forgotten[person].discard(text)
        self.stored(person, "", text, made["entry"])

    @rule(person=who, text=words, scope=scopes)
    def note(self, person: int, text: str, scope: str) -> None:
        self.settle(person)
        if text in self.forgotten[person] and (scope, text) not in self.held[person]:
            return
        self.stored(person, scope, text, self.minds[person].working(text, scope))

    @rule(person=who, text=words, other=words, stale=st.booleans())
    def edit(self, person: int, text: str, other: str, *, stale: bool) -> None:
        held = self.held[person].get(("", text))
        if held is None:
            return
        row = Entry.objects.of(self.minds[person].key).get(pk=held[0])
        try:
            self.minds[person].edit(held[0], other, row.revision + stale)
        except HubError as refusal:
            wanted = "version_mismatch" if stale else "conflict"
            assert refusal.code == wanted
            taken = ("", other) in self.held[person] or other in self.forgotten[person]
            assert stale or taken
            return
        self.settle(person)  # a refusal would have undone that
        if other != text:
            assert other not in self.forgotten[person]
            self.held[person]["", other] = self.held[person].pop(("", text))

    @rule(person=who, text=words, scope=st.sampled_from(["", "task:1", "task:2"]))
    def forget(self, person: int, text: str, scope: str) -> None:
        held = self.held[person].pop((scope, text), None)
        if held is None:
            return
        of_entry = Revision.objects.of(self.minds[person].key).filter(entry=held[0])
        self.forgotten[person] |= set(of_entry.values_list("text", flat=True))
        self.minds[person].forget(held[0])

    @rule(person=who, text=words, kind=st.sampled_from(["fact", "observation"]))
    def deliver(self, person: int, text: str, kind: str) -> None:
        key = f"key-{next(names)}"
        self.delivered.append((person, key, text, kind))
        self.settle(person)
        assert self._apply(person, key, text, kind)
        scope = "" if kind == "fact" else "task:1"
        if text in self.forgotten[person]:
            return
        rows = Entry.objects.of(self.minds[person].key).filter(scope=scope, state="active")
        entry = next(
            row.pk for row in rows if Revision.objects.of(row.subject).get(entry=row, number=row.revision).text == text
        )
        self.stored(person, scope, text, entry)

    @rule(data=st.data())
    def redeliver(self, data: st.DataObject) -> None:
        if self.delivered:
            assert not self._apply(*data.draw(st.sampled_from(self.delivered)))

    def _apply(self, person: int, key: str, text: str, kind: str) -> bool:
        items = [{"kind": kind, "text": text, "source_ref": "s", "confidence": None}]
        return apply(key, self.minds[person].key, "1", items)

    @rule(person=who, data=st.data())
    def time_passes(self, person: int, data: st.DataObject) -> None:
        working = sorted(place for place in self.held[person] if place[0])
        if working:
            held = self.held[person][data.draw(st.sampled_from(working))]
            self.minds[person].pass_expiry(held[0])
            held[2] = True

    @rule()
    def expire(self) -> None:
        due = sum(held[2] for person in self.held for held in person.values())
        assert expire_due() == due
        self.settle(0)
        self.settle(1)

    def settle(self, person: int) -> None:
        """Any write settles what has expired first."""
        self.held[person] = {place: held for place, held in self.held[person].items() if not held[2]}

    @invariant()
    def each_remembers_what_the_model_says(self) -> None:
        for person, mind in enumerate(self.minds):
            rows = Entry.objects.of(mind.key).filter(state="active")
            found = {
                (row.scope, Revision.objects.of(mind.key).get(entry=row, number=row.revision).text): (
                    row.pk,
                    row.seen_count,
                )
                for row in rows
            }
            known = {place: (held[0], held[1]) for place, held in self.held[person].items()}
            past = {place for place, held in self.held[person].items() if held[2]}
            assert {place: found[place] for place in found.keys() - past} == {
                place: known[place] for place in known.keys() - past
            }

    @invariant()
    def a_forgotten_entry_has_no_words(self) -> None:
        for mind in self.minds:
            gone = Entry.objects.of(mind.key).filter(state="forgotten").values("pk")
            assert not Revision.objects.of(mind.key).filter(entry__in=gone).exists()


@pytest.mark.django_db
def test_mem_03_any_order_of_steps_agrees_with_a_plain_model() -> None:
    World.minds = (Mind(make_person("kim")), Mind(make_person("lou")))
    run_state_machine_as_test(
        Memory, settings=settings(max_examples=8, stateful_step_count=25, deadline=None, database=None)
    )
