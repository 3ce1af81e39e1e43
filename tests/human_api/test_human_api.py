"""The human's JSON API: who may use it, and what it refuses."""

from typing import Any

import pytest
from django.test import Client

from inbox.operations import post_approval, post_question
from knowledge.operations import put_page
from projects.models import Event, FeedCursor, Project
from sessions_app.models import Session
from sessions_app.operations import put_entry, start_session
from tests.inprocess import HUMAN_API, HumanApi, nothing_stored
from tests.world import AgentWithToken, Person, make_person

READS = (
    "/projects",
    "/projects/atlas/events",
    "/inbox",
    "/sessions",
    "/projects/atlas/pages",
    "/projects/atlas/history",
)


@pytest.fixture
def api(human_client: Client) -> HumanApi:
    return HumanApi(human_client)


@pytest.fixture
def things(project: Project, ada: AgentWithToken) -> dict[str, str]:
    session = start_session(ada.actor, "atlas", name="one")["session"]
    put_entry(ada.actor, "atlas", session=session, path="/fs/a.md", content=b"x")
    put_page(ada.actor, "atlas", path="/fs/a.md", content=b"x")
    question = post_question(ada.actor, "atlas", subject="which?")["event"]
    return {
        "session": session,
        "question": question,
        "approval": post_approval(ada.actor, "atlas", subject="may I?", proposal={"n": 1})["event"],
    }


@pytest.mark.parametrize("who", ["nobody", "guest", "former", "agent"])
def test_hum_01_only_active_staff_use_it(things: dict[str, str], ada: AgentWithToken, who: str) -> None:
    client = Client()
    if who in {"guest", "former"}:
        person = make_person(who, staff=who == "former")
        client.force_login(person.user)
        person.user.is_active = who != "former"
        person.user.save()
    headers = {"Authorization": f"Bearer {ada.token}"} if who == "agent" else {}
    with nothing_stored():
        for path in READS:
            response = client.get(HUMAN_API + path, headers=headers)
            assert response.status_code in {401, 403}, path
            assert response["Content-Type"] == "application/problem+json"
        for path, body in {
            "/projects": {"slug": "new"},
            "/projects/atlas/cursor": {"event": things["question"]},
            "/inbox/read-all": {},
            f"/inbox/{things['question']}/answer": {"body": "x"},
            f"/inbox/{things['approval']}/decision": {"approved": True},
        }.items():
            response = client.post(HUMAN_API + path, body, "application/json", headers=headers)
            assert response.status_code in {401, 403}, path


def test_hum_01_a_change_from_another_site_is_refused(things: dict[str, str], human: Person) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(human.user)
    with nothing_stored():
        response = client.post(f"{HUMAN_API}/inbox/{things['question']}/answer", {"body": "x"}, "application/json")
    assert (response.status_code, response.json()["code"]) == (403, "forbidden")
    assert client.get(f"{HUMAN_API}/inbox").status_code == 200


def test_hum_01_a_person_who_left_may_no_longer_act(things: dict[str, str], human: Person, api: HumanApi) -> None:
    human.user.is_active = False
    human.user.save()
    with nothing_stored():
        assert api.post(f"/inbox/{things['question']}/answer", body="x").refused


