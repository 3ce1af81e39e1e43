"""Documents in the browser, by what their pages answer: GOV-01..09, HUM-01."""

import json
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from knowledge import switching
from knowledge.models import Decision, Document, DocumentVersion, Draft, Maintainer, Share, Space
from projects.models import Project
from tests.inprocess import HttpTools, HumanApi
from tests.world import AgentWithToken, Person, make_person

type Json = dict[str, Any]
OK, FOUND, CONFLICT, INVALID, NOT_FOUND = 200, 302, 409, 422, 404
URL = {"kind": "url", "url": "https://example.org/why", "title": "Why"}


class Desk:
    """A person at a project's documents."""

    def __init__(self, client: Client, api: HumanApi) -> None:
        self.client = client
        self.api = api

    def draft(self, title: str = "Deploying", **more: Any) -> str:
        """Make a document with a draft."""
        asked = {"title": title, "body": "Turn the wheel.", "sources": [URL], **more}
        return str(self.api.post("/projects/atlas/documents", **asked)["document"])

    def published(self, title: str = "Deploying", **more: Any) -> str:
        """Make a document and publish it."""
        document = self.draft(title, **more)
        self.api.post(f"/documents/{document}/publish", expected_revision=1).done()
        return document

    def text(self, at: str, status: int = OK) -> str:
        """Answer what a page says."""
        answer = self.client.get(at)
        assert answer.status_code == status, answer.content.decode()
        return answer.content.decode()

    def post(self, at: str, **fields: object) -> Any:
        """Send a form."""
        return self.client.post(at, fields)

    def save(self, document: str, revision: int | str, **more: object) -> Any:
        """Send the editor's form."""
        fields = {"title": "Deploying", "body": "Turn the wheel.", "source": [json.dumps(URL)]}
        return self.post(f"/document/{document}/edit/", **{**fields, "expected_revision": revision, **more})


@pytest.fixture
def desk(human_client: Client, human_api: HumanApi, project: Project) -> Desk:
    """Kim at the documents of atlas."""
    return Desk(human_client, human_api)


@pytest.fixture
def tools(ada: AgentWithToken, project: Project) -> HttpTools:
    """Ada's calls, with a live session in atlas."""
    tools = HttpTools(ada.token)
    tools("session_start", project="atlas", name="main").done()
    return tools


def flat(text: str) -> str:
    """Answer the words of a page."""
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())


def test_gov_03_a_document_is_begun_written_and_published(desk: Desk) -> None:
    answer = desk.post("/project/atlas/documents/new/", title="Deploying", kind="guide", space="")
    document = Document.objects.get().pk
    assert (answer.status_code, answer["Location"]) == (FOUND, f"/document/{document}/edit/")
    assert "Nobody published this yet" in desk.text(f"/document/{document}/")
    answer = desk.save(document, 1, body="# Steps\r\n\r\nTurn.", action="publish")
    assert (answer.status_code, answer["Location"]) == (FOUND, f"/document/{document}/")
    assert DocumentVersion.objects.get().body == "# Steps\n\nTurn."
    page = flat(desk.text(f"/document/{document}/"))
    assert "Published as version 1." in page
    assert "reviewed" in page
    assert "Why" in page
    listed = flat(desk.text("/project/atlas/documents/"))
    assert "Deploying guide project version 1" in listed
    assert "draft waiting" not in listed
    assert f'href="/document/{document}/"' in desk.text("/project/atlas/")


def test_gov_03_a_refused_title_stays_typed(desk: Desk) -> None:
    answer = desk.post("/project/atlas/documents/new/", title=" ", kind="decision", space="nowhere")
    assert answer.status_code == NOT_FOUND
    answer = desk.post("/project/atlas/documents/new/", title="x" * 201, kind="decision", space="")
    assert answer.status_code == INVALID
    assert "x" * 201 in answer.content.decode()
    assert "<option selected>decision</option>" in answer.content.decode()
    assert not Document.objects.exists()


