"""The stateless revision of MCP, raw (AGT-01)."""

import base64
from typing import Any

import pytest
from mcp_types import methods as specified

from tests.agent.conftest import STATELESS, Mcp

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
MISMATCH, UNSUPPORTED = -32020, -32022


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("server/discover", {}),
        ("tools/list", {}),
        ("tools/call", {"name": "whoami", "arguments": {}}),
        ("tools/call", {"name": "whoami", "arguments": {"actor": "ben"}}),
        ("resources/list", {}),
        ("resources/templates/list", {}),
        ("resources/read", {"uri": "hub://guide"}),
        ("prompts/list", {}),
    ],
)
def test_agt_01_results_have_the_specified_shape(mcp: Mcp, method: str, params: dict[str, Any]) -> None:
    answer = mcp.tell(method, params)
    assert answer.status == 200
    specified.validate_server_result(method, STATELESS, answer.result)
    assert answer.result["resultType"] == "complete"
    assert answer.result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "muster"
    assert "mcp-session-id" not in answer.headers


def test_agt_01_discover_names_the_revision_and_the_lists_say_how_long_they_hold(mcp: Mcp) -> None:
    found = mcp.tell("server/discover").result
    assert found["supportedVersions"] == [STATELESS]
    assert set(found["capabilities"]) == {"tools", "resources", "prompts"}
    tools = mcp.tell("tools/list").result
    assert (tools["ttlMs"], tools["cacheScope"]) == (0, "private")
    pages = mcp.tell("resources/list").result
    assert (pages["ttlMs"], pages["cacheScope"]) == (0, "private")


@pytest.mark.parametrize(
    "headers",
    [
        {"mcp_method": ""},
        {"mcp_method": "tools/call"},
        {"version": "2025-11-25,2026-07-28"},
        {"version": "2027-01-01"},
    ],
)
def test_agt_01_headers_must_agree_with_the_body(mcp: Mcp, headers: dict[str, str]) -> None:
    answer = mcp.tell("tools/list", **headers)
    assert (answer.status, answer.error["code"], answer.json["id"]) == (400, MISMATCH, 1)


@pytest.mark.parametrize("name", ["", "other", "=?base64?!?=", "=?base64?/w==?="])
def test_agt_01_the_name_header_must_agree_too(mcp: Mcp, name: str) -> None:
    answer = mcp.tell("tools/call", {"name": "whoami"}, mcp_name=name)
    assert (answer.status, answer.error["code"]) == (400, MISMATCH)


def test_agt_01_a_wrapped_name_header_is_unwrapped(mcp: Mcp) -> None:
    wrapped = f"=?base64?{base64.b64encode(b'whoami').decode()}?="
    assert mcp.tell("tools/call", {"name": "whoami"}, mcp_name=wrapped).result["structuredContent"]["agent"] == "ada"


def test_agt_01_a_routing_header_given_twice_is_refused(mcp: Mcp) -> None:
    envelope = {VERSION_KEY: STATELESS, CAPABILITIES_KEY: {}}
    body = b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":%s}}'
    headers = [("mcp-protocol-version", STATELESS), ("mcp-method", "tools/list"), ("mcp-method", "tools/list")]
    answer = mcp.http([body % str(envelope).replace("'", '"').encode()], headers=headers)
    assert (answer.status, answer.error["code"]) == (400, MISMATCH)


@pytest.mark.parametrize(
    ("meta", "named"),
    [
        (None, VERSION_KEY),
        ("x", VERSION_KEY),
        ({}, VERSION_KEY),
        ({VERSION_KEY: STATELESS}, CAPABILITIES_KEY),
        ({CAPABILITIES_KEY: {}}, VERSION_KEY),
    ],
)
def test_agt_01_the_envelope_is_required_and_named(mcp: Mcp, meta: object, named: str) -> None:
    answer = mcp.tell("tools/list", {"_meta": meta})
    assert (answer.status, answer.error["code"]) == (400, -32602)
    assert named in answer.error["message"]


@pytest.mark.parametrize("asked", ["2027-01-01", "2025-11-25x"])
def test_agt_01_an_unsupported_revision_names_the_supported(mcp: Mcp, asked: str) -> None:
    answer = mcp.tell("tools/list", {"_meta": {VERSION_KEY: asked, CAPABILITIES_KEY: {}}}, version=asked)
    assert (answer.status, answer.error["code"]) == (400, UNSUPPORTED)
    assert answer.error["data"]["requested"] == asked
    assert {STATELESS, "2025-11-25"} < set(answer.error["data"]["supported"])


def test_agt_01_an_envelope_without_the_version_header_is_told_so(mcp: Mcp) -> None:
    params = {"_meta": {VERSION_KEY: STATELESS, CAPABILITIES_KEY: {}}}
    answer = mcp.ask("tools/list", params, version=None)
    assert (answer.status, answer.error["code"]) == (400, MISMATCH)


@pytest.mark.parametrize("method", ["initialize", "ping", "subscriptions/listen", "nix"])
def test_agt_01_methods_of_other_revisions_are_404(mcp: Mcp, method: str) -> None:
    answer = mcp.tell(method)
    assert (answer.status, answer.error["code"], answer.json["id"]) == (404, -32601, 1)


def test_agt_01_wrong_params_are_400(mcp: Mcp) -> None:
    cases: list[tuple[str, dict[str, Any]]] = [
        ("tools/call", {"name": "nix"}),
        ("tools/call", {"name": "whoami", "arguments": [1]}),
        ("resources/read", {"uri": "hub://kb/nix/fs/x.md"}),
        ("resources/list", {"cursor": 5}),
        ("prompts/get", {"name": "nix"}),
    ]
    for method, params in cases:
        answer = mcp.tell(method, params)
        assert (answer.status, answer.error["code"]) == (400, -32602), method


def test_agt_01_a_notification_is_taken_at_a_revision_that_is_served(mcp: Mcp) -> None:
    note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    assert mcp.send(note, STATELESS).status == 202
    answer = mcp.send(note, "2027-01-01")
    assert (answer.status, answer.error["code"]) == (400, UNSUPPORTED)


@pytest.mark.parametrize("body", [[], [{}], {}, 1, "x", None, {"jsonrpc": "2.0", "id": 1, "result": {}}])
def test_agt_01_a_body_that_is_no_request_is_400(mcp: Mcp, body: object) -> None:
    answer = mcp.send(body, STATELESS)
    assert (answer.status, answer.error["code"]) == (400, -32600)
