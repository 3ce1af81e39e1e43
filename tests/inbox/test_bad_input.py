"""What is refused leaves nothing: no row, no file, no lock; and every refusal names the field."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from hubsite.agent_calls import calls
from inbox.operations import post_question
from projects.models import Project
from sessions_app.operations import put_entry, start_session
from tests.inprocess import FACES, HttpTools, Tools, nothing_stored, stored
from tests.world import AgentWithToken

LONE, NUL = "a\ud800b", "a\0b"
UNKNOWN = "01J00000000000000000000000"


@pytest.fixture(params=FACES)
def tools(request: pytest.FixtureRequest, ada: AgentWithToken, project: Project) -> Tools:
    return FACES[request.param](ada.token)


@pytest.fixture
def good(ada: AgentWithToken, project: Project) -> dict[str, dict[str, Any]]:
    """Arguments of every call that would be taken."""
    session = start_session(ada.actor, "atlas", name="one")["session"]
    put_entry(ada.actor, "atlas", session=session, path="/fs/a.md", content=b"x")
    question = post_question(ada.actor, "atlas", subject="which?")["event"]
    entry = {"session": session, "path": "/fs/a.md"}
    return {
        "feed_read": {"project": "atlas"},
        "signal_append": {"project": "atlas", "summary": "x"},
        "question_post": {"project": "atlas", "subject": "x"},
        "approval_post": {"project": "atlas", "subject": "x"},
        "answer_post": {"question": question, "body": "x"},
        "answer_wait": {"question": question, "timeout_s": 0},
        "inbox_read": {},
        "session_start": {"project": "atlas", "name": "two"},
        "session_end": {"session": session},
        "session_list": {},
        "brain_get": entry,
        "brain_list": {"session": session},
        "brain_put": {**entry, "content": "x", "store": "session"},
        "brain_delete": {**entry, "store": "session"},
        "brain_promote": {"session": session, "from_path": "/fs/a.md", "to_path": "/fs/b.md"},
        "page_history": {"project": "atlas"},
    }


# field -> values no call takes in it
BAD: dict[str, list[Any]] = {
    "summary": ["", "  \n", "x" * 1025, "\u0958" * 1024, "a\x07b", NUL, 5, None, ["x"], {}],
    "subject": ["", "x" * 1025, "a\x1bb", NUL, 5, None],
    "body": ["x" * 65_537, "a\x07b", NUL, 5],
    "context": ["x" * 65_537, "a\x07b", 5],
    "handoff": ["x" * 4097, "a\x07b", 5],
    "kind": ["question", "system", "", 5, None],
    "kinds": [["nonsense"], ["signal", ""], "nonsense"],
    "payload": [[], "x", 5, {"a": NUL}],
    "thread": ["x", "", UNKNOWN + "0", 5],
    "deadline_s": [59, 2_592_001, -1, "soon", 1.5],
    "on_expiry": ["approve", "", 5],
    "options": [["x"] * 21, ["a", "a"], "ab", [5]],
    "limit": [0, -1, 501, 10**30, "many", 1.5],
    "cursor": ["x", "", "\u0661" * 26],
    "since": ["x", "", "Z" * 26],
    "before": ["x", ""],
    "session": ["x", "", UNKNOWN + "0", "é" * 26],
    "question": ["x", UNKNOWN + "0"],
    "status": ["nonsense", "", "read"],
    "name": ["", "Loud", "a b", "../x", "x" * 64, 5],
    "path": [
        "",
        "x",
        "fs/a",
        "/",
        "/fs",
        "/etc/passwd",
        "/fs/a\\b",
        "/fs/a\nb",
        "/fs/" + "x" * 256,
        "/fs" + "/x" * 300,
    ],
    "from_path": ["", "x", "/fs/a\\b", "/fs/" + "x" * 256],
    "to_path": ["", "x", "/kv/a", "/fs/a\\b", "/fs"],
    "store": ["nonsense", "", 5],
    "encoding": ["utf-16", 5],
    "content": [5, None, {"a": 1}, ["x"]],
    "offset": [-1, "x"],
    "append": ["maybe", 7],
    "if_version": ["x", "", "sha256:x"],
    "timeout_s": [-1, 56, "x"],
}
NOT_BAD: dict[tuple[str, str], Any] = {
    ("brain_list", "path"): ["/", "/fs", ""],  # levels that always stand
    ("brain_list", "cursor"): ["x", "", "\u0661" * 26],  # a name
    ("page_history", "path"): ["/", "/fs"],
    ("brain_get", "limit"): [501],  # of bytes
}


def cases(name: str) -> Iterator[tuple[str, Any]]:
    """Every bad value of every argument the call has."""
    for field in calls()[name].arguments.model_fields:
        for value in BAD.get(field, []):
            if value not in NOT_BAD.get((name, field), []):
                yield field, value


def sendable(name: str, value: Any) -> bool:
    """Tell whether the value can be said at all over HTTP: in an address everything is text."""
    return calls()[name].http[0] in {"PUT", "POST"} or not isinstance(value, dict | None)


def test_bad_values_are_refused_by_field_and_store_nothing(tools: Tools, good: dict[str, dict[str, Any]]) -> None:
    http = isinstance(tools, HttpTools)
    tried = 0
    before = stored()
    for name, arguments in good.items():
        in_path = calls()[name].http[1]
        for field, value in cases(name):
            if http and (not sendable(name, value) or f"{{{field}}}" in in_path):
                continue
            refusal = tools(name, **{**arguments, field: value})
            assert refusal.refused, (name, field, value, refusal.body)
            if field in {"path", "from_path", "to_path"} and refusal.code == "not_found":
                assert value in {"/", "/fs", "/etc/passwd"}, (name, field, value)
                continue
            assert refusal.code in {"invalid_argument", "payload_too_large"}, (name, field, value, refusal.body)
            named = refusal.details["field"].split(".")[0]
            assert named == ("path" if field in {"from_path", "to_path"} and named == "path" else field), (
                name,
                field,
                value,
                refusal.body,
            )
            tried += 1
    assert tried > 100
    assert stored() == before
    with nothing_stored():
        pass


def test_unknown_arguments_are_refused_by_name(tools: Tools, good: dict[str, dict[str, Any]]) -> None:
    with nothing_stored():
        for name, arguments in good.items():
            refusal = tools(name, **arguments, nonsense="x")
            assert (refusal.code, refusal.details["field"]) == ("invalid_argument", "nonsense"), name


def test_missing_arguments_are_refused_by_name(tools: Tools, good: dict[str, dict[str, Any]]) -> None:
    with nothing_stored():
        for name, arguments in good.items():
            for field, info in calls()[name].arguments.model_fields.items():
                if not info.is_required() or f"{{{field}}}" in calls()[name].http[1]:
                    continue
                rest = {key: value for key, value in arguments.items() if key != field}
                refusal = tools(name, **rest)
                assert (refusal.code, refusal.details["field"]) == ("invalid_argument", field), name


@pytest.mark.parametrize("field", ["project", "session", "question", "path", "thread"])
def test_what_is_not_there_is_not_found(tools: Tools, good: dict[str, dict[str, Any]], field: str) -> None:
    missing = {"project": "nowhere", "path": "/fs/nowhere.md"}.get(field, UNKNOWN)
    creates = {("brain_put", "path"), ("page_history", "path"), ("feed_read", "session")}
    with nothing_stored():
        for name, arguments in good.items():
            if field not in calls()[name].arguments.model_fields or (name, field) in creates:
                continue
            refusal = tools(name, **{**arguments, field: missing})
            assert refusal.code == "not_found", (name, refusal.body)
            assert set(refusal.details) <= {"what"}


def test_a_path_that_climbs_stays_below_the_root(tools: Tools, good: dict[str, dict[str, Any]]) -> None:
    written = tools("brain_put", **{**good["brain_put"], "path": "/fs/x/../../../fs/../fs/y.md"}).done()
    assert written["path"] == "/fs/y.md"


def test_a_file_is_no_directory(tools: Tools, good: dict[str, dict[str, Any]]) -> None:
    with nothing_stored():
        refusal = tools("brain_put", **{**good["brain_put"], "path": "/fs/a.md/b.md"})
        assert (refusal.code, refusal.details["field"]) == ("invalid_argument", "path")
        listing = tools("brain_list", **good["brain_list"], path="/fs/a.md")
        assert (listing.code, listing.details["field"]) == ("invalid_argument", "path")


def test_a_key_holds_one_json_value(tools: Tools, good: dict[str, dict[str, Any]]) -> None:
    key = {**good["brain_put"], "path": "/kv/a"}
    with nothing_stored():
        assert tools("brain_put", **{**key, "content": "x", "append": True}).details["field"] == "path"
        for path in ("/kv", "/kv/", "/kv/a\\b"):
            assert tools("brain_put", **{**key, "path": path}).details["field"] == "path"


def test_base64_that_is_none_is_refused(tools: Tools, good: dict[str, dict[str, Any]]) -> None:
    with nothing_stored():
        for content in ("?", "abc", "YQ== ", "é"):
            refusal = tools("brain_put", **{**good["brain_put"], "content": content, "encoding": "base64"})
            assert refusal.details["field"] == "content"


def test_a_payload_that_is_too_large_or_too_deep_is_refused(tools: Tools, good: dict[str, dict[str, Any]]) -> None:
    deep: Any = "x"
    for _ in range(70):
        deep = [deep]
    with nothing_stored():
        refusal = tools("signal_append", **good["signal_append"], payload={"x": "y" * 262_144})
        assert (refusal.code, refusal.details["field"]) == ("payload_too_large", "payload")
        assert refusal.details["limit"] == 262_144
        assert tools("approval_post", **good["approval_post"], proposal="y" * 262_144).code == "payload_too_large"
        assert tools("signal_append", **good["signal_append"], payload={"x": deep}).details["field"] == "payload"


def test_what_only_looks_bad_is_taken(tools: Tools, good: dict[str, dict[str, Any]]) -> None:
    payload = {"text": "\\u0000", "n": [0, -1, 1.5, 10**15, None, True], "": {"é": "😀"}}
    event = tools("signal_append", **{**good["signal_append"], "summary": "a\tb\nc"}, payload=payload)["event"]
    (shown,) = [row for row in tools("feed_read", project="atlas")["events"] if row["id"] == event]
    assert shown["payload"] == payload
    tools("question_post", **{**good["question_post"], "subject": "\u0958" * 512}).done()
    tools("feed_read", project="atlas", since=event.lower()).done()


BODIES = {
    "no JSON": b"{",
    "NaN": b'{"summary": NaN}',
    "a list": b"[]",
    "a string": b'"x"',
    "bad UTF-8": b'{"summary": "\xff"}',
    "lone surrogate": b'{"summary": "\\ud800"}',
    "deep": b'{"payload": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
}


@pytest.mark.parametrize("body", BODIES)
def test_a_body_that_is_no_object_of_json_is_refused(ada: AgentWithToken, project: Project, body: str) -> None:
    start_session(ada.actor, "atlas", name="one")
    headers = {"Authorization": f"Bearer {ada.token}"}
    with nothing_stored():
        response = Client().post("/api/v1/projects/atlas/signals", BODIES[body], "application/json", headers=headers)
    assert (response.status_code, response.json()["code"]) == (422, "invalid_argument")
    assert response.json()["details"]["field"] == "body"


def test_a_body_over_the_limit_is_refused_before_anything_is_stored(ada: AgentWithToken, project: Project) -> None:
    start_session(ada.actor, "atlas", name="one")
    body = json.dumps({"path": "/fs/a.md", "store": "session", "content": "x" * 4 * 1024 * 1024})
    headers = {"Authorization": f"Bearer {ada.token}"}
    with nothing_stored():
        response = Client().put("/api/v1/brain/entry", body, "application/json", headers=headers)
    assert (response.status_code, response.json()["code"]) == (413, "payload_too_large")
