"""MEM-10: every cell of the degradation table, with the plane's index directory made unreadable as the outage."""

from typing import Any

import pytest
from django.test import Client

from core.errors import HubError
from knowledge.jobs import finish_waiting
from knowledge.models import DocumentVersion, Space
from knowledge.retrieval import check, planes, recall
from tests.governed.desk import accepted, drafted, found, publish, published, saved
from tests.inprocess import HttpTools, HumanApi, nothing_stored
from tests.retrieval.outage import built, outage, recovered

MODES = ("conversation", "running", "preflight")


def spaces() -> list[Space]:
    return list(Space.objects.all())


@pytest.mark.parametrize("mode", MODES)
def test_mem_10_without_a_plane_recall_is_relational_and_nothing_is_marked(
    tools: HttpTools, human_api: HumanApi, mode: Any
) -> None:
    document = published(tools, human_api, "Deploys", "We deploy on Mondays.")
    assert check(mode) is None
    answer = recall(spaces(), "deploy mondays", 5, mode=mode)
    assert [(hit.document, hit.version, hit.ranks) for hit in answer.hits] == [(document, 1, {"relational": 1})]
    assert (answer.backend, answer.degraded) == ("relational", None)


@pytest.mark.parametrize("mode", MODES)
def test_mem_10_a_plane_that_answers_is_fused_with_the_relational_leg(
    tools: HttpTools, human_api: HumanApi, tantivy: None, mode: Any
) -> None:
    built()
    document = published(tools, human_api, "Deploys", "We deploy on Mondays.")
    assert check(mode) is None
    answer = recall(spaces(), "deploy mondays", 5, mode=mode)
    assert [(hit.document, hit.ranks) for hit in answer.hits] == [(document, {"relational": 1, "tantivy": 1})]
    assert (answer.backend, answer.degraded) == ("relational+tantivy", None)
    assert answer.hits[0].score == pytest.approx(2 / 61, abs=1e-6)


@pytest.mark.parametrize("mode", ["conversation", "running"])
def test_mem_10_a_plane_that_is_down_is_marked_and_the_relational_leg_answers(
    tools: HttpTools, human_api: HumanApi, tantivy: None, mode: Any
) -> None:
    built()
    document = published(tools, human_api, "Deploys", "We deploy on Mondays.")
    with outage():
        assert check(mode) == "unreadable"
        answer = recall(spaces(), "deploy mondays", 5, mode=mode)
        assert [(hit.document, hit.ranks) for hit in answer.hits] == [(document, {"relational": 1})]
        assert (answer.backend, answer.degraded) == ("relational", "unreadable")
    assert recall(spaces(), "deploy", 5, mode=mode).degraded is None


def test_mem_10_before_a_task_a_plane_that_is_down_is_a_refusal(
    tools: HttpTools, human_api: HumanApi, tantivy: None
) -> None:
    built()
    published(tools, human_api, "Deploys", "We deploy on Mondays.")
    with outage(), nothing_stored():
        for ask in (lambda: check("preflight"), lambda: recall(spaces(), "deploy", 5, mode="preflight")):
            with pytest.raises(HubError) as refusal:
                ask()
            assert (refusal.value.status, refusal.value.retryable) == (503, True)
            assert refusal.value.details == {"reason": "retrieval_plane_unavailable", "plane": "unreadable"}
    assert check("preflight") is None


def test_mem_10_the_search_page_says_when_the_plane_is_down(
    tools: HttpTools, human_api: HumanApi, human_client: Client, tantivy: None
) -> None:
    built()
    published(tools, human_api, "Deploys", "We deploy on Mondays.")
    assert "degraded" not in tools("search", query="deploy").done()
    with outage():
        answer = tools("search", query="deploy", families=["document"]).done()
        assert (answer["degraded"], answer["count"]) == ("unreadable", 1)
        page = human_client.get("/search/?q=deploy").content.decode()
        assert "The retrieval plane does not answer (unreadable)" in page
        assert "Deploys" in page
        assert "degraded" not in tools("search", query="deploy", families=["event"]).done()
        assert human_client.get("/readyz").json()["retrieval"] == "degraded"
        assert human_client.get("/readyz").status_code == 200
    assert "degraded" not in tools("search", query="deploy").done()
    assert 'id="degraded"' not in human_client.get("/search/?q=deploy").content.decode()
    assert human_client.get("/readyz").json()["retrieval"] == "tantivy"


