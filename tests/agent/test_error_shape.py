"""Every refusal of every call, on both faces, has one shape (issue 2, IDN-03)."""

import json
import re
from dataclasses import dataclass
from typing import Any

import pytest

from core.calls import Call
from core.errors import RETRYABLE, STATUS
from hubsite import agent_calls
from hubsite.agent_openapi import IN_QUERY, PROBLEM, path_names
from hubsite.agent_schemas import input_schema
from hubsite.mcp_server import McpEndpoint
from tests import world
from tests.agent.conftest import Mcp
from tests.faces import AgentApi

NOWHERE = "01HZZZZZZZZZZZZZZZZZZZZZZZ"
IDS = ("question", "session", "artifact", "comment", "document", "task", "delegation", "conversation")
PROPER = dict.fromkeys(IDS, NOWHERE) | {
    "project": "atlas",
    "name": "one",
    "space": "one",
    "subject": "one",
}
BY_TYPE: dict[str | None, Any] = {"string": "/fs/x", "integer": 1, "array": [], "object": {}, "boolean": True}
FILTERS = {"artifact_list", "document_list", "feed_read", "inbox_read", "search", "session_list", "task_list"}
"""Reads that filter what the caller may read: a filter that fits nothing answers nothing."""
type Json = dict[str, Any]

pytestmark = pytest.mark.usefixtures("project")
CALLS = list(agent_calls.calls().values())
both_faces = pytest.mark.parametrize("face", ["mcp", "http"])


def calls_of(face: str) -> list[Call]:
    """Answer the calls a face has."""
    return [call for call in CALLS if call.is_tool or face == "http"]


@dataclass
class Face:
    """One face, as one caller."""

    kind: str
    endpoint: McpEndpoint
    token: str | None

    def __post_init__(self) -> None:
        self.api = AgentApi(self.token)

    def refusal(self, call: Call, arguments: Json) -> Json:
        """Make a call that must be refused; answers code, message, retryable and details after checking the shape."""
        error = self._over_mcp(call, arguments) if self.kind == "mcp" else self._over_http(call, arguments)
        assert error.keys() == {"code", "message", "retryable", "details"}
        assert error["code"] in STATUS
        assert error["retryable"] is (error["code"] in RETRYABLE)
        assert isinstance(error["details"], dict)
        assert re.fullmatch(r"[A-Z].*[.)]", error["message"], re.DOTALL) or error["code"] == "invalid_argument"
        return error

    def _over_mcp(self, call: Call, arguments: Json) -> Json:
        answer = Mcp(self.endpoint, self.token).ask("tools/call", {"name": call.name, "arguments": arguments})
        if answer.status == 401:
            assert answer.headers["www-authenticate"] == 'Bearer realm="Muster"'
            return dict(answer.error["data"])
        assert answer.status == 200
        assert answer.result["isError"] is True
        assert json.loads(answer.result["content"][0]["text"]) == answer.result["structuredContent"]
        return dict(answer.result["structuredContent"])

    def _over_http(self, call: Call, arguments: Json) -> Json:
        method, template = call.http
        in_path = path_names(call)
        path = template.format(**{name: arguments.get(name, PROPER.get(name, "x")) for name in in_path})
        rest = {name: value for name, value in arguments.items() if name not in in_path}
        api = self.api
        answer = api.call(method, path, **rest) if method in IN_QUERY else api.call(method, path, rest)
        problem = answer.json
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert problem.keys() == set(PROBLEM["required"])
        assert answer.status == problem["status"] == STATUS[problem["code"]]
        assert problem["detail"] == problem["message"]
        assert problem["type"] == f"/SKILL.md#{problem['code']}"
        if answer.status == 401:
            assert answer.headers["WWW-Authenticate"] == 'Bearer realm="Muster"'
        return {name: problem[name] for name in ("code", "message", "retryable", "details")}


def valid(call: Call) -> Json:
    """Answer the required arguments, each of its type."""
    schema = input_schema(call)
    return {name: _proper(name, schema["properties"][name]) for name in schema.get("required", ())}


def _proper(name: str, schema: Json) -> object:
    choices = schema.get("enum", ())
    return PROPER.get(name) or (choices[-1] if choices else BY_TYPE.get(schema.get("type"), "x"))


