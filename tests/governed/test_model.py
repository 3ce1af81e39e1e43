"""GOV-03..05, GOV-09 in any order: two people and an agent, against a plain model."""

import itertools
from dataclasses import dataclass, field

import hypothesis.strategies as st
import pytest
from django.test import Client
from hypothesis import settings
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from core.actor import HUB
from identity.models import Grant
from identity.operations import set_grant
from knowledge.models import Document, DocumentVersion
from search.models import SearchDocument
from tests.brains import begin
from tests.governed.desk import SOURCE
from tests.inprocess import HttpTools, HumanApi, Outcome
from tests.world import make_agent, make_person, make_project

WHO = st.integers(0, 2)
BODY = st.sampled_from(["", "one", "two", "three"])
SEEN = st.sampled_from([0, 0, 0, -1, 1, None])
"""How far the revision somebody names is from the newest; None: names none."""


@dataclass
class Written:
    """What the model knows of one document."""

    body: str | None
    revision: int = 1
    versions: list[str] = field(default_factory=list)
    archived: bool = False
    here: bool = True
    review: tuple[str, int] | None = None


class World:
    """Who acts, made once: two people and an agent; who only reads; a fresh project for each run."""

    people: tuple[HumanApi, HumanApi]
    agent: HttpTools
    reader: HttpTools
    numbers = itertools.count()


def moved(seen: int | None) -> str:
    """Answer how a change is refused by who saw another revision."""
    return "precondition_required" if seen is None else "draft_changed" if seen else ""


