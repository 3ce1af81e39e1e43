"""HUM-01, SES-09: the human's JSON API of artifacts and comments, and what they cost on the disk and in queries."""

import base64
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.artifacts.showing import PNG, publish, sealed, text, versions_and_blobs_agree
from tests.brains import begin
from tests.inprocess import HUMAN_API, HttpTools, HumanApi, Json, nothing_stored
from tests.world import AgentWithToken, make_person, make_project


@pytest.fixture
def artifact(project: object, ada_tools: HttpTools) -> str:
    """An artifact of Ada's with two versions."""
    begin(ada_tools)
    artifact = publish(ada_tools, "one\ntwo\n", label="draft", description="D")
    ada_tools("artifact_update", artifact=artifact, content="three\n", base_version=1).done()
    return artifact


def test_hum_01_an_artifact_its_versions_and_its_parts(
    artifact: str, human_api: HumanApi, ada_tools: HttpTools
) -> None:
    shown = human_api.get(f"/artifacts/{artifact}").done()
    assert shown == ada_tools("artifact_get", artifact=artifact).done()
    assert (shown["content"], shown["version"], shown["missing"]) == ("three\n", 2, False)
    first = human_api.get(f"/artifacts/{artifact}", version=1, offset=4, limit=3).done()
    assert (first["content"], first["next_offset"], first["truncated"]) == ("two", 7, True)
    versions = human_api.get(f"/artifacts/{artifact}/versions", limit=1).done()
    assert ([row["version"] for row in versions["versions"]], versions["next_cursor"]) == ([2], "2")
    rest = human_api.get(f"/artifacts/{artifact}/versions", cursor="2").done()
    assert ([row["version"] for row in rest["versions"]], rest["next_cursor"]) == ([1], None)


def test_hum_01_lists_narrow_by_what_an_artifact_is(
    artifact: str, human_api: HumanApi, ada_tools: HttpTools, ben_tools: HttpTools
) -> None:
    make_project("other")
    session = begin(ben_tools, "bens", "other")
    content = base64.b64encode(PNG).decode()
    picture = {"project": "other", "title": "Dot", "kind": "image", "content": content, "encoding": "base64"}
    image = ben_tools("artifact_publish", **picture)["artifact"]
    secret = ada_tools("artifact_publish", **sealed())["artifact"]
    cases: list[tuple[Json, list[str]]] = [
        ({}, [secret, image, artifact]),
        ({"project": "atlas"}, [secret, artifact]),
        ({"kind": "image"}, [image]),
        ({"label": "draft"}, [artifact]),
        ({"label": ""}, [secret, image]),
        ({"actor": "ben"}, [image]),
        ({"session": session}, [image]),
        ({"project": "atlas", "kind": "image"}, []),
    ]
    for query, expected in cases:
        rows = human_api.get("/artifacts", **query).done()["artifacts"]
        assert [row["id"] for row in rows] == expected, query
        rows = ada_tools("artifact_list", **query)["artifacts"]
        assert [row["id"] for row in rows] == expected, query


@pytest.mark.django_db(transaction=True)
def test_hum_01_a_person_comments_settles_and_deletes(
    artifact: str, human_api: HumanApi, ada_tools: HttpTools, data_dir: Path
) -> None:
    at = f"/artifacts/{artifact}/comments"
    made = human_api.post(at, body="Look.", version=1, anchor={"quote": "two"}).done()
    (row,) = human_api.get("/comments", artifact=artifact).done()["comments"]
    assert (row["id"], row["actor"], row["version"], row["anchor"]) == (
        made["comment"],
        "human:kim",
        1,
        {"quote": "two"},
    )
    place = f"/comments/{made['comment']}"
    assert human_api.post(f"{place}/resolution").done()["resolved"] is True
    assert human_api.get("/comments", project="atlas", status="open").done()["comments"] == []
    assert human_api.delete(f"{place}/resolution").done()["resolved"] is False
    assert len(human_api.get("/comments", project="atlas", status="open").done()["comments"]) == 1
    by_ada = ada_tools("comment_post", artifact=artifact, body="x")["comment"]
    for comment in (made["comment"], by_ada):
        human_api.delete(f"/comments/{comment}").done()
    assert human_api.get("/comments", artifact=artifact).done()["comments"] == []
    human_api.delete(f"/artifacts/{artifact}").done()
    assert human_api.get("/artifacts").done()["artifacts"] == []
    versions_and_blobs_agree()


def test_hum_01_what_is_wrong_or_not_there_is_refused(artifact: str, human_api: HumanApi) -> None:
    missing = "01J00000000000000000000000"
    cases: list[tuple[str, str, Json, str]] = [
        ("GET", "/artifacts", {"kind": "svg"}, "invalid_argument"),
        ("GET", "/artifacts", {"limit": 0}, "invalid_argument"),
        ("GET", "/artifacts", {"colour": "red"}, "invalid_argument"),
        ("GET", "/artifacts", {"cursor": "x"}, "invalid_argument"),
        ("GET", "/artifacts", {"project": "nowhere"}, "not_found"),
        ("GET", "/artifacts/x", {}, "invalid_argument"),
        ("GET", f"/artifacts/{missing}", {}, "not_found"),
        ("GET", f"/artifacts/{artifact}", {"version": 3}, "not_found"),
        ("GET", f"/artifacts/{artifact}", {"offset": -1}, "invalid_argument"),
        ("GET", f"/artifacts/{missing}/versions", {}, "not_found"),
        ("DELETE", f"/artifacts/{missing}", {}, "not_found"),
        ("GET", "/comments", {}, "invalid_argument"),
        ("GET", "/comments", {"project": "atlas", "status": "x"}, "invalid_argument"),
        ("DELETE", f"/comments/{missing}", {}, "not_found"),
        ("DELETE", f"/comments/{missing}/resolution", {}, "not_found"),
    ]
    with nothing_stored():
        for method, at, query, code in cases:
            assert human_api.call(method, at, None, **query).code == code, (method, at, query)
        assert human_api.post(f"/artifacts/{missing}/comments", body="x").code == "not_found"
        for body in ({}, {"body": ""}, {"body": "x", "actor": "ada"}, {"body": "x", "anchor": {}}):
            assert human_api.post(f"/artifacts/{artifact}/comments", **body).code == "invalid_argument", body
        assert human_api.post(f"/comments/{missing}/resolution").code == "not_found"


