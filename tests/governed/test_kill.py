"""GOV-04, GOV-08: kill -9 at any place leaves all of a change or nothing of it."""

import pytest

from knowledge.models import Chunk, Decision, DocumentVersion, Draft
from projects.models import Event
from search.models import SearchDocument
from tests.governed.desk import accepted, drafted, found, publish, published, saved
from tests.inprocess import HttpTools, HumanApi
from tests.killing import dies
from tests.world import Person

pytestmark = pytest.mark.django_db(transaction=True)
DECIDING = "knowledge.operations.deciding"


def state() -> list[object]:
    """Answer everything a decision is made of."""
    decisions = Decision.objects.order_by("pk").values_list("pk", "status", "superseded_by", "decided_by")
    index = SearchDocument.objects.filter(family="document").order_by("ref").values_list("ref", flat=True)
    versions = DocumentVersion.objects.order_by("pk").values_list("document", "state")
    return [list(decisions), list(index), list(versions), Draft.objects.count(), Event.objects.count()]


@pytest.mark.parametrize(
    "place",
    [
        f"before {DECIDING}._supersede",  # the new one is accepted, the old ones stand
        f"after {DECIDING}.hide",  # the first of the old ones is superseded and out of the index
        f"before {DECIDING}.tell",  # all rows are changed, nobody was told
    ],
)
def test_gov_08_a_kill_between_the_rows_of_a_supersede_leaves_neither_half(
    tools: HttpTools, human_api: HumanApi, human: Person, place: str
) -> None:
    old = [accepted(tools, human_api, title, "the ibex") for title in ("Old", "Older")]
    new = drafted(tools, "New", "the ibex", kind="decision")
    before = state()
    given = {"document": new, "expected_revision": 1, "supersedes": old}
    dies(place, "knowledge.operations.accept_decision", human.actor, "atlas", **given)
    assert state() == before
    assert sorted(hit["document"] for hit in found(tools, "ibex")) == sorted(old)
    assert human_api.post(f"/documents/{new}/accept", expected_revision=1, supersedes=old)["superseded"] == old
    assert [hit["document"] for hit in found(tools, "ibex")] == [new]


@pytest.mark.parametrize("place", ["after knowledge.switching._index", "after knowledge.switching._switch"])
def test_gov_04_a_kill_while_it_is_published_leaves_the_old_version_whole(
    tools: HttpTools, human_api: HumanApi, human: Person, place: str
) -> None:
    document = published(tools, human_api, body="old ibex")
    revision = saved(tools, document, 1, body="new ibex")
    before = [*state(), Chunk.objects.count()]
    given = {"document": document, "expected_revision": revision}
    dies(place, "knowledge.operations.publish_document", human.actor, "atlas", **given)
    assert [*state(), Chunk.objects.count()] == before
    assert [hit["snippet"] for hit in found(tools, "ibex")] == ["old ibex"]
    assert publish(human_api, document, revision)["version"] == 2
    assert [hit["snippet"] for hit in found(tools, "ibex")] == ["new ibex"]