def test_gov_03_a_stale_save_shows_both_texts_and_stores_neither_over_the_other(desk: Desk, tools: HttpTools) -> None:
    document = desk.draft()
    tools("document_draft", document=document, body="Hers.", expected_revision=1).done()
    answer = desk.save(document, 1, body="Mine.")
    page = answer.content.decode()
    assert answer.status_code == CONFLICT
    assert "Somebody saved this draft while you wrote" in page
    assert "Theirs is revision 2 by ada" in flat(page)
    assert "-Hers." in flat(page)
    assert "+Mine." in flat(page)
    assert '<textarea class="code wrap tall" id="text" name="body" rows="24">\nMine.</textarea>' in page
    assert Draft.objects.get().body == "Hers."
    assert desk.save(document, 1, body="Mine.", action="publish").status_code == CONFLICT
    answer = desk.save(document, 1, body="Mine.", over=2)
    assert answer.status_code == FOUND
    assert (Draft.objects.get().body, Draft.objects.get().revision) == ("Mine.", 3)


def test_gov_03_a_save_over_a_text_that_moved_again_is_a_conflict_again(desk: Desk) -> None:
    document = desk.draft()
    desk.save(document, 1, body="Two.")
    desk.save(document, 2, body="Three.")
    assert desk.save(document, 1, body="Mine.", over=2).status_code == CONFLICT
    assert Draft.objects.get().body == "Three."


def test_gov_03_what_is_stored_already_keeps_its_revision(desk: Desk) -> None:
    document = desk.published()
    assert desk.save(document, 1).status_code == FOUND
    assert not Draft.objects.exists()
    desk.save(document, 1, body="More.")
    assert desk.save(document, 1, body="More.").status_code == FOUND  # sent twice
    assert Draft.objects.get().revision == 2


def test_gov_03_an_autosave_answers_the_revision_or_the_conflict_alone(desk: Desk) -> None:
    document = desk.draft()
    headers = {"X-Autosave": "1", "HX-Target": "div#conflict"}

    def send(revision: int, **more: object) -> Any:
        fields = {"title": "Deploying", "body": "Turn.", "source": json.dumps(URL), "expected_revision": revision}
        return desk.client.post(f"/document/{document}/edit/", {**fields, **more}, headers=headers)

    assert json.loads(send(1).content) == {"revision": 2}
    refused = send(2, title="")
    assert (refused.status_code, json.loads(refused.content)["message"]) == (INVALID, "title must not be empty.")
    assert send(2, add_kind="url", url_url="half typed").status_code == OK
    conflict = send(1, body="Other.")
    assert conflict.status_code == CONFLICT
    assert conflict.content.decode().startswith('<div id="conflict">')
    assert Draft.objects.get().body == "Turn."


def test_gov_04_what_cannot_be_published_is_refused_in_the_editor_with_the_text(desk: Desk) -> None:
    document = desk.draft(sources=[])
    answer = desk.save(document, 1, body="New words.", source=[], action="publish")
    page = answer.content.decode()
    assert answer.status_code == INVALID
    assert "at least one source" in page
    assert "New words." in page
    assert 'name="expected_revision" value="2"' in page  # the text itself was saved
    answer = desk.save(document, 2, body="New words.", source=[], action="publish", add_kind="url", url_url=URL["url"])
    assert answer.status_code == FOUND
    assert DocumentVersion.objects.get().sources == [{"kind": "url", "url": URL["url"]}]


