"""GOV-08 in any order: decisions proposed, accepted, rejected, superseded, revoked, against a plain model."""

import itertools
from dataclasses import dataclass

import hypothesis.strategies as st
import pytest
from django.test import Client
from hypothesis import settings
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    RuleBasedStateMachine,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from search.models import SearchDocument
from tests.brains import begin
from tests.governed.desk import SOURCE
from tests.inprocess import HttpTools, HumanApi, Outcome
from tests.world import make_agent, make_person, make_project


@dataclass
class Taken:
    """What the model knows of one decision."""

    number: int
    status: str = "proposed"
    superseded_by: str | None = None
    version: int = 0
    revision: int = 1
    has_draft: bool = True


class World:
    """Who acts, made once, and a fresh project for each run."""

    people: tuple[HumanApi, HumanApi]
    agent: HttpTools
    numbers = itertools.count()


WHO = st.integers(0, 1)


class Register(RuleBasedStateMachine):
    """Random calls; after each the register must be the model's, and search find exactly what stands."""

    proposed: Bundle[str] = Bundle("proposed")

    def __init__(self) -> None:
        super().__init__()
        self.slug = make_project(f"register{next(World.numbers)}").pk
        begin(World.agent, "main", self.slug)
        self.decisions: dict[str, Taken] = {}

    def agrees(self, outcome: Outcome, *expected: str) -> bool:
        """Tell whether the call was taken; fails unless it was refused for the first reason there is."""
        reason = next(filter(None, expected), "")
        told = (outcome.details.get("reason") or outcome.code) if outcome.refused else ""
        assert told == reason, (told, reason, outcome.body)
        return not outcome.refused

    def is_not(self, document: str, status: str) -> str:
        return "" if self.decisions[document].status == status else "decided"

    @rule(target=proposed)
    def propose(self) -> str:
        given = {"project": self.slug, "kind": "decision", "title": "the ibex", "body": "x", "sources": [SOURCE]}
        document: str = World.agent("document_draft", **given)["document"]
        self.decisions[document] = Taken(len(self.decisions) + 1)
        return document

    @rule(target=proposed, number=st.integers(2, 4))
    def several_are_accepted(self, number: int) -> MultipleResults[str]:
        made = [str(self.propose()) for _ in range(number)]
        for document in made:
            self.accept(document, 0, [])
        return multiple(*made)

    @rule(document=proposed, who=WHO, ends=st.lists(proposed, max_size=3))
    def accept(self, document: str, who: int, ends: list[str]) -> None:
        model = self.decisions[document]
        given = {"expected_revision": model.revision, "supersedes": ends}
        outcome = World.people[who].post(f"/documents/{document}/accept", **given)
        itself = "invalid_argument" if document in ends else ""
        others = next(filter(None, (self.is_not(end, "accepted") for end in ends)), "")
        if self.agrees(outcome, itself, self.is_not(document, "proposed"), others):
            model.status, model.version, model.has_draft = "accepted", 1, False
            self.end(document, ends, outcome["superseded"])

    @rule(document=proposed, who=WHO, ends=st.lists(proposed, min_size=1, max_size=3))
    def supersede(self, document: str, who: int, ends: list[str]) -> None:
        outcome = World.people[who].post(f"/documents/{document}/supersede", supersedes=ends)
        itself = "invalid_argument" if document in ends else ""
        if self.agrees(outcome, itself, *(self.is_not(one, "accepted") for one in [document, *ends])):
            self.end(document, ends, outcome["superseded"])

    def end(self, by: str, ends: list[str], told: list[str]) -> None:
        assert told == list(dict.fromkeys(ends))
        for end in ends:
            self.decisions[end].status, self.decisions[end].superseded_by = "superseded", by

    @rule(document=proposed, who=WHO)
    def reject(self, document: str, who: int) -> None:
        outcome = World.people[who].post(f"/documents/{document}/reject")
        if self.agrees(outcome, self.is_not(document, "proposed")):
            self.decisions[document].status = "rejected"

    @rule(document=proposed, who=WHO, reason=st.sampled_from(["", "Because."]))
    def revoke(self, document: str, who: int, reason: str) -> None:
        outcome = World.people[who].post(f"/documents/{document}/revoke", reason=reason)
        if self.agrees(outcome, "" if reason else "invalid_argument", self.is_not(document, "accepted")):
            self.decisions[document].status = "revoked"

    @rule(document=proposed)
    def change_the_words(self, document: str) -> None:
        model = self.decisions[document]
        given = {"expected_revision": model.revision, "body": f"the words {model.revision + 1}"}
        outcome = World.agent("document_draft", document=document, **given)
        if self.agrees(outcome, "" if model.status in {"proposed", "accepted"} else "decided"):
            model.revision, model.has_draft = outcome["revision"], True

    @rule(document=proposed, editorial=st.booleans())
    def publish(self, document: str, *, editorial: bool) -> None:
        model = self.decisions[document]
        given = {"expected_revision": model.revision, "editorial": editorial}
        outcome = World.people[0].post(f"/documents/{document}/publish", **given)
        refusals = {"proposed": "decision", "accepted": "" if editorial else "editorial"}
        if self.agrees(outcome, "" if model.has_draft else "no_draft", refusals.get(model.status, "decided")):
            model.version, model.has_draft = model.version + 1, False
            assert outcome["version"] == model.version

    @invariant()
    def the_register_is_the_models(self) -> None:
        rows = World.agent("document_list", project=self.slug, kind="decision", limit=500)["documents"]
        shown = {
            row["id"]: (
                row["decision"]["number"],
                row["decision"]["status"],
                row["decision"]["superseded_by"],
                row["version"] or 0,
                row["decision"]["supersedes"],
            )
            for row in rows
        }
        assert shown == {
            key: (
                model.number,
                model.status,
                model.superseded_by,
                model.version,
                sorted(end for end, other in self.decisions.items() if other.superseded_by == key),
            )
            for key, model in self.decisions.items()
        }

    @invariant()
    def search_finds_what_stands(self) -> None:
        rows = SearchDocument.objects.filter(project=self.slug, family="document").values_list("ref", flat=True)
        assert sorted(rows) == sorted(
            f"{key}.{model.version}.0" for key, model in self.decisions.items() if model.status == "accepted"
        )


def person(name: str) -> HumanApi:
    client = Client()
    client.force_login(make_person(name).user)
    return HumanApi(client)


@pytest.mark.django_db(transaction=True)
def test_gov_08_any_order_of_decisions_agrees_with_a_plain_model() -> None:
    World.people = (person("kim"), person("lee"))
    World.agent = HttpTools(make_agent("ada").token)
    run_state_machine_as_test(
        Register, settings=settings(max_examples=6, stateful_step_count=25, deadline=None, database=None)
    )
