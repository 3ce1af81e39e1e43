"""INB-01..05 in any order: two agents and a human against a plain model of the inbox."""

import itertools
from dataclasses import dataclass
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from core.errors import HubError
from inbox import queries
from inbox.jobs import expire_due
from inbox.operations import (
    decide,
    mark_all_read,
    mark_read,
    mark_unread,
    post_answer,
    post_approval,
    post_question,
    post_signal,
)
from projects.models import Event
from tests.inprocess import pass_deadline
from tests.world import AgentWithToken, Person, make_agent, make_person, make_project


@dataclass
class Item:
    """What the model knows of one entry."""

    kind: str
    status: str
    asker: str
    deadline: bool = False
    due: bool = False
    outcome: str = ""
    by: str = ""

    @property
    def open(self) -> bool:
        return self.status in {"action", "waiting"}

    def resolve(self, outcome: str, by: str) -> None:
        self.status, self.outcome, self.by = "resolved", outcome, by


class World:
    """The actors, made once, and a fresh project for each run."""

    agents: tuple[AgentWithToken, AgentWithToken]
    human: Person
    numbers = itertools.count()


OPENS = {"finished": "unread", "question": "waiting", "approval": "action"}


class Inbox(RuleBasedStateMachine):
    """Random calls; after each the hub must show what the model holds."""

    posted: Bundle[str] = Bundle("posted")

    def __init__(self) -> None:
        super().__init__()
        self.slug = make_project(f"inbox{next(World.numbers)}").pk
        # What the runs before this one left is settled: deadlines and read-all know no project.
        mark_all_read(World.human.actor)
        expire_due()
        self.items: dict[str, Item] = {}

    @rule(target=posted, who=st.integers(0, 1), kind=st.sampled_from(sorted(OPENS)), deadline=st.booleans())
    def post(self, who: int, kind: str, *, deadline: bool) -> str:
        actor, seconds = World.agents[who].actor, 60 if deadline else None
        if kind == "finished":
            event = post_signal(actor, self.slug, summary="done", kind="finished")["event"]
        elif kind == "question":
            event = post_question(actor, self.slug, subject="which?", deadline_s=seconds)["event"]
        else:
            event = post_approval(actor, self.slug, subject="may I?", deadline_s=seconds)["event"]
        self.items[event] = Item(kind, OPENS[kind], actor.name, deadline=deadline and kind != "finished")
        return str(event)

    def refusal(self, item: Item, kind: str) -> str | None:
        """Answer the code an answer to the item must be refused with, None where it is taken."""
        if item.kind != kind:
            return "invalid_argument"
        if item.outcome == "expired" or (item.open and item.due):
            return "expired"
        return None if item.open else "conflict"

    def attempt(self, item: Item, kind: str, outcome: str, by: str, action: Any) -> None:
        expected = self.refusal(item, kind)
        try:
            action()
        except HubError as refusal:
            assert refusal.code == expected
        else:
            assert expected is None
            item.resolve(outcome, by)

    @rule(event=posted, who=st.integers(0, 2))
    def answer(self, event: str, who: int) -> None:
        actor = World.human.actor if who == 2 else World.agents[who].actor
        action = lambda: post_answer(actor, self.slug, question=event, body="x")  # noqa: E731
        self.attempt(self.items[event], "question", "answered", str(actor), action)

    @rule(event=posted, approved=st.booleans())
    def decision(self, event: str, *, approved: bool) -> None:
        outcome = "approved" if approved else "declined"
        action = lambda: decide(World.human.actor, self.slug, item=event, approved=approved)  # noqa: E731
        self.attempt(self.items[event], "approval", outcome, "human:kim", action)

    @rule(event=posted)
    def deadline_passes(self, event: str) -> None:
        item = self.items[event]
        if item.open and item.deadline:
            pass_deadline(event)
            item.due = True

    @rule()
    def settle(self) -> None:
        due = [item for item in self.items.values() if item.open and item.due]
        assert expire_due() == len(due)
        for item in due:
            item.resolve("expired", "hub")

    @rule(events=st.lists(posted, max_size=4), to=st.sampled_from(["read", "unread"]))
    def mark(self, events: list[str], to: str) -> None:
        verb = mark_read if to == "read" else mark_unread
        before = {"read": "unread", "unread": "read"}[to]
        marked = verb(World.human.actor, items=events)
        changed = sorted({event for event in events if self.items[event].status == before})
        assert marked == {"changed": changed, "unchanged": sorted(set(events) - set(changed))}
        for event in changed:
            self.items[event].status = to

    @rule()
    def read_all(self) -> None:
        unread = [item for item in self.items.values() if item.status == "unread"]
        assert mark_all_read(World.human.actor) == len(unread)
        for item in unread:
            item.status = "read"

    @invariant()
    def the_human_sees_the_model(self) -> None:
        shown = [queries.human_json(row) for row in queries.items(project=self.slug)]
        assert [row["id"] for row in shown] == sorted(self.items, reverse=True)
        for row in shown:
            item = self.items[row["id"]]
            found = (row["kind"], row["status"], row["actor"], row["outcome"] or "", row["resolved_by"] or "")
            assert found == (item.kind, item.status, item.asker, item.outcome, item.by)
            assert bool(row["read_at"]) is (item.status == "read")

    @invariant()
    def agents_see_it_without_the_read_axis(self) -> None:
        for agent in World.agents:
            shown = [queries.agent_json(row) for row in queries.visible_items(agent.actor, project=self.slug)]
            assert [row["id"] for row in shown] == sorted(self.items, reverse=True)
            for row in shown:
                status = self.items[row["id"]].status
                assert row["status"] == ("unread" if status == "read" else status)
                if self.items[row["id"]].kind == "finished":
                    assert row["updated_at"] == row["created_at"]

    @invariant()
    def each_resolved_item_has_one_answer_and_no_other_has_any(self) -> None:
        answers = Event.objects.filter(project=self.slug, kind="answer").values_list("thread", flat=True)
        assert sorted(map(str, answers)) == sorted(
            event for event, item in self.items.items() if item.status == "resolved"
        )


@pytest.mark.django_db
def test_inb_01_any_order_of_calls_agrees_with_a_plain_model() -> None:
    World.agents = (make_agent("ada"), make_agent("ben"))
    World.human = make_person("kim")
    run_state_machine_as_test(
        Inbox, settings=settings(max_examples=8, stateful_step_count=25, deadline=None, database=None)
    )