def test_mem_10_what_is_published_meanwhile_waits_and_the_old_version_stays(
    tools: HttpTools, human_api: HumanApi, human_client: Client, tantivy: None
) -> None:
    built()
    document = published(tools, human_api, "Old", "zebra")
    revision = saved(tools, document, 1, title="New")
    with outage():
        answer = publish(human_api, document, revision).done()
        assert (answer["version"], answer["state"]) == (2, "indexing")
        assert "unreadable" in answer["error"]
        assert tools("document_get", document=document)["version"] == 1
        assert tools("document_get", document=document, draft=True)["draft"]["title"] == "New"
        assert [(hit["title"], hit["version"]) for hit in found(tools, "zebra")] == [("Old", 1)]
        assert [hit.version for hit in recall(spaces(), "zebra", 5, mode="running").hits] == [1]
        assert publish(human_api, document, revision).details["reason"] == "in_flight"
        assert "waits for the retrieval plane" in human_client.get(f"/document/{document}/").content.decode()
        recovered()
        assert finish_waiting() == 0
    # Somebody writes on meanwhile: that is not published with it, and not lost.
    saved(tools, document, revision, title="Newer")
    assert finish_waiting() == 1
    assert tools("document_get", document=document)["version"] == 2
    assert [(hit["title"], hit["version"]) for hit in found(tools, "zebra")] == [("New", 2)]
    recalled = recall(spaces(), "zebra", 5, mode="running").hits
    assert [(hit.version, hit.ranks) for hit in recalled] == [(2, {"relational": 1, "tantivy": 1})]
    draft = tools("document_get", document=document, draft=True)["draft"]
    assert (draft["title"], draft["base_version"]) == ("Newer", 2)
    assert finish_waiting() == 0


def test_mem_10_without_a_plane_publishing_switches_at_once_and_what_waited_goes_on(
    tools: HttpTools, human_api: HumanApi, tantivy: None, settings: Any
) -> None:
    built()
    with outage():
        document = drafted(tools, "One", "zebra")
        assert publish(human_api, document)["state"] == "indexing"
        assert tools("document_list", project="atlas")["documents"][0]["state"] == "unpublished"
        settings.HUB_RETRIEVAL_PLANE = ""
        assert finish_waiting() == 1
        assert [hit["title"] for hit in found(tools, "zebra")] == ["One"]
        published(tools, human_api, "Two", "zebra")
        settings.HUB_RETRIEVAL_PLANE = "tantivy"


def test_mem_10_what_must_be_published_at_once_is_refused_and_undone(
    tools: HttpTools, human_api: HumanApi, tantivy: None
) -> None:
    built()
    proposed = drafted(tools, "Decide", kind="decision")
    reviewed = drafted(tools, "Review")
    item = tools("document_submit", document=reviewed, expected_revision=1)["event"]
    with outage(), nothing_stored():
        for outcome in (
            human_api.post(f"/documents/{proposed}/accept", expected_revision=1),
            human_api.post(f"/inbox/{item}/decision", approved=True),
        ):
            assert (outcome.code, outcome.details["reason"]) == ("unavailable", "retrieval_plane_unavailable")
    assert human_api.post(f"/documents/{proposed}/accept", expected_revision=1)["state"] == "published"
    assert human_api.post(f"/inbox/{item}/decision", approved=True).done()


def test_mem_10_what_ended_while_it_waited_is_not_published(
    tools: HttpTools, human_api: HumanApi, tantivy: None
) -> None:
    built()
    archived = published(tools, human_api, "Archived", "zebra")
    revoked = accepted(tools, human_api, "Revoked", "zebra")
    with outage():
        for document, more in ((archived, {}), (revoked, {"editorial": True})):
            assert publish(human_api, document, saved(tools, document, 1, body="zebra two"), **more)["version"] == 2
        assert human_api.post(f"/documents/{archived}/archive").done()
        assert human_api.post(f"/documents/{revoked}/revoke", reason="No.").done()
    assert finish_waiting() == 0
    states = DocumentVersion.objects.filter(number=2).values_list("state", "error").order_by("pk")
    assert [state for state, _ in states] == ["failed", "failed"]
    assert found(tools, "zebra") == []
    assert recall(spaces(), "zebra", 5, mode="running").hits == []


