"""Tools: what the list says and what a call answers (AGT-01, IDN-01, issue 2)."""

import json
import logging
from typing import Any, cast

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from pydantic import BaseModel

from core.actor import Actor
from core.calls import Arguments, Call
from core.errors import HubError
from hubsite import agent_calls
from hubsite.agent_schemas import input_schema
from hubsite.mcp_server import McpEndpoint
from tests.agent.conftest import Mcp, on_this_thread
from tests.world import AgentWithToken

LIST_BYTES = 20_000


class Inner(BaseModel):
    """A nested object."""

    depth: int = 0


class Everything(Arguments):
    """Arguments of every shape."""

    text: str
    number: int | None = None
    flag: bool = False
    inner: Inner = Inner()
    many: list[Inner] | None = None
    either: int | str | None = None


def call(run: Any, arguments: type[Arguments] = Arguments) -> Call:
    """Answer a call outside the registry."""
    return Call("probe", "Probe", "A probe.", ("POST", "/probe"), arguments, run, None, False, False, False)  # noqa: FBT003


def probing(run: Any, ada: AgentWithToken) -> Mcp:
    """Answer a client of an endpoint with one tool."""
    return Mcp(McpEndpoint({"probe": call(run)}, on_this_thread), ada.token)


def test_agt_01_the_list_is_small_and_complete(mcp: Mcp) -> None:
    for answer in (mcp.ask("tools/list"), mcp.tell("tools/list")):
        assert len(answer.body) < LIST_BYTES
        tools = {tool["name"]: tool for tool in answer.result["tools"]}
        assert set(tools) == {call.name for call in agent_calls.tools().values() if call.is_listed(in_task=False)}
        for tool in tools.values():
            assert tool["title"]
            assert tool["description"].endswith((".", "?"))
            assert len(tool["description"]) < 300
            of_writes = set() if tool["annotations"]["readOnlyHint"] else {"destructiveHint", "idempotentHint"}
            assert tool["annotations"].keys() == {"readOnlyHint", "openWorldHint"} | of_writes
            assert tool["annotations"]["openWorldHint"] is False
            schema = tool["inputSchema"]
            Draft202012Validator.check_schema(schema)
            assert (schema["type"], schema["additionalProperties"]) == ("object", False)
            assert "$ref" not in json.dumps(schema)
            assert '"title": "' not in json.dumps(schema)  # pydantic's own; an argument of that name is another thing


def test_agt_01_annotations_tell_reads_from_writes() -> None:
    calls = agent_calls.calls()
    for read in ("whoami", "project_list", "feed_read", "inbox_read", "brain_get", "brain_list", "answer_wait"):
        assert calls[read].read_only, read
    for write in ("signal_append", "question_post", "brain_put", "session_end"):
        assert not calls[write].read_only, write
    assert calls["brain_delete"].destructive
    assert all(row.idempotent for row in calls.values() if row.read_only)
    assert all(row.http[0] == "GET" for row in calls.values() if row.read_only)


def test_agt_01_a_schema_is_trimmed_and_still_says_everything() -> None:
    schema = input_schema(call(None, Everything))
    assert schema == {
        "type": "object",
        "required": ["text"],
        "additionalProperties": False,
        "properties": {
            "text": {"type": "string"},
            "number": {"type": "integer"},
            "flag": {"type": "boolean"},
            "inner": {
                "type": "object",
                "description": "A nested object.",
                "properties": {"depth": {"type": "integer"}},
                "default": {"depth": 0},
            },
            "many": {
                "type": "array",
                "items": {
                    "type": "object",
                    "description": "A nested object.",
                    "properties": {"depth": {"type": "integer"}},
                },
            },
            "either": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        },
    }


def test_agt_01_an_answer_is_structured_and_the_same_as_text(mcp: Mcp) -> None:
    result = mcp.tool("whoami")
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    assert result["content"][0]["type"] == "text"
    assert result["isError"] is False
    assert len(result["content"]) == 1


def test_agt_01_an_answer_keeps_every_character(ada: AgentWithToken) -> None:
    odd = {"text": 'ü 🜚 \u2028 "quoted" \\ \n\t\x01 </script>', "n": [1.5, None, True]}
    assert probing(lambda *_: odd, ada).tool("probe")["structuredContent"] == odd


def test_idn_01_a_forged_actor_is_refused_as_unknown(mcp: Mcp) -> None:
    for forged in ("actor", "agent", "_actor", "token"):
        refusal = mcp.tool("whoami", **{forged: "ben"})
        assert refusal["isError"]
        error = refusal["structuredContent"]
        assert (error["code"], error["retryable"]) == ("invalid_argument", False)
        assert (error["details"]["field"], forged in error["message"]) == (forged, True)


def test_agt_01_every_wrong_argument_is_named(mcp: Mcp) -> None:
    error = mcp.tool("session_start", project=5, nix=1)["structuredContent"]
    assert error["code"] == "invalid_argument"
    assert {line["field"] for line in error["details"]["errors"]} == {"project", "name", "nix"}
    assert error["details"]["field"] == error["details"]["errors"][0]["field"]


def test_agt_01_a_refusal_is_the_error_shape_in_both_forms(ada: AgentWithToken) -> None:
    def refuse(*_: object) -> None:
        raise HubError("version_mismatch", "Somebody wrote.", current="sha256:1")

    result = probing(refuse, ada).tool("probe")
    error = {
        "code": "version_mismatch",
        "message": "Somebody wrote.",
        "retryable": False,
        "details": {"current": "sha256:1"},
    }
    assert result == {
        "content": [{"type": "text", "text": json.dumps(error, separators=(",", ":"))}],
        "structuredContent": error,
        "isError": True,
    }


def test_agt_01_a_fault_shows_an_incident_and_nothing_else(
    ada: AgentWithToken, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        message = "the secret is 42"
        raise RuntimeError(message)

    with caplog.at_level(logging.ERROR, "muster.problems"):
        result = probing(fail, ada).tool("probe")
    error = result["structuredContent"]
    assert (error["code"], error["retryable"]) == ("internal", True)
    assert "secret" not in json.dumps(result)
    [record] = caplog.records
    assert error["details"]["incident"] in record.getMessage()
    assert "the secret is 42" in str(record.exc_info)


def test_agt_01_what_a_call_cannot_write_as_json_is_a_fault_too(ada: AgentWithToken) -> None:
    answer = probing(lambda *_: {"x": object()}, ada).ask("tools/call", {"name": "probe"})
    assert (answer.status, answer.error["data"]["code"]) == (500, "internal")


def test_idn_01_the_actor_is_the_tokens(ada: AgentWithToken, ben: AgentWithToken) -> None:
    seen: list[Actor] = []

    def note(actor: Actor, _: object) -> dict[str, str]:
        seen.append(actor)
        return {}

    for agent in (ada, ben):
        probing(note, agent).tool("probe")
    assert [actor.name for actor in seen] == ["ada", "ben"]
    assert cast("list[object]", [actor.key for actor in seen]) == [ada.actor.key, ben.actor.key]
