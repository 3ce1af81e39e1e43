"""GOV-04: whatever happens while a version is published, a reader has exactly one, and it is whole."""

from threading import Semaphore
from typing import TYPE_CHECKING, Any

import pytest

from hubsite import agent_calls
from knowledge import switching
from knowledge.models import Chunk, DocumentVersion
from knowledge.operations import publish_document, save_draft
from projects.models import Event
from search import index
from search.models import SearchDocument
from tests.governed.desk import drafted, found, publish, published, saved
from tests.inprocess import HttpTools, HumanApi, Json
from tests.racing import Meanwhile
from tests.world import Person, make_agent

if TYPE_CHECKING:
    from collections.abc import Callable

PUBLISHES = 300


def words(number: int) -> Json:
    """Answer the text of a version that names it everywhere."""
    return {"title": f"quagga {number}", "body": f"# quagga\n\nversion {number}"}


@pytest.mark.django_db(transaction=True)
def test_gov_04_every_reader_has_exactly_one_version_during_300_publishes(
    tools: HttpTools, human: Person, human_api: HumanApi
) -> None:
    document = published(tools, human_api, **words(1))
    actor = make_agent("other", trusted=False, atlas="read").actor
    due = {name: Semaphore(0) for name in ("search", "read")}  # so that they read once for each publish, not more

    def answered(name: str, **given: object) -> Json:
        """Make a call as its faces do, without the way to it."""
        call = agent_calls.calls()[name]
        return agent_calls.run(agent_calls.prepared(actor, call, given), call)

    def searches() -> bool:
        due["search"].acquire(timeout=1)
        ((hit,),) = [family["hits"] for family in answered("search", query="quagga", families=["document"])["families"]]
        assert hit["title"] == f"quagga {hit['version']}"
        assert hit["snippet"].endswith(f"version {hit['version']}")
        return True

    def reads() -> bool:
        due["read"].acquire(timeout=1)
        shown = answered("document_get", document=document)
        assert {name: shown[name] for name in ("title", "body")} == words(shown["version"])
        return True

    with Meanwhile(searches, reads):
        for number in range(2, PUBLISHES + 1):
            given: Json = {"document": document, "expected_revision": number - 1}
            save_draft(human.actor, "atlas", **given, **words(number))
            for waiting in due.values():
                waiting.release()
            done = publish_document(human.actor, "atlas", **given | {"expected_revision": number})
            assert (done["version"], done["state"]) == (number, "published")
    assert DocumentVersion.objects.filter(state="published").count() == 1
    assert SearchDocument.objects.filter(family="document").count() == 1
    assert [hit["version"] for hit in found(tools, "quagga")] == [PUBLISHES]


STEPS: dict[str, tuple[Any, str]] = {
    "parsing": (switching, "parts_of"),
    "making chunks": (Chunk.objects, "bulk_create"),
    "taking the old one out of the index": (switching, "_hide"),
    "indexing": (index, "put_all"),
    "citing pages": (switching, "_show"),
    "switching": (switching, "_switch"),
}


@pytest.mark.parametrize("step", STEPS)
def test_gov_04_a_failure_at_any_step_leaves_the_old_version_whole_and_a_retry_ends_well(
    tools: HttpTools, human_api: HumanApi, reader: HttpTools, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    for when in ("before", "after"):
        document = published(tools, human_api, "Old", "# Old\n\nzebra")
        revision = saved(tools, document, 1, title="New", body="# New\n\nzebra")
        before = everything(reader, document)
        with monkeypatch.context() as broken:
            breaks(broken, *STEPS[step], when)
            failed = publish(human_api, document, revision).done()
        assert (failed["version"], failed["state"]) == (2, "failed")
        assert "RuntimeError" in failed["error"]
        assert "secret" not in failed["error"]
        assert everything(reader, document) == before
        assert reader("document_get", document=document, version=2).code == "not_found"
        assert tools("document_get", document=document, draft=True)["draft"]["title"] == "New"
        retried = publish(human_api, document, revision).done()
        assert (retried["version"], retried["state"], retried["error"]) == (2, "published", None)
        assert [(hit["title"], hit["version"]) for hit in found(reader, "zebra")] == [("New", 2)]
        assert DocumentVersion.objects.filter(document=document).count() == 2
        human_api.post(f"/documents/{document}/archive").done()


def everything(reader: HttpTools, document: str) -> list[object]:
    """Answer all a reader can see of a document, the events too."""
    hits = found(reader, "zebra")
    shown = reader("document_get", document=document).done()
    listed = reader("document_list", project="atlas").done()
    index = list(SearchDocument.objects.filter(family="document").values_list("ref", "title"))
    return [hits, shown, listed, index, Event.objects.count(), Chunk.objects.count()]


def breaks(patch: pytest.MonkeyPatch, owner: Any, name: str, when: str) -> None:
    """Let a function fail, before it did its work or after."""
    meant: Callable[..., object] = getattr(owner, name)

    def fails(*args: object, **named: object) -> None:
        if when == "after":
            meant(*args, **named)
        raise RuntimeError("secret")

    patch.setattr(owner, name, fails)


def test_gov_04_a_failed_first_version_leaves_the_document_unpublished(
    tools: HttpTools, human_api: HumanApi, reader: HttpTools, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = drafted(tools, body="zebra")
    with monkeypatch.context() as broken:
        breaks(broken, switching, "_switch", "after")
        assert publish(human_api, document)["state"] == "failed"
    assert reader("document_get", document=document).code == "not_found"
    assert found(tools, "zebra") == []
    # A draft that moved on is another version; the number of the one that failed is not given twice.
    assert publish(human_api, document, saved(tools, document, 1, body="zebra again"))["version"] == 2
    assert reader("document_get", document=document, version=1).code == "not_found"
    assert [row["version"] for row in human_api.get(f"/documents/{document}/versions")["versions"]] == [2]


def test_gov_08_a_decision_whose_publishing_failed_is_still_proposed(
    tools: HttpTools, human_api: HumanApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = drafted(tools, kind="decision")
    item = tools("document_submit", document=document, expected_revision=1)["event"]
    with monkeypatch.context() as broken:
        breaks(broken, switching, "_switch", "after")
        assert human_api.post(f"/documents/{document}/accept", expected_revision=1)["state"] == "failed"
        refused = human_api.post(f"/inbox/{item}/decision", approved=True)
        assert (refused.code, refused.details["reason"]) == ("conflict", "publishing_failed")
    assert human_api.get(f"/inbox/{item}")["status"] == "action"
    assert tools("document_get", document=document, draft=True)["decision"]["status"] == "proposed"
    assert human_api.post(f"/inbox/{item}/decision", approved=True).done()
    shown = tools("document_get", document=document).done()
    assert (shown["version"], shown["decision"]["status"]) == (1, "accepted")