def test_hum_01_agents_and_guests_are_refused(artifact: str, ada: AgentWithToken) -> None:
    guest = Client()
    guest.force_login(make_person("guest", staff=False).user)
    agent = Client(headers={"Authorization": f"Bearer {ada.token}"})
    with nothing_stored():
        for client in (guest, agent):
            for at in ("/artifacts", f"/artifacts/{artifact}", "/comments?project=atlas"):
                assert client.get(HUMAN_API + at).status_code in {401, 403}
            assert client.delete(f"{HUMAN_API}/artifacts/{artifact}").status_code in {401, 403}


def test_art_03_the_policy_is_set_by_staff_and_by_an_operation_that_leaves_a_trace(
    artifact: str, human_api: HumanApi, ada_tools: HttpTools
) -> None:
    human_api.patch("/projects/atlas", artifact_policy="required").done()
    (event,) = human_api.get("/projects/atlas/events", kinds="system", limit=1).done()["events"]
    assert event["payload"]["changes"] == {"artifact_policy": "required"}
    assert ada_tools("artifact_publish", **text()).details["field"] == "envelope"
    # What was published before stays.
    assert ada_tools("artifact_get", artifact=artifact)["content"] == "three\n"
    with nothing_stored():
        assert human_api.patch("/projects/atlas", artifact_policy="never").refused


@pytest.mark.django_db(transaction=True)
def test_art_03_the_policy_is_set_in_the_admin(project: object, human_client: Client, ada_tools: HttpTools) -> None:
    begin(ada_tools)
    page = human_client.get("/projects/project/atlas/change/").content.decode()
    assert [f'value="{policy}"' in page for policy in ("off", "optional", "required")] == [True] * 3
    form = {"name": "Atlas", "artifact_policy": "off"}
    assert human_client.post("/projects/project/atlas/change/", form).status_code == 302
    assert ada_tools("artifact_publish", **sealed()).details["field"] == "envelope"
    assert ada_tools("artifact_publish", **text()).done()


def test_ses_09_the_storage_report_counts_artifacts_and_adds_up(
    artifact: str, human_api: HumanApi, ada_tools: HttpTools, data_dir: Path
) -> None:
    make_project("other")
    begin(ada_tools, "main", "other")
    publish(ada_tools, "x" * 10_000, project="other")
    report = human_api.get("/storage").done()
    rows = {row["slug"]: row for row in report["projects"]}
    for slug in ("atlas", "other"):
        files = (data_dir / "artifacts" / slug).iterdir()
        assert rows[slug]["artifacts_bytes"] == sum(path.stat().st_size for path in files)
        assert rows[slug]["prunable_bytes"] == 0
    assert (rows["atlas"]["artifacts_bytes"], rows["other"]["artifacts_bytes"]) == (14, 10_000)
    assert report["totals"]["artifacts_bytes"] == 10_014
    for row in rows.values():
        assert row["total_bytes"] >= row["artifacts_bytes"]
    assert report["totals"]["total_bytes"] == sum(row["total_bytes"] for row in rows.values())


def queries(call: str, tools: HttpTools, **given: object) -> int:
    with CaptureQueriesContext(connection) as captured:
        tools(call, **given).done()
    return len(captured)


def test_art_01_a_list_costs_the_same_however_long_it_is(artifact: str, ada_tools: HttpTools) -> None:
    calls: list[tuple[str, Json]] = [
        ("artifact_list", {"project": "atlas"}),
        ("artifact_list", {}),
        ("artifact_versions", {"artifact": artifact}),
        ("comment_list", {"artifact": artifact}),
        ("comment_list", {"project": "atlas"}),
    ]
    ada_tools("comment_post", artifact=artifact, body="x").done()
    few = [queries(call, ada_tools, **given) for call, given in calls]
    for number in range(8):
        other = publish(ada_tools, f"{number}")
        ada_tools("comment_post", artifact=other, body="x").done()
        ada_tools("artifact_update", artifact=artifact, content=f"{number}", force=True).done()
        ada_tools("comment_post", artifact=artifact, body="x").done()
    assert [queries(call, ada_tools, **given) for call, given in calls] == few
    assert max(few) <= 8


def test_art_01_lists_page_newest_first(artifact: str, human_api: HumanApi, ada_tools: HttpTools) -> None:
    made = [artifact, *[publish(ada_tools, f"{number}") for number in range(4)]]
    found: list[str] = []
    cursor: Json = {}
    for _ in range(3):
        page = human_api.get("/artifacts", limit=2, **cursor).done()
        found += [row["id"] for row in page["artifacts"]]
        cursor = {"cursor": page["next_cursor"]}
        # What is published meanwhile shifts no page.
        publish(ada_tools, "meanwhile")
    assert (found, page["truncated"]) == (made[::-1], False)
