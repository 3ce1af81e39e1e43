"""GOV-06, SRC-01: an agent a space is shared with reads what is published there, and nothing else of the project."""

import pytest

from tests.brains import begin
from tests.governed.desk import drafted, found, publish, published, repository, saved
from tests.inprocess import HttpTools, HumanApi, nothing_stored
from tests.search.finding import hits, page
from tests.world import AgentWithToken, make_agent, make_project

AT = "/projects/atlas/spaces/project/shares"


@pytest.fixture
def guest(project: object) -> HttpTools:
    """An agent without a right on atlas, at home in a project of its own."""
    make_project("home")
    calls = HttpTools(make_agent("guest", trusted=False, home="write").token)
    begin(calls, "main", "home")
    return calls


@pytest.fixture
def document(tools: HttpTools, human_api: HumanApi, guest: HttpTools) -> str:
    """A document of two versions and a draft, in the space that is shared with the guest."""
    made = published(tools, human_api, "Ibex", "the first ibex")
    publish(human_api, made, saved(tools, made, 1, body="the second ibex")).done()
    saved(tools, made, 2, body="the draft ibex")
    human_api.post(AT, agent="guest").done()
    return made


def test_gov_06_a_shared_agent_reads_and_finds_what_is_published(
    tools: HttpTools, human_api: HumanApi, guest: HttpTools, document: str
) -> None:
    bodies = [guest("document_get", document=document, version=number)["body"] for number in (1, 2)]
    assert bodies == ["the first ibex", "the second ibex"]
    for asked in ({}, {"project": "atlas"}, {"space": "project"}):
        assert [row["id"] for row in guest("document_list", **asked)["documents"]] == [document]
    for asked in ({}, {"project": "atlas"}):
        (hit,) = found(guest, "ibex", **asked)
        assert (hit["document"], hit["version"], hit["project"], hit["space"]) == (document, 2, "atlas", "project")
        answer = guest("search", query="ibex", **asked).done()
        assert answer["count"] == len(hits(answer)) == 1
    assert guest("document_get", document=document, draft=True).code == "not_found"
    with nothing_stored():
        for call in ("document_draft", "document_publish"):
            assert guest(call, document=document, expected_revision=3).code == "not_found"


def test_gov_06_a_share_shows_nothing_else_of_the_project(
    tools: HttpTools, human_api: HumanApi, guest: HttpTools, document: str
) -> None:
    repository(human_api)
    other = published(tools, human_api, "Other", "the ibex elsewhere", space="code")
    page(tools, "/fs/ibex.md", "the ibex page")
    tools("signal_append", project="atlas", summary="the ibex event").done()
    shown = {"project": "atlas", "title": "the ibex artifact", "kind": "text", "content": "ibex"}
    artifact = tools("artifact_publish", **shown)["artifact"]
    page(guest, "/fs/own.md", "the ibex at home", "home")
    everything = hits(guest("search", query="ibex"))
    assert sorted((hit["family"], hit["project"]) for hit in everything) == [("document", "atlas"), ("page", "home")]
    only = guest("search", query="ibex", project="atlas", families=["page", "event", "artifact", "brain"]).done()
    assert (only["count"], only["families"]) == (0, [])
    assert guest("document_get", document=other).code == "not_found"
    assert guest("artifact_get", artifact=artifact).code == "not_found"
    assert "atlas" not in [row["slug"] for row in guest("project_list")["projects"]]
    for call in ("feed_read", "inbox_read", "session_list", "session_brief", "page_history", "artifact_list"):
        assert guest(call, project="atlas").code == "not_found", call
    assert guest("brain_get", project="atlas", store="project", path="/fs/ibex.md").code == "not_found"


def test_gov_06_a_share_that_is_taken_back_is_refused_at_once(
    human_api: HumanApi, guest: HttpTools, document: str
) -> None:
    human_api.delete(AT, agent="guest").done()
    assert guest("document_get", document=document).code == "not_found"
    assert guest("document_get", document=document, version=1).code == "not_found"
    assert guest("document_list")["documents"] == []
    assert guest("document_list", project="atlas").code == "not_found"
    assert guest("search", query="ibex")["count"] == 0
    assert guest("search", query="ibex", project="atlas").code == "not_found"


def test_gov_06_a_share_beside_a_right_changes_nothing(
    tools: HttpTools, human_api: HumanApi, document: str, ada: AgentWithToken
) -> None:
    human_api.post(AT, agent="ada").done()
    assert len(found(tools, "ibex")) == 1
    assert tools("document_get", document=document, draft=True)["draft"]["body"] == "the draft ibex"
    drafted(tools, "Another")


def test_src_01_a_page_of_hits_goes_on_where_it_ended(
    tools: HttpTools, human_api: HumanApi, guest: HttpTools, document: str
) -> None:
    for number in range(3):
        published(tools, human_api, f"Ibex {number}", f"the ibex {number}")
    seen: list[str] = []
    cursor: dict[str, object] = {}
    while True:
        answer = guest("search", query="ibex", limit=2, **cursor).done()
        seen += [hit["document"] for hit in hits(answer)]
        if answer["next_cursor"] is None:
            break
        cursor = {"cursor": answer["next_cursor"]}
    assert (len(seen), len(set(seen)), answer["count"]) == (4, 4, 4)
