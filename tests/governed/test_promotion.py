"""GOV-09, KNB-06: what was jotted down becomes a draft with its source; a page that moves on drifts."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from hubsite import agent_calls
from knowledge.models import CitedPage, Draft
from tests.artifacts.showing import publish as shown
from tests.artifacts.showing import sealed
from tests.governed.desk import accepted, publish, repository, saved
from tests.inprocess import HttpTools, HumanApi, Json, nothing_stored
from tests.search.finding import hits

PAGE: Json = {"project": "atlas", "store": "project", "path": "/fs/how.md"}


def promoted(tools: HttpTools, source: Json, **more: object) -> str:
    given = {"project": "atlas", "title": "How", "from": source, **more}
    document: str = tools("document_draft", **given)["document"]
    return document


def refusal(tools: HttpTools, source: Json, **more: object) -> tuple[str, object]:
    with nothing_stored():
        outcome = tools("document_draft", **{"project": "atlas", "title": "How", "from": source, **more})
        return outcome.code, outcome.details.get("field")


def test_gov_09_a_page_is_copied_as_it_was_read(tools: HttpTools, human_api: HumanApi) -> None:
    old = tools("brain_put", content="Do it so.", **PAGE)["version"]
    new = tools("brain_put", content="Do it otherwise.", **PAGE)["version"]
    log = tools("page_history", project="atlas").done()
    moved = tools(
        "document_draft", **{"project": "atlas", "title": "x", "from": {"path": "/fs/how.md", "version": old}}
    )
    assert (moved.code, moved.details["current"]) == ("version_mismatch", new)
    promoted(tools, {"path": "/fs//how.md", "version": new})
    draft = Draft.objects.get()
    assert (draft.body, draft.sources) == ("Do it otherwise.", [{"kind": "page", "path": "/fs/how.md", "version": new}])
    assert tools("page_history", project="atlas").done() == log  # the page is as it was
    assert refusal(tools, {"path": "/fs/none.md", "version": new})[0] == "not_found"
    assert refusal(tools, {"path": "/kv/how", "version": new}) == ("invalid_argument", "path")
    assert refusal(tools, {"path": "/fs/how.md", "version": 1})[0] in {"version_mismatch", "invalid_argument"}
    assert refusal(tools, {"path": "/fs/how.md"}) == ("invalid_argument", "from")
    assert refusal(tools, {"path": "/fs/how.md", "version": new}, body="mine") == ("invalid_argument", "from")
    binary = tools("brain_put", content="/w==", encoding="base64", **PAGE | {"path": "/fs/x.bin"})["version"]
    assert refusal(tools, {"path": "/fs/x.bin", "version": binary}) == ("invalid_argument", "path")


def test_gov_09_a_brain_entry_is_copied_and_stays_cited_when_it_is_gone(tools: HttpTools) -> None:
    session = tools("session_list", project="atlas")["sessions"][0]["id"]
    at = {"session": session, "store": "session", "path": "/fs/notes.md"}
    version = tools("brain_put", content="Noted.", **at)["version"]
    document = promoted(tools, {"session": session, "path": "/fs/notes.md", "version": version})
    (source,) = Draft.objects.get().sources
    assert source == {"kind": "brain", "session": session, "path": "/fs/notes.md", "version": version}
    assert refusal(tools, {"session": session, "path": "/fs/notes.md", "version": "sha256:0"})[0] == "version_mismatch"
    tools("brain_delete", **at).done()
    assert saved(tools, document, 1, body="Noted, and more.") == 2
    assert tools("document_get", document=document, draft=True)["draft"]["sources"][0]["state"] == "gone"


def test_gov_09_a_text_artifact_is_copied_by_its_version(tools: HttpTools) -> None:
    artifact = shown(tools, "one")
    tools("artifact_update", artifact=artifact, content="two", base_version=1).done()
    promoted(tools, {"artifact": artifact, "version": 1})
    draft = Draft.objects.get()
    assert (draft.body, draft.sources) == ("one", [{"kind": "artifact", "artifact": artifact, "version": 1}])
    assert refusal(tools, {"artifact": artifact, "version": 3})[0] == "not_found"
    assert refusal(tools, {"artifact": artifact, "version": "one"})[0] == "invalid_argument"
    assert refusal(tools, {"artifact": "x", "version": 1}) == ("invalid_argument", "artifact")
    protected = tools("artifact_publish", **sealed())["artifact"]
    assert refusal(tools, {"artifact": protected, "version": 1}) == ("invalid_argument", "artifact")
    large = shown(tools, "x" * 200_001)
    assert refusal(tools, {"artifact": large, "version": 1})[0] in {"invalid_argument", "payload_too_large"}


def test_gov_09_an_answer_is_copied_with_its_question(tools: HttpTools, human_api: HumanApi) -> None:
    question = tools("question_post", project="atlas", subject="Which way?")["event"]
    answer = human_api.post(f"/inbox/{question}/answer", body="Left.\nAlways.")["event"]
    promoted(tools, {"event": answer})
    draft = Draft.objects.get()
    assert (draft.body, draft.sources) == ("> Which way?\n\nLeft.\nAlways.", [{"kind": "event", "event": answer}])
    assert refusal(tools, {"event": question})[0] == "not_found"


def test_gov_09_promotion_begins_what_it_is_told_to(tools: HttpTools, human_api: HumanApi) -> None:
    version = tools("brain_put", content="We do.", **PAGE)["version"]
    repository(human_api)
    source = {"path": "/fs/how.md", "version": version}
    document = promoted(tools, source, kind="decision", idempotency_key="once")
    assert promoted(tools, source, kind="decision", idempotency_key="once") == document
    shown_now = tools("document_get", document=document, draft=True).done()
    assert (shown_now["state"], shown_now["decision"]["status"]) == ("unpublished", "proposed")
    assert refusal(tools, source, kind="decision", space="code") == ("invalid_argument", "space")
    assert tools("page_history", project="atlas", path="/fs/how.md")["trust"] == "raw"  # nothing is published yet


def trust(tools: HttpTools, human_api: HumanApi) -> str:
    """Answer a page's trust, the same wherever it is told."""
    told = tools("page_history", project="atlas", path="/fs/how.md")["trust"]
    assert human_api.get("/projects/atlas/history", path="/fs/how.md")["trust"] == told
    for hit in hits(tools("search", query="ibex", families=["page"])):
        assert hit["trust"] == told
    return str(told)