def test_gov_04_a_failed_publish_is_told_with_a_way_to_try_again(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    document = desk.published()
    desk.save(document, 1, body="Second.")

    def fail(*_: object) -> None:
        raise RuntimeError("the index is away")

    with monkeypatch.context() as patch:
        patch.setattr(switching, "index_version", fail)
        desk.save(document, 2, body="Second.", action="publish")
    page = desk.text(f"/document/{document}/")
    assert "Publishing failed. It could not be parsed and indexed (RuntimeError)." in flat(page)
    assert "Readers still have version 1." in flat(page)
    assert "Turn the wheel." in page
    desk.post(f"/document/{document}/publish/", expected_revision=2)
    page = desk.text(f"/document/{document}/")
    assert "Published as version 2." in page
    assert "Publishing failed" not in page


def test_gov_05_a_version_is_restored_into_a_draft_and_a_draft_only_given_up_as_it_was_seen(desk: Desk) -> None:
    document = desk.published()
    desk.save(document, 1, body="Second.", action="publish")
    assert "This is version 1; the current one is 2." in flat(desk.text(f"/document/{document}/?version=1"))
    restore = f"/document/{document}/restore/"
    assert desk.post(restore, version=1, expected_revision=2)["Location"] == f"/document/{document}/edit/"
    assert (Draft.objects.get().body, Draft.objects.get().restored_from) == ("Turn the wheel.", 1)
    assert "Give that draft up" in desk.text(f"/document/{document}/?version=1")
    desk.save(document, 3, body="Third.")
    desk.post(restore, version=1, expected_revision=4)
    assert "There is a draft." in desk.text(f"/document/{document}/")
    desk.post(restore, version=1, expected_revision=3, replace="yes")
    assert Draft.objects.get().body == "Third."
    desk.post(restore, version=1, expected_revision=4, replace="yes")
    assert Draft.objects.get().body == "Turn the wheel."
    desk.post(f"/document/{document}/discard/", expected_revision=5)
    assert not Draft.objects.exists()


def test_gov_04_any_two_versions_are_compared(desk: Desk) -> None:
    document = desk.published()
    desk.save(document, 1, body="Second.", action="publish")
    desk.save(document, 2, body="Third.", title="Turning", action="publish")
    page = flat(desk.text(f"/document/{document}/diff/?from=1&to=3"))
    assert "-Title: Deploying" in page
    assert "+Title: Turning" in page
    assert "-Turn the wheel." in page
    assert "-Second." in flat(desk.text(f"/document/{document}/diff/"))
    assert "These two say the same." in desk.text(f"/document/{document}/diff/?from=2&to=2")
    desk.text(f"/document/{document}/diff/?from=9", NOT_FOUND)
    desk.text(f"/document/{document}/?version=x", NOT_FOUND)


def test_gov_06_an_archived_document_leaves_the_list_and_comes_back(desk: Desk) -> None:
    document = desk.published()
    desk.post(f"/document/{document}/archive/")
    assert "Deploying" not in desk.text("/project/atlas/documents/")
    assert "Deploying" in desk.text("/project/atlas/documents/?state=archived")
    assert desk.client.get(f"/document/{document}/edit/").status_code == FOUND
    assert desk.save(document, 1, body="Late.").status_code == CONFLICT
    desk.post(f"/document/{document}/unarchive/")
    assert "Deploying" in desk.text("/project/atlas/documents/")


def test_gov_03_a_document_nobody_published_is_deleted(desk: Desk) -> None:
    document = desk.draft()
    assert desk.post(f"/document/{document}/delete/")["Location"] == "/project/atlas/documents/"
    assert not Document.objects.exists()
    document = desk.published()
    desk.post(f"/document/{document}/delete/")
    assert "has versions" in desk.text(f"/document/{document}/")


def test_gov_07_every_kind_of_source_is_added_and_taken_away_in_the_form(desk: Desk, tools: HttpTools) -> None:
    put = {"project": "atlas", "store": "project"}
    version = tools("brain_put", path="/fs/how.md", content="How.", **put)["version"]
    artifact = tools("artifact_publish", project="atlas", title="Report", kind="markdown", content="# R")["artifact"]
    event = tools("signal_append", project="atlas", summary="Sorted")["event"]
    desk.api.post("/projects/atlas/spaces", name="wheel", url="https://github.com/a/wheel").done()
    other = desk.published("Other")
    document = desk.draft("Deploying", space="wheel", sources=[])
    adds = [
        {"add_kind": "url", "url_url": "https://example.org/x", "url_title": "An example"},
        {"add_kind": "page", "page_path": "how.md"},
        {"add_kind": "artifact", "artifact_id": f"https://hub/artifact/{artifact}/"},
        {"add_kind": "document", "document_id": other},
        {"add_kind": "event", "event_id": event},
        {"add_kind": "repository", "repository_path": "src/w.py", "repository_commit": "abcdef1",
         "repository_blob": "1234567", "repository_lines": "10-20"},
    ]  # fmt: skip
    for number, add in enumerate(adds):
        sources = [json.dumps(source) for source in Draft.objects.get(document=document).sources]
        answer = desk.save(document, number + 1, source=sources, action="add-source", **add)
        assert answer.status_code == FOUND, flat(answer.content.decode())
    stored = Draft.objects.get(document=document).sources
    assert stored == [
        {"kind": "url", "url": "https://example.org/x", "title": "An example"},
        {"kind": "page", "path": "/fs/how.md", "version": version},
        {"kind": "artifact", "artifact": artifact, "version": 1},
        {"kind": "document", "document": other, "version": 1},
        {"kind": "event", "event": event},
        {"kind": "repository", "path": "src/w.py", "commit": "abcdef1", "blob": "1234567", "lines": [10, 20]},
    ]
    page = desk.text(f"/document/{document}/")
    for address in (
        "https://example.org/x", "/project/atlas/knowledge/how.md", f"/artifact/{artifact}/?version=1",
        f"/document/{other}/?version=1", "https://github.com/a/wheel/blob/abcdef1/src/w.py#L10-L20",
    ):  # fmt: skip
        assert f'href="{address}"' in page
    desk.save(document, 7, source=[json.dumps(source) for source in stored], action="remove-source-4")
    assert [source["kind"] for source in Draft.objects.get(document=document).sources][4:] == ["repository"]


def test_gov_07_a_source_says_when_it_is_gone_or_moved_on(desk: Desk, tools: HttpTools) -> None:
    put = {"project": "atlas", "store": "project"}
    page = tools("brain_put", path="/fs/how.md", content="How.", **put)["version"]
    gone = tools("brain_put", path="/fs/gone.md", content="Gone.", **put)["version"]
    artifact = tools("artifact_publish", project="atlas", title="Report", kind="markdown", content="# R")["artifact"]
    sources = [
        {"kind": "page", "path": "/fs/how.md", "version": page},
        {"kind": "page", "path": "/fs/gone.md", "version": gone},
        {"kind": "artifact", "artifact": artifact, "version": 1},
    ]
    document = desk.published(sources=sources)
    tools("brain_put", path="/fs/how.md", content="Otherwise.", **put).done()
    tools("brain_delete", path="/fs/gone.md", **put).done()
    desk.api.delete(f"/artifacts/{artifact}").done()
    text = flat(desk.text(f"/document/{document}/"))
    assert re.search(r"how\.md \w+ drifted page gone\.md \w+ gone artifact A artifact version 1 gone", text)
    assert "drifted" in desk.text("/project/atlas/documents/")
    drifted = flat(desk.text("/project/atlas/documents/drifted/"))
    assert "gone.md gone History cited by Deploying" in drifted
    assert "how.md drifted History cited by Deploying" in drifted
    assert "Documents that rest on this page" in desk.text("/project/atlas/knowledge/how.md")


def test_gov_07_a_refused_source_leaves_all_that_was_typed(desk: Desk) -> None:
    document = desk.draft()
    answer = desk.save(document, 1, body="Typed.", action="add-source", add_kind="page", page_path="no/such.md")
    page = answer.content.decode()
    assert answer.status_code == NOT_FOUND
    assert "Typed." in page
    assert 'value="no/such.md"' in page
    assert Draft.objects.get().revision == 1
    assert desk.save(document, 1, action="add-source", add_kind="url", url_url="ftp://x").status_code == INVALID
    assert desk.save(document, 1, source=["nonsense"]).status_code == INVALID


def test_gov_01_a_stale_document_says_so_and_its_space_what_was_reported(desk: Desk, tools: HttpTools) -> None:
    space = {"name": "wheel", "url": "https://github.com/a/wheel", "sync_agent": "ada"}
    assert desk.post("/project/atlas/documents/spaces/new/", **space).status_code == FOUND
    refused = desk.post("/project/atlas/documents/spaces/new/", **space)
    assert (refused.status_code, "a space of that name" in refused.content.decode()) == (CONFLICT, True)
    source = {"kind": "repository", "path": "w.py", "commit": "abcdef1", "blob": "1234567"}
    document = desk.published(space="wheel", sources=[source])
    assert "verified at a commit" in desk.text(f"/document/{document}/")
    report = {"project": "atlas", "space": "wheel", "commit": "fedcba9", "files": {"w.py": "7654321"}}
    tools("repository_report", **report).done()
    assert "w.py at commit abcdef1 stale" in flat(desk.text(f"/document/{document}/"))
    listed = flat(desk.text("/project/atlas/documents/"))
    assert "Deploying guide stale" in listed
    assert "Sync ada Reported fedcba9" in listed
    desk.save(document, 1, source=[], action="add-source", add_kind="repository", repository_path="w.py")
    cited = {"kind": "repository", "path": "w.py", "commit": "fedcba9", "blob": "7654321"}
    assert Draft.objects.get().sources == [cited]


def test_gov_06_a_long_list_costs_as_many_queries_as_a_short_one(desk: Desk, tools: HttpTools) -> None:
    version = tools("brain_put", project="atlas", store="project", path="/fs/how.md", content="How.")["version"]
    sources = [{"kind": "page", "path": "/fs/how.md", "version": version}]
    desk.api.post("/projects/atlas/spaces", name="wheel").done()
    file = {"kind": "repository", "path": "w.py", "commit": "abcdef1", "blob": "1234567"}

    def fill(name: str) -> None:
        document = desk.published(f"Page {name}", sources=sources)
        desk.api.put(f"/documents/{document}/draft", expected_revision=1, body="More.").done()
        desk.api.post(f"/documents/{document}/review", expected_revision=2).done()
        desk.published(f"File {name}", space="wheel", sources=[file])
        decision = desk.draft(f"Decision {name}", kind="decision")
        desk.api.post(f"/documents/{decision}/accept", expected_revision=1).done()
        desk.draft(f"Draft {name}")

    pages = ("/project/atlas/documents/", "/project/atlas/decisions/", "/reviews/")
    fill("one")
    counts = [_queries(desk, at) for at in pages]
    for number in range(4):
        fill(str(number))
    assert [_queries(desk, at) for at in pages] == counts


def _queries(desk: Desk, at: str) -> int:
    with CaptureQueriesContext(connection) as seen:
        desk.text(at)
    return len(seen)


@pytest.fixture
def lee(desk: Desk) -> Desk:
    """Somebody who signs in and maintains nothing: the space was there before them."""
    desk.draft("Made first")
    client = Client()
    client.force_login(make_person("lee").user)
    return Desk(client, HumanApi(client))


def test_gov_02_only_maintainers_have_the_buttons_and_others_are_told_whom_to_ask(desk: Desk, lee: Desk) -> None:
    document = desk.draft()
    page = lee.text(f"/document/{document}/edit/")
    assert "A maintainer publishes it." in page
    assert "Maintainers: kim. Ask one of them, or add yourself in Admin" in flat(page)
    assert 'value="publish"' not in page
    assert 'value="publish"' in desk.text(f"/document/{document}/edit/")
    assert lee.save(document, 1, body="Sneaky.", action="publish").status_code == 403
    assert not DocumentVersion.objects.exists()
    document = desk.published("Known")
    assert "Archive" not in lee.text(f"/document/{document}/")
    lee.post(f"/document/{document}/archive/")
    assert "Only a maintainer" in lee.text(f"/document/{document}/")


def test_gov_08_a_decision_takes_the_place_of_others_and_is_revoked_with_a_reason(desk: Desk, lee: Desk) -> None:
    old, older, new = (desk.draft(title, kind="decision") for title in ("Tabs", "Two spaces", "Four spaces"))
    for document in (old, older):
        desk.post(f"/document/{document}/accept/", expected_revision=1)
    assert "Publish" not in desk.text(f"/document/{new}/edit/").split("<form", 2)[-1].split("Sources")[0]
    assert "A maintainer accepts or rejects it." in lee.text(f"/document/{new}/")
    lee.post(f"/document/{new}/accept/", expected_revision=1)
    desk.post(f"/document/{new}/accept/", expected_revision=0, supersedes=[old])
    assert Decision.objects.get(document=new).status == "proposed"
    desk.post(f"/document/{new}/accept/", expected_revision=1, supersedes=[old, older])
    page = flat(desk.text(f"/document/{old}/"))
    assert "Chain #1 Tabs #2 Two spaces → superseded by #3 Four spaces" in page
    register = flat(desk.text("/project/atlas/decisions/"))
    assert "#1 Tabs superseded superseded by kim just now → #3" in register
    assert "#1 Tabs #2 Two spaces → superseded by #3 Four spaces" in register
    desk.post(f"/document/{new}/revoke/", reason=" ")
    assert Decision.objects.get(document=new).status == "accepted"
    desk.post(f"/document/{new}/revoke/", reason="Neither, after all.")
    assert "Neither, after all." in desk.text(f"/document/{new}/")
    narrowed = flat(desk.text("/project/atlas/decisions/?status=revoked"))
    assert "Four spaces revoked revoked by kim" in narrowed
    assert "Tabs superseded" not in narrowed


def test_gov_08_an_accepted_decision_changes_by_editorial_versions_and_later_takes_anothers_place(desk: Desk) -> None:
    first, second, third = (desk.draft(title, kind="decision") for title in ("One", "Two", "Three"))
    desk.post(f"/document/{first}/accept/", expected_revision=1)
    desk.post(f"/document/{second}/accept/", expected_revision=1)
    desk.save(first, 1, title="One", body="Said better.", action="publish")
    assert DocumentVersion.objects.get(document=first, number=2).editorial
    desk.post(f"/document/{first}/supersede/", supersedes=[second])
    assert Decision.objects.get(document=second).superseded_by_id == first
    desk.post(f"/document/{third}/reject/", reason="No.")
    assert Decision.objects.get(document=third).status == "rejected"
    assert desk.client.get(f"/document/{third}/edit/").status_code == FOUND


def test_gov_09_a_review_is_approved_from_the_queue(desk: Desk, lee: Desk, tools: HttpTools) -> None:
    document = desk.published()
    tools("document_draft", document=document, body="Turn it twice.", expected_revision=1).done()
    event = tools("document_submit", document=document, expected_revision=2, note="Please **look**.")["event"]
    page = desk.text("/reviews/")
    assert "<strong>look</strong>" in page
    assert "+Turn it twice." in flat(page)
    assert "Revision 2 waits for a maintainer." in desk.text(f"/document/{document}/")
    assert "+Turn it twice." in flat(desk.text(f"/inbox/{event}/"))
    assert "Approve" not in lee.text("/reviews/")
    refused = lee.post(f"/reviews/{event}/decision/", decision="approve", note="mine")
    assert (refused.status_code, "Only a maintainer" in refused.content.decode()) == (403, True)
    assert desk.post(f"/reviews/{event}/decision/", decision="approve").status_code == FOUND
    assert "Nothing waits for review." in desk.text("/reviews/")
    assert DocumentVersion.objects.get(number=2).body == "Turn it twice."
    assert "Turn it twice." not in desk.text(f"/inbox/{event}/")


def test_gov_09_a_draft_that_moved_is_not_approved_and_stays_asked_for(desk: Desk) -> None:
    document = desk.draft()
    desk.save(document, 1, action="submit", note="Look")
    (event,) = re.findall(r"review-(\w{26})", desk.text("/reviews/"))[:1]
    desk.save(document, 1, body="Moved.")
    page = flat(desk.text("/reviews/"))
    assert "Revision 1 was submitted; the draft has moved on to 2, saved by kim." in page
    assert "It cannot be approved as it is." in flat(desk.text(f"/inbox/{event}/"))
    answer = desk.post(f"/reviews/{event}/decision/", decision="approve", note="Fine by me")
    assert answer.status_code == CONFLICT
    assert "Fine by me" in answer.content.decode()
    assert not DocumentVersion.objects.exists()
    desk.post(f"/reviews/{event}/decision/", decision="decline", note="Again, please")
    assert "Nothing waits for review." in desk.text("/reviews/")


def test_gov_09_a_document_is_drafted_from_a_page_as_it_was_read(desk: Desk, tools: HttpTools) -> None:
    put = {"project": "atlas", "store": "project", "path": "/fs/notes/how.md"}
    version = tools("brain_put", content="# How to turn\n\nSo.", **put)["version"]
    (link,) = re.findall(r'href="([^"]*documents/from/[^"]*)"', desk.text("/project/atlas/knowledge/notes/how.md"))
    form = desk.text(link.replace("&amp;", "&"))
    assert 'value="How to turn"' in form
    fields = {"page": "notes/how.md", "version": version, "title": "How", "kind": "guide", "space": ""}
    assert "/edit/" in desk.post("/project/atlas/documents/from/", **fields)["Location"]
    assert Draft.objects.get().sources == [{"kind": "page", "path": "/fs/notes/how.md", "version": version}]
    tools("brain_put", content="Otherwise.", **put).done()
    moved = desk.post("/project/atlas/documents/from/", **fields)
    assert (moved.status_code, "Somebody changed this since you read it" in moved.content.decode()) == (CONFLICT, True)
    assert Draft.objects.count() == 1


def test_gov_09_a_document_is_drafted_from_a_brain_an_artifact_and_an_answer(desk: Desk, tools: HttpTools) -> None:
    session = tools("session_start", project="atlas", name="second")["session"]
    tools("brain_put", session=session, store="session", path="/fs/plan.md", content="# Plan").done()
    ask = {"project": "atlas", "session": session}
    artifact = tools("artifact_publish", title="Report", kind="markdown", content="# R", **ask)["artifact"]
    question = tools("question_post", subject="Keep it?", **ask)["event"]
    desk.post(f"/inbox/{question}/answer/", body="Yes, all.")
    at = {
        f"/session/{session}/brain/fs/plan.md": "Plan",
        f"/artifact/{artifact}/": "Report",
        f"/inbox/{question}/": "Keep it?",
    }
    for address, title in at.items():
        link = re.findall(r'href="([^"]*documents/from/[^"]*)"', desk.text(address))[0].replace("&amp;", "&")
        form = desk.text(link)
        assert f'value="{title}"' in form
        hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', form))
        answer = desk.post("/project/atlas/documents/from/", **hidden, title=title, kind="guide", space="")
        assert answer.status_code == FOUND, flat(answer.content.decode())
    drafts = {draft.title: (draft.body, draft.sources[0]["kind"]) for draft in Draft.objects.all()}
    assert drafts == {
        "Plan": ("# Plan", "brain"),
        "Report": ("# R", "artifact"),
        "Keep it?": ("> Keep it?\n\nYes, all.", "event"),
    }
    desk.text("/project/atlas/documents/from/", INVALID)
    desk.text("/project/atlas/documents/from/?event=" + question, NOT_FOUND)


def test_hum_03_what_an_author_wrote_runs_nowhere(desk: Desk) -> None:
    evil = "<img src=x onerror=alert(1)><script>alert(1)</script>"
    sources = [{"kind": "url", "url": 'https://x/"><script>alert(1)</script>', "title": evil}]
    document = desk.published(evil, body=f"{evil}\n\n[x](javascript:alert(1))", sources=sources)
    desk.save(document, 1, title=evil, body=f"{evil} more", source=[json.dumps(sources[0])], action="submit", note=evil)
    decision = desk.draft(evil, kind="decision")
    desk.post(f"/document/{decision}/accept/", expected_revision=1)
    conflict = desk.save(document, 1, title=evil, body=f"{evil} less").content.decode()
    addresses = (
        "/project/atlas/documents/", "/project/atlas/decisions/", "/reviews/", f"/document/{document}/",
        f"/document/{document}/edit/", f"/document/{document}/diff/", f"/document/{decision}/",
    )  # fmt: skip
    for page in [conflict, *(desk.text(at) for at in addresses)]:
        assert "<script>alert" not in page
        assert "<img src=x" not in page
        assert 'href="javascript' not in page


def test_hum_01_a_preview_shows_what_was_typed_and_saves_nothing(desk: Desk) -> None:
    document = desk.draft()
    fields = {"title": "T", "body": "**Bold**", "source": json.dumps(URL), "expected_revision": 1}
    whole = desk.post(f"/document/{document}/preview/", **fields).content.decode()
    assert "<strong>Bold</strong>" in whole
    assert "Not saved." in whole
    assert "**Bold**</textarea>" in whole
    answer = desk.client.post(f"/document/{document}/preview/", fields, headers={"HX-Target": "div#preview"})
    assert answer.content.decode().startswith('<div class="card prose-card preview" id="preview">')
    assert Draft.objects.get().body == "Turn the wheel."


def test_gov_02_spaces_maintainers_and_shares_are_kept_in_admin(desk: Desk, human: Person, ada: AgentWithToken) -> None:
    lee = make_person("lee", staff=True).user
    added = desk.post(
        "/knowledge/space/add/", project="atlas", name="wheel", url="https://x/y", sync_agent=ada.actor.key
    )
    assert added.status_code == FOUND
    space = Space.objects.get()
    assert (space.name, space.sync_agent_id) == ("wheel", ada.actor.key)
    desk.post(f"/knowledge/space/{space.pk}/change/", url="https://x/z", sync_agent="")
    space.refresh_from_db()
    assert (space.url, space.sync_agent_id) == ("https://x/z", None)
    bad = desk.post(f"/knowledge/space/{space.pk}/change/", url="nowhere", sync_agent="")
    assert "url must begin with" in bad.content.decode()
    Maintainer.objects.all().delete()
    assert f'value="{space.pk}" selected' in desk.text(f"/knowledge/maintainer/add/?space={space.pk}")
    assert desk.post("/knowledge/maintainer/add/", space=space.pk, user=lee.pk).status_code == FOUND
    maintainer = Maintainer.objects.get()
    desk.text("/knowledge/maintainer/")
    desk.post(f"/knowledge/maintainer/{maintainer.pk}/delete/", post="yes")
    assert "Somebody must maintain a space." in desk.text("/knowledge/maintainer/")
    desk.post("/knowledge/maintainer/add/", space=space.pk, user=human.user.pk)
    desk.post(f"/knowledge/maintainer/{maintainer.pk}/delete/", post="yes")
    assert [row.user.username for row in Maintainer.objects.all()] == ["kim"]
    desk.post("/knowledge/share/add/", space=space.pk, agent=ada.actor.key)
    share = Share.objects.get()
    assert "ada" in desk.text("/knowledge/share/")
    desk.post(f"/knowledge/share/{share.pk}/delete/", post="yes")
    assert not Share.objects.exists()
