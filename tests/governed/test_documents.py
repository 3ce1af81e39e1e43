"""GOV-02..04, GOV-07, GOV-09: a document from an agent's draft to what readers have."""

import pytest

from projects.models import Project
from tests.inprocess import HttpTools, HumanApi
from tests.world import AgentWithToken, make_agent

SOURCE = {"kind": "url", "url": "https://example.org/why"}


@pytest.fixture
def ada_tools(ada: AgentWithToken, project: Project) -> HttpTools:
    """Ada's calls, with a live session in atlas."""
    tools = HttpTools(ada.token)
    tools("session_start", project="atlas", name="main").done()
    return tools


def test_gov_04_a_draft_becomes_a_version_that_readers_and_search_have(
    ada_tools: HttpTools, human_api: HumanApi
) -> None:
    made = ada_tools(
        "document_draft", project="atlas", title="Deploying", body="# Steps\n\nTurn the wheel.", sources=[SOURCE]
    ).done()
    assert made["revision"] == 1
    reader = HttpTools(make_agent("reader", trusted=False, atlas="read").token)
    assert reader("document_get", document=made["document"]).code == "not_found"
    assert reader("document_list", project="atlas")["documents"] == []
    published = human_api.post(f"/documents/{made['document']}/publish", expected_revision=1).done()
    assert (published["version"], published["state"]) == (1, "published")
    shown = reader("document_get", document=made["document"]).done()
    assert (shown["title"], shown["body"], shown["trust"]) == ("Deploying", "# Steps\n\nTurn the wheel.", "reviewed")
    assert "revision" not in shown
    hits = reader("search", query="wheel", families=["document"])["families"][0]["hits"]
    assert [(hit["document"], hit["version"], hit["heading"]) for hit in hits] == [(made["document"], 1, "Steps")]


def test_gov_09_an_approved_review_publishes_exactly_what_was_submitted(
    ada_tools: HttpTools, human_api: HumanApi
) -> None:
    made = ada_tools("document_draft", project="atlas", title="One", body="Words.", sources=[SOURCE]).done()
    asked = ada_tools("document_submit", document=made["document"], expected_revision=1).done()
    ada_tools("document_draft", document=made["document"], body="Other words.", expected_revision=1).done()
    refused = human_api.post(f"/inbox/{asked['event']}/decision", approved=True)
    assert (refused.code, refused.details["reason"]) == ("conflict", "draft_changed")
    assert ada_tools("inbox_read", project="atlas", status="action")["items"][0]["event"] == asked["event"]
    again = ada_tools("document_submit", document=made["document"], expected_revision=2).done()
    human_api.post(f"/inbox/{again['event']}/decision", approved=True).done()
    assert ada_tools("document_get", document=made["document"])["body"] == "Other words."
    assert ada_tools("inbox_read", project="atlas", status="action")["items"] == []


def test_gov_08_a_decision_is_proposed_by_an_agent_and_taken_by_a_person(
    ada_tools: HttpTools, human_api: HumanApi
) -> None:
    asked = {"project": "atlas", "kind": "decision", "body": "We do.", "sources": [SOURCE]}
    old = ada_tools("document_draft", title="Use tabs", **asked)["document"]
    new = ada_tools("document_draft", title="Use spaces", **asked)["document"]
    assert human_api.post(f"/documents/{old}/accept", expected_revision=1)["number"] == 1
    accepted = human_api.post(f"/documents/{new}/accept", expected_revision=1, supersedes=[old]).done()
    assert accepted["superseded"] == [old]
    shown = ada_tools("document_get", document=old)["decision"]
    assert (shown["status"], shown["superseded_by"]) == ("superseded", new)
    found = ada_tools("search", query="tabs spaces", families=["document"])["families"][0]["hits"]
    assert [hit["document"] for hit in found] == [new]
    assert human_api.post(f"/documents/{new}/revoke", reason="").code == "invalid_argument"
    assert human_api.post(f"/documents/{new}/revoke", reason="Neither.")["status"] == "revoked"


def test_knb_06_a_promoted_page_drifts_when_it_moves_on(ada_tools: HttpTools, human_api: HumanApi) -> None:
    page = {"project": "atlas", "store": "project", "path": "/fs/how.md"}
    version = ada_tools("brain_put", content="Do it so.", **page)["version"]
    asked = {"project": "atlas", "title": "How", "from": {"path": "/fs/how.md", "version": version}}
    made = ada_tools("document_draft", **asked).done()
    human_api.post(f"/documents/{made['document']}/publish", expected_revision=1).done()
    history = {"project": "atlas", "path": "/fs/how.md"}
    assert ada_tools("page_history", **history)["trust"] == "promoted"
    ada_tools("brain_put", content="Do it otherwise.", **page).done()
    assert ada_tools("page_history", **history)["trust"] == "drifted"
    assert ada_tools("document_draft", **asked).code == "version_mismatch"
    assert [row["path"] for row in human_api.get("/projects/atlas/drifted")["pages"]] == ["/fs/how.md"]