class Library(RuleBasedStateMachine):
    """Random calls; after each the hub must show its readers and its authors what the model holds."""

    begun: Bundle[str] = Bundle("begun")

    def __init__(self) -> None:
        super().__init__()
        self.slug = make_project(f"library{next(World.numbers)}").pk
        set_grant(HUB, self.slug, agent="reader", level=Grant.Level.READ)
        begin(World.agent, "main", self.slug)
        self.documents: dict[str, Written] = {}

    def agrees(self, outcome: Outcome, *expected: str) -> bool:
        """Tell whether the call was taken; fails unless it was refused for the first reason there is."""
        reason = next(filter(None, expected), "")
        told = (outcome.details.get("reason") or outcome.code) if outcome.refused else ""
        assert told == reason, (told, reason, outcome.body)
        return not outcome.refused

    def revision(self, model: Written, seen: int | None) -> dict[str, int]:
        return {} if seen is None else {"expected_revision": model.revision + seen}

    @rule(target=begun, body=BODY)
    def begin(self, body: str) -> str:
        given = {"project": self.slug, "title": "x", "body": body, "sources": [SOURCE]}
        document: str = World.agent("document_draft", **given)["document"]
        self.documents[document] = Written(body)
        return document

    @rule(document=begun, who=WHO, body=BODY, seen=SEEN)
    def save(self, document: str, who: int, body: str, seen: int | None) -> None:
        model = self.documents[document]
        given = {"body": body, **self.revision(model, seen)}
        if who == 2:
            outcome = World.agent("document_draft", document=document, **given)
        else:
            outcome = World.people[who].put(f"/documents/{document}/draft", **given)
        gone, closed = "" if model.here else "not_found", "archived" if model.archived else ""
        if not self.agrees(outcome, gone, moved(seen), closed):
            return
        if body != (model.body if model.body is not None else model.versions[-1]):
            model.body, model.revision = body, model.revision + 1
        assert outcome["revision"] == model.revision

    @rule(document=begun, who=WHO, seen=SEEN)
    def publish(self, document: str, who: int, seen: int | None) -> None:
        model = self.documents[document]
        given = self.revision(model, seen)
        if who == 2:
            refused = World.agent("document_publish", document=document, **given)
            assert refused.code == ("forbidden" if model.here else "not_found")
            return
        outcome = World.people[who].post(f"/documents/{document}/publish", **given)
        if self.agrees(outcome, "" if model.here else "not_found", moved(seen), self.unready(model)):
            self.published(model)
            assert (outcome["version"], outcome["state"]) == (len(model.versions), "published")

    def unready(self, model: Written) -> str:
        """Answer why a draft cannot be published."""
        if model.body is None:
            return "no_draft"
        if model.archived:
            return "archived"
        if not model.body:
            return "invalid_argument"
        return "no_changes" if model.versions and model.versions[-1] == model.body else ""

    def published(self, model: Written) -> None:
        assert model.body is not None
        model.versions.append(model.body)
        model.body = model.review = None

    @rule(document=begun, number=st.integers(1, 3), replace=st.booleans(), seen=SEEN)
    def restore(self, document: str, number: int, *, replace: bool, seen: int | None) -> None:
        model = self.documents[document]
        given = {"version": number, "replace": replace, **self.revision(model, seen)}
        outcome = World.people[0].post(f"/documents/{document}/restore", **given)
        known = "" if number <= len(model.versions) else "not_found"
        over = "" if model.body is None else moved(seen) if replace else "has_draft"
        if self.agrees(outcome, "" if model.here else "not_found", "archived" if model.archived else "", known, over):
            model.body, model.revision = model.versions[number - 1], model.revision + 1
            assert outcome["revision"] == model.revision

    @rule(document=begun, seen=SEEN)
    def discard(self, document: str, seen: int | None) -> None:
        model = self.documents[document]
        outcome = World.people[1].delete(f"/documents/{document}/draft", **self.revision(model, seen))
        missing = "no_draft" if model.body is None else "" if model.versions else "unpublished"
        if self.agrees(outcome, "" if model.here else "not_found", moved(seen), missing):
            model.body, model.revision, model.review = None, model.revision + 1, None

    @rule(document=begun, who=st.integers(0, 1), back=st.booleans())
    def archive(self, document: str, who: int, *, back: bool) -> None:
        model = self.documents[document]
        outcome = World.people[who].call("DELETE" if back else "POST", f"/documents/{document}/archive")
        state = "unpublished" if not model.versions else "archived" if model.archived else "published"
        wrong = "" if state == ("archived" if back else "published") else state
        if self.agrees(outcome, "" if model.here else "not_found", wrong):
            model.archived = not back
            model.review = None if not back else model.review

    @rule(document=begun)
    def delete(self, document: str) -> None:
        model = self.documents[document]
        outcome = World.people[0].delete(f"/documents/{document}")
        if self.agrees(outcome, "" if model.here else "not_found", "has_versions" if model.versions else ""):
            model.here, model.review = False, None

    @rule(document=begun, seen=SEEN)
    def submit(self, document: str, seen: int | None) -> None:
        model = self.documents[document]
        outcome = World.agent("document_submit", document=document, **self.revision(model, seen))
        closed = "no_draft" if model.body is None else "archived" if model.archived else ""
        if self.agrees(outcome, "" if model.here else "not_found", moved(seen), closed):
            model.review = (outcome["event"], model.revision)

    @rule(document=begun, who=st.integers(0, 1), approved=st.booleans())
    def decide(self, document: str, who: int, *, approved: bool) -> None:
        model = self.documents[document]
        if model.review is None:
            return
        item, revision = model.review
        outcome = World.people[who].post(f"/inbox/{item}/decision", approved=approved)
        moved = "draft_changed" if revision != model.revision else self.unready(model)
        if self.agrees(outcome, moved if approved else ""):
            model.review = None
            if approved:
                self.published(model)

    @invariant()
    def readers_have_what_was_published(self) -> None:
        here = {key: model for key, model in self.documents.items() if model.here and model.versions}
        listed = World.reader("document_list", project=self.slug)["documents"]
        archived = World.reader("document_list", project=self.slug, state="archived")["documents"]
        assert {row["id"]: row["version"] for row in [*listed, *archived]} == {
            key: len(model.versions) for key, model in here.items()
        }
        assert {row["id"] for row in archived} == {key for key, model in here.items() if model.archived}
        for key, model in list(self.documents.items())[-1:]:
            shown = World.reader("document_get", document=key)
            assert (shown.body.get("body") if model in here.values() else shown.code) == (
                model.versions[-1] if model in here.values() else "not_found"
            )
            first = World.reader("document_get", document=key, version=1)
            assert first.refused or first["body"] == model.versions[0]

    @invariant()
    def authors_have_the_drafts_and_the_counter(self) -> None:
        rows = Document.objects.filter(project=self.slug).select_related("draft")
        assert {row.pk: (row.revision, getattr(getattr(row, "draft", None), "body", None)) for row in rows} == {
            key: (model.revision, model.body) for key, model in self.documents.items() if model.here
        }

    @invariant()
    def the_index_holds_what_is_published_now(self) -> None:
        rows = SearchDocument.objects.filter(project=self.slug, family="document").values_list("ref", flat=True)
        assert sorted(rows) == sorted(
            f"{key}.{len(model.versions)}.0"
            for key, model in self.documents.items()
            if model.here and model.versions and not model.archived
        )
        versions = DocumentVersion.objects.filter(document__project=self.slug).values_list("document", "number", "body")
        assert sorted(versions) == sorted(
            (key, number, body)
            for key, model in self.documents.items()
            if model.here
            for number, body in enumerate(model.versions, 1)
        )

    @invariant()
    def the_inbox_holds_what_waits_for_review(self) -> None:
        items = World.agent("inbox_read", project=self.slug, status="action")["items"]
        waiting = [model.review[0] for model in self.documents.values() if model.review]
        assert sorted(item["id"] for item in items) == sorted(waiting)


def person(name: str) -> HumanApi:
    client = Client()
    client.force_login(make_person(name).user)
    return HumanApi(client)


@pytest.mark.django_db(transaction=True)
def test_gov_03_any_order_of_calls_agrees_with_a_plain_model() -> None:
    World.people = (person("kim"), person("lee"))
    World.agent = HttpTools(make_agent("ada").token)
    World.reader = HttpTools(make_agent("reader", trusted=False).token)
    run_state_machine_as_test(
        Library, settings=settings(max_examples=5, stateful_step_count=25, deadline=None, database=None)
    )