def test_knb_06_a_page_is_raw_then_touched_then_promoted_then_drifted(tools: HttpTools, human_api: HumanApi) -> None:
    tools("brain_put", content="the ibex", **PAGE).done()
    assert trust(tools, human_api) == "raw"
    human_api.put("/projects/atlas/page", path="/fs/how.md", content="the ibex, by hand").done()
    assert trust(tools, human_api) == "human-touched"
    version = tools("brain_get", project="atlas", store="project", path="/fs/how.md")["version"]
    document = promoted(tools, {"path": "/fs/how.md", "version": version})
    assert trust(tools, human_api) == "human-touched"
    publish(human_api, document).done()
    assert trust(tools, human_api) == "promoted"
    tools("brain_put", content="the ibex, moved", **PAGE).done()
    assert trust(tools, human_api) == "drifted"
    drifted = human_api.get("/projects/atlas/drifted")["pages"]
    assert [(row["path"], row["document"], row["cited"]) for row in drifted] == [("/fs/how.md", document, version)]
    tools("brain_put", content="the ibex, by hand", **PAGE).done()  # back as it was cited
    assert trust(tools, human_api) == "promoted"
    human_api.post(f"/documents/{document}/archive").done()  # nobody stands behind it now
    assert trust(tools, human_api) == "human-touched"
    human_api.delete(f"/documents/{document}/archive").done()
    assert trust(tools, human_api) == "promoted"
    publish(human_api, document, saved(tools, document, 1, sources=[{"kind": "url", "url": "https://a.b"}])).done()
    assert trust(tools, human_api) == "human-touched"


def test_knb_06_a_decision_that_ended_promotes_no_page(tools: HttpTools, human_api: HumanApi) -> None:
    version = tools("brain_put", content="the ibex", **PAGE)["version"]
    document = promoted(tools, {"path": "/fs/how.md", "version": version}, kind="decision")
    human_api.post(f"/documents/{document}/accept", expected_revision=1).done()
    assert trust(tools, human_api) == "promoted"
    accepted(tools, human_api, "Another", supersedes=[document])
    assert trust(tools, human_api) == "raw"
    assert not CitedPage.objects.exists()


def test_gov_01_the_documented_job_reports_a_repository(tools: HttpTools, human_api: HumanApi) -> None:
    text = (Path(settings.BASE_DIR) / "docs" / "repository_sync.md").read_text()
    program = text.partition("python3 -c '\n")[2].partition("\n' ")[0]
    blob = "a" * 40
    listing = f"100644 blob {blob}\tx.py\000120000 blob {blob}\ta b\n.py\000160000 commit {blob}\tmodule\000"
    said = subprocess.run(  # noqa: S603 - our own interpreter and page
        [sys.executable, "-c", program, "c" * 40, "old.py"], input=listing, capture_output=True, text=True, check=True
    )
    report = json.loads(said.stdout)
    assert report == {"commit": "c" * 40, "files": {"x.py": blob, "a b\n.py": blob, "old.py": None}}
    repository(human_api, sync_agent="ada")
    assert tools("repository_report", project="atlas", space="code", **report)["files"] == 3


@pytest.mark.parametrize("name", ["repository_report", "document_publish"])
def test_gov_01_what_machines_alone_call_is_no_tool(name: str) -> None:
    assert name in agent_calls.calls()
    assert name not in agent_calls.tools()