@both_faces
@pytest.mark.parametrize("token", [None, "hub_" + "0" * 64, "nonsense"])
def test_idn_01_no_token_and_a_bad_token(endpoint: McpEndpoint, face: str, token: str | None) -> None:
    nobody = Face(face, endpoint, token)
    for call in calls_of(face):
        for arguments in (valid(call), {"nonsense": 1}):  # who has no token learns nothing about the arguments
            error = nobody.refusal(call, arguments)
            assert error["code"] == "unauthenticated", call.name
            assert "Authorization: Bearer hub_" in error["message"], call.name
            assert error["details"] == {"header": "Authorization"}, call.name


@both_faces
def test_idn_01_an_unknown_argument(endpoint: McpEndpoint, ada: world.AgentWithToken, face: str) -> None:
    hers = Face(face, endpoint, ada.token)
    for call in calls_of(face):
        for field in {"nonsense", "actor"} - call.arguments.model_fields.keys():  # page_history filters by actor
            error = hers.refusal(call, {**valid(call), field: "ben"})
            assert (error["code"], error["details"]["field"]) == ("invalid_argument", field), call.name
            assert repr(field) in error["message"], call.name


@both_faces
def test_agt_01_a_wrong_type(endpoint: McpEndpoint, ada: world.AgentWithToken, face: str) -> None:
    hers = Face(face, endpoint, ada.token)
    wrong = {"string": {"no": "string"}, "integer": "many", "array": "no array", "object": 5, "boolean": "perhaps"}
    for call in calls_of(face):
        for field, schema in input_schema(call)["properties"].items():
            kind = schema.get("type")
            if kind not in wrong or (face == "http" and _is_text_there(call, field, kind)):
                continue
            error = hers.refusal(call, {**valid(call), field: wrong[kind]})
            assert error["code"] == "invalid_argument", (call.name, field)
            assert error["details"]["field"].partition(".")[0] == field, call.name


def _is_text_there(call: Call, field: str, kind: str) -> bool:
    """Whether a value in the address cannot be of a wrong type: there everything is text."""
    return field in path_names(call) or (call.http[0] in IN_QUERY and kind in {"string", "array"})


@both_faces
def test_agt_01_a_required_argument_left_out(endpoint: McpEndpoint, ada: world.AgentWithToken, face: str) -> None:
    hers = Face(face, endpoint, ada.token)
    for call in calls_of(face):
        in_path = path_names(call) if face == "http" else ()
        for field in valid(call).keys() - set(in_path):
            arguments = {name: value for name, value in valid(call).items() if name != field}
            error = hers.refusal(call, arguments)
            assert (error["code"], error["details"]["field"]) == ("invalid_argument", field), call.name


@both_faces
def test_idn_03_an_unknown_and_a_hidden_project_answer_the_same(
    endpoint: McpEndpoint, stranger: world.AgentWithToken, face: str
) -> None:
    theirs = Face(face, endpoint, stranger.token)
    for call in calls_of(face):
        if "project" not in call.arguments.model_fields or call.name in FILTERS - {"feed_read"}:
            continue
        hidden, unknown = (theirs.refusal(call, {**valid(call), "project": slug}) for slug in ("atlas", "nix"))
        assert hidden == unknown, call.name
        assert hidden["code"] == "not_found", call.name


@both_faces
@pytest.mark.parametrize("field", ["question", "session"])
def test_idn_03_an_unknown_and_a_hidden_thing_answer_the_same(
    endpoint: McpEndpoint, ada: world.AgentWithToken, stranger: world.AgentWithToken, face: str, field: str
) -> None:
    mine = Mcp(endpoint, ada.token)
    session = mine.tool("session_start", project="atlas", name="one")["structuredContent"]["session"]
    question = mine.tool("question_post", project="atlas", subject="x")["structuredContent"]["event"]
    hidden_id = {"session": session, "question": question}[field]
    theirs = Face(face, endpoint, stranger.token)
    for call in calls_of(face):
        if field not in call.arguments.model_fields or call.name in FILTERS:
            continue
        arguments = valid(call) | ({"project": stranger.space} if "project" in valid(call) else {})
        hidden, unknown = (theirs.refusal(call, {**arguments, field: thing}) for thing in (hidden_id, NOWHERE))
        assert hidden == unknown, call.name
        assert hidden["code"] == "not_found", call.name
