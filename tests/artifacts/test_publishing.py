"""ART-01, INB-06: publishing, updating and reading artifacts, through both agent faces."""

import base64

import pytest

from tests.artifacts.showing import PNG, blobs
from tests.inprocess import FACES, Tools
from tests.world import AgentWithToken


@pytest.fixture(params=sorted(FACES))
def tools(request: pytest.FixtureRequest, ada: AgentWithToken, project: object) -> Tools:
    """Ada's calls, with a live session in atlas."""
    tools: Tools = FACES[request.param](ada.token)
    tools("session_start", project="atlas", name="main").done()
    return tools


def test_art_01_an_artifact_is_read_as_it_was_published(tools: Tools) -> None:
    session = tools("session_list", project="atlas")["sessions"][0]["id"]
    published = tools("artifact_publish", project="atlas", title="Report", kind="markdown", content="# Hello\n").done()
    shown = tools("artifact_get", artifact=published["artifact"]).done()
    assert shown["content"] == "# Hello\n"
    assert (shown["actor"], shown["session"], shown["version"], shown["size"]) == ("ada", session, 1, 8)
    assert shown["sha256"] == published["sha256"]
    assert not shown["protected"]
    assert [row["id"] for row in tools("artifact_list", project="atlas")["artifacts"]] == [published["artifact"]]


def test_inb_06_publishing_makes_one_event_and_one_unread_entry_and_updating_only_an_event(tools: Tools) -> None:
    made = tools("artifact_publish", project="atlas", title="Report", kind="text", content="one").done()
    tools("artifact_update", artifact=made["artifact"], content="two", base_version=1).done()
    events = tools("feed_read", project="atlas", kinds=["artifact"])["events"]
    assert [(row["payload"]["action"], row["payload"]["version"]) for row in events] == [("update", 2), ("publish", 1)]
    assert {row["thread"] for row in events} == {made["artifact"]}
    entries = tools("inbox_read", project="atlas")["items"]
    assert [(row["event"], row["status"]) for row in entries] == [(made["event"], "unread")]


def test_art_01_versions_stay_as_they_were(tools: Tools) -> None:
    made = tools("artifact_publish", project="atlas", title="Report", kind="text", content="one", label="draft").done()
    tools("artifact_update", artifact=made["artifact"], content="two", base_version=1, title="Final").done()
    first = tools("artifact_get", artifact=made["artifact"], version=1).done()
    assert (first["content"], first["version"], first["title"], first["label"]) == ("one", 1, "Final", "draft")
    rows = tools("artifact_versions", artifact=made["artifact"])["versions"]
    assert [(row["version"], row["size"], row["missing"]) for row in rows] == [(2, 3, False), (1, 3, False)]


def test_art_01_a_stale_base_is_refused_and_force_is_not(tools: Tools) -> None:
    made = tools("artifact_publish", project="atlas", title="Report", kind="text", content="one").done()
    tools("artifact_update", artifact=made["artifact"], content="two", base_version=1).done()
    stale = tools("artifact_update", artifact=made["artifact"], content="three", base_version=1)
    assert (stale.code, stale.details["current"]) == ("version_mismatch", 2)
    assert tools("artifact_update", artifact=made["artifact"], content="three").code == "precondition_required"
    assert len(blobs()) == 2
    assert tools("artifact_update", artifact=made["artifact"], content="three", force=True)["version"] == 3


def test_agt_02_a_retry_publishes_once_and_leaves_one_blob(tools: Tools) -> None:
    asked = {"project": "atlas", "title": "Report", "kind": "text", "idempotency_key": "once"}
    first = tools("artifact_publish", content="one", **asked).done()
    assert tools("artifact_publish", content="one", **asked).done() == first
    assert tools("artifact_publish", content="other", **asked).code == "conflict"
    assert len(blobs()) == 1


def test_art_01_an_image_comes_as_base64_and_in_parts(tools: Tools) -> None:
    content = base64.b64encode(PNG).decode()
    asked = {"project": "atlas", "title": "Dot", "kind": "image", "content": content, "encoding": "base64"}
    made = tools("artifact_publish", **asked).done()
    whole = tools("artifact_get", artifact=made["artifact"]).done()
    assert (whole["media_type"], whole["encoding"]) == ("image/png", "base64")
    assert base64.b64decode(whole["content"]) == PNG
    part = tools("artifact_get", artifact=made["artifact"], offset=10, limit=20, encoding="base64").done()
    assert (base64.b64decode(part["content"]), part["next_offset"]) == (PNG[10:30], 30)


@pytest.mark.django_db(transaction=True)
def test_art_02_deleting_removes_rows_and_blobs_and_leaves_the_feed(tools: Tools) -> None:
    made = tools("artifact_publish", project="atlas", title="Report", kind="text", content="one").done()
    tools("comment_post", artifact=made["artifact"], body="Look.").done()
    tools("artifact_delete", artifact=made["artifact"]).done()
    assert tools("artifact_get", artifact=made["artifact"]).code == "not_found"
    assert tools("comment_list", project="atlas")["comments"] == []
    assert blobs() == []
    actions = [row["payload"]["action"] for row in tools("feed_read", project="atlas", kinds=["artifact"])["events"]]
    assert actions == ["delete", "comment", "publish"]