def test_hum_01_bad_input_is_refused_by_field_and_stores_nothing(api: HumanApi, things: dict[str, str]) -> None:
    question, approval = f"/inbox/{things['question']}/answer", f"/inbox/{things['approval']}/decision"
    cases: list[tuple[str, str, dict[str, Any], str]] = [
        ("POST", "/projects", {}, "slug"),
        ("POST", "/projects", {"slug": 5}, "slug"),
        ("POST", "/projects", {"slug": "x", "name": "n" * 201}, "name"),
        ("POST", "/projects", {"slug": "x", "name": "\u0958" * 200}, "name"),
        ("POST", "/projects", {"slug": "x", "name": "a\0b"}, "name"),
        ("POST", "/projects", {"slug": "x", "restricted": "maybe"}, "restricted"),
        ("POST", "/projects", {"slug": "x", "nonsense": 1}, "nonsense"),
        ("PATCH", "/projects/atlas", {"name": ""}, "name"),
        ("PATCH", "/projects/atlas", {"name": "a\x07b"}, "name"),
        ("POST", question, {}, "body"),
        ("POST", question, {"body": ""}, "body"),
        ("POST", question, {"body": "x" * 65_537}, "body"),
        ("POST", question, {"body": "a\ud800b"}, "body"),
        ("POST", question, {"body": "a\0b"}, "body"),
        ("POST", question, {"body": 5}, "body"),
        ("POST", approval, {}, "approved"),
        ("POST", approval, {"approved": "perhaps"}, "approved"),
        ("POST", approval, {"approved": True, "note": "x" * 65_537}, "note"),
        ("POST", approval, {"approved": True, "proposal": {"n": "a\0b"}}, "proposal"),
        ("POST", approval, {"approved": True, "proposal": "a\ud800"}, "proposal"),
        ("POST", "/inbox/read", {"items": "x"}, "items"),
        ("POST", "/inbox/read-all", {"up_to": "x"}, "up_to"),
        ("PUT", "/projects/atlas/page", {"path": "/fs/b.md"}, "content"),
        ("PUT", "/projects/atlas/page", {"path": "/fs/b.md", "content": "a\ud800b"}, "content"),
        ("PUT", "/projects/atlas/page", {"path": "b.md", "content": "x"}, "path"),
        ("PUT", "/projects/atlas/page", {"path": "/fs/a\ud800", "content": "x"}, "path"),
    ]
    for method, path, body, field in cases:
        with nothing_stored():
            refusal = api.call(method, path, body)
        assert refusal.code in {"invalid_argument", "payload_too_large"}, (path, body, refusal.body)
        assert refusal.details["field"].split(".")[0] == field, (path, body, refusal.body)


def test_hum_01_bad_questions_are_refused_by_field(api: HumanApi, things: dict[str, str]) -> None:
    session = f"/sessions/{things['session']}"
    cases: list[tuple[str, dict[str, Any], str]] = [
        ("/projects/atlas/events", {"limit": 0}, "limit"),
        ("/projects/atlas/events", {"limit": 501}, "limit"),
        ("/projects/atlas/events", {"limit": "x"}, "limit"),
        ("/projects/atlas/events", {"kinds": "nonsense"}, "kinds"),
        ("/projects/atlas/events", {"since": "x"}, "since"),
        ("/projects/atlas/events", {"before": "x"}, "before"),
        ("/projects/atlas/events", {"session": "x"}, "session"),
        ("/projects/atlas/events", {"nonsense": "x"}, "nonsense"),
        ("/projects/atlas/events", {"agent": "a\0b"}, "agent"),
        ("/inbox", {"limit": -1}, "limit"),
        ("/inbox", {"status": "nonsense"}, "status"),
        ("/inbox", {"cursor": "x"}, "cursor"),
        ("/inbox/x", {}, "item"),
        ("/sessions", {"limit": 0}, "limit"),
        ("/sessions", {"status": "x"}, "status"),
        ("/sessions", {"cursor": "x"}, "cursor"),
        ("/sessions", {"agent": "a\0b"}, "agent"),
        ("/sessions/x", {}, "session"),
        (f"{session}/brain", {"limit": -5}, "limit"),
        (f"{session}/brain", {"limit": 0}, "limit"),
        (f"{session}/brain", {"path": "x"}, "path"),
        (f"{session}/brain", {"path": "/fs/a\\b"}, "path"),
        (f"{session}/brain/entry", {}, "path"),
        (f"{session}/brain/entry", {"path": "/fs"}, "path"),
        ("/projects/atlas/pages", {"path": "/kv"}, "path"),
        ("/projects/atlas/pages", {"limit": -5}, "limit"),
        ("/projects/atlas/page", {"path": "/fs"}, "path"),
        ("/projects/atlas/history", {"cursor": "x"}, "cursor"),
        ("/projects/atlas/history", {"cursor": "9" * 19}, "cursor"),
        ("/projects/atlas/history", {"path": "x"}, "path"),
        ("/projects/atlas/history", {"limit": 0}, "limit"),
    ]
    with nothing_stored():
        for path, query, field in cases:
            refusal = api.get(path, **query)
            assert refusal.code == "invalid_argument", (path, query, refusal.body)
            assert refusal.details["field"].split(".")[0] == field, (path, query, refusal.body)