@pytest.mark.parametrize(("name", "reason"), [("nonsense", "misconfigured"), ("tantivy", "not_built")])
def test_mem_10_a_plane_that_cannot_be_had_counts_as_down(
    tools: HttpTools, human_api: HumanApi, settings: Any, name: str, reason: str
) -> None:
    published(tools, human_api, "Deploys", "We deploy on Mondays.")
    settings.HUB_RETRIEVAL_PLANE = name
    assert planes.unavailable() == reason
    answer = recall(spaces(), "deploy", 5, mode="conversation")
    assert (len(answer.hits), answer.degraded) == (1, reason)
    with pytest.raises(HubError):
        check("preflight")


def test_mem_10_a_plane_that_is_not_installed_counts_as_down(
    db: None, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.HUB_RETRIEVAL_PLANE = "tantivy"
    monkeypatch.setattr(planes, "_KNOWN", {"tantivy": "knowledge.retrieval.nowhere.Plane"})
    assert planes.unavailable() == "not_installed"


def new_task(human_api: HumanApi) -> Any:
    return human_api.post("/projects/atlas/tasks", title="Roll out", text="Deploy on Monday.", agent="ada")


def test_mem_10_a_task_is_not_prepared_while_the_plane_is_down_and_can_be_later(
    tools: HttpTools, human_api: HumanApi, tantivy: None
) -> None:
    built()
    published(tools, human_api, "Deploys", "We deploy on Mondays.")
    with outage():
        refused = new_task(human_api)
        assert refused.code == "retrieval_plane_unavailable"
        task = refused.details["task"]
        assert human_api.post(f"/tasks/{task}/prepare", expected_revision=2).code == "retrieval_plane_unavailable"
        shown = human_api.get(f"/tasks/{task}").done()
        assert (shown["status"], shown["delegations"]) == ("preflight_failed", [])
        assert human_api.get(f"/tasks/{task}/snapshot").refused
    revision = human_api.get(f"/tasks/{task}")["revision"]
    assert human_api.post(f"/tasks/{task}/prepare", expected_revision=revision)["status"] == "ready"
    with outage():
        revision = human_api.get(f"/tasks/{task}")["revision"]
        assert human_api.post(f"/tasks/{task}/rebuild", expected_revision=revision).code == (
            "retrieval_plane_unavailable"
        )
        assert human_api.get(f"/tasks/{task}")["status"] == "preflight_failed"


def test_mem_10_a_running_task_recalls_degraded_with_rights_as_ever_and_its_snapshot_needs_no_plane(
    tools: HttpTools, human_api: HumanApi, tantivy: None
) -> None:
    built()
    document = published(tools, human_api, "Deploys", "We deploy on Mondays.")
    task = new_task(human_api)["task"]
    delegation = human_api.get(f"/tasks/{task}")["delegations"][0]["id"]
    snapshot = human_api.get(f"/tasks/{task}/snapshot").done()
    assert human_api.post(f"/tasks/{task}/start", expected_revision=human_api.get(f"/tasks/{task}")["revision"]).done()
    asked = {"delegation": delegation, "query": "deploy"}
    whole = tools("knowledge_recall", **asked).done()
    with outage():
        answer = tools("knowledge_recall", **asked).done()
        assert (answer["degraded"], answer["backend"]) == ("unreadable", "relational")
        assert [hit["document"] for hit in answer["hits"]] == [hit["document"] for hit in whole["hits"]] == [document]
        assert human_api.get(f"/tasks/{task}/snapshot").done() == snapshot
        evidence = human_api.get(f"/tasks/{task}/recalls")["recalls"]
        assert [(row["backend"], row["degraded"] or None) for row in evidence] == [
            ("relational", "unreadable"),
            ("relational+tantivy", None),
        ]
        assert human_api.delete(f"/tasks/{task}/delegations/{delegation}").done()
        assert tools("knowledge_recall", **asked).code == "delegation_revoked"