def test_hum_01_what_is_not_there_is_not_found(api: HumanApi, things: dict[str, str]) -> None:
    missing = "01J00000000000000000000000"
    with nothing_stored():
        for path, query in {
            "/projects/nowhere/events": {},
            "/projects/a%00b/events": {},
            "/projects/nowhere/pages": {},
            "/projects/nowhere/page": {"path": "/fs/a"},
            "/projects/nowhere/history": {},
            f"/inbox/{missing}": {},
            "/inbox": {"project": "nowhere"},
            "/sessions": {"project": "nowhere"},
            f"/sessions/{missing}": {},
            f"/sessions/{missing}/brain": {},
            f"/sessions/{things['session']}/brain/entry": {"path": "/fs/nowhere"},
            f"/sessions/{things['session']}/brain": {"path": "/fs/nowhere"},
            "/projects/atlas/page": {"path": "/fs/nowhere"},
            "/nowhere": {},
        }.items():
            assert api.get(path, **query).code in {"not_found", "invalid_argument"}, path


def test_hum_01_a_wrong_method_is_refused_in_the_one_shape(api: HumanApi, things: dict[str, str]) -> None:
    with nothing_stored():
        for method, path in (
            ("PUT", "/projects"),
            ("DELETE", "/inbox"),
            ("PATCH", "/sessions"),
            ("GET", "/inbox/read"),
        ):
            refusal = api.call(method, path, {})
            assert refusal.code in {"method_not_allowed", "not_found", "invalid_argument"}, (method, path, refusal.body)
            assert refusal.body["status"] >= 400


@pytest.mark.parametrize("body", [b"{", b"[]", b'"x"', b"\xff", b'{"body": NaN}'])
def test_hum_01_a_body_that_is_no_object_of_json_is_refused(
    human_client: Client, things: dict[str, str], body: bytes
) -> None:
    with nothing_stored():
        response = human_client.post(f"{HUMAN_API}/inbox/{things['question']}/answer", body, "application/json")
    assert (response.status_code, response.json()["code"]) == (422, "invalid_argument")


def test_hub_08_deleting_a_project_takes_everything_of_it(
    api: HumanApi, things: dict[str, str], project: Project, data_dir: Any, django_capture_on_commit_callbacks: Any
) -> None:
    api.post("/projects/atlas/cursor", event=things["question"]).done()
    api.put("/projects/atlas/page", path="/fs/b.md", content="x").done()
    with nothing_stored():
        assert api.call("DELETE", "/projects/atlas", None).refused  # the slug must be repeated
        assert api.delete("/projects/atlas", confirm="other").details["field"] == "confirm"
    with django_capture_on_commit_callbacks(execute=True):
        deleted = api.delete("/projects/atlas", confirm="atlas")
    deleted.done()
    assert not Project.objects.filter(pk="atlas").exists()
    assert not Event.objects.filter(project="atlas").exists()
    assert not FeedCursor.objects.exists()
    assert not Session.objects.exists()
    assert [path for path in data_dir.rglob("*") if path.is_file()] == []
    assert api.get("/inbox")["items"] == []
    assert api.get("/projects/atlas/events").code == "not_found"
