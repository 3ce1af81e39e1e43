"""The handshake revisions of MCP, raw (AGT-01)."""

import pytest
from mcp_types import methods as specified

from tests.agent.conftest import HANDSHAKES, Mcp

HELLO = {"capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


@pytest.mark.parametrize("version", HANDSHAKES)
def test_agt_01_initialize_agrees_on_the_revision_without_a_session(mcp: Mcp, version: str) -> None:
    answer = mcp.ask("initialize", {"protocolVersion": version, **HELLO}, version=None)
    assert answer.status == 200
    assert answer.result["protocolVersion"] == version
    assert "mcp-session-id" not in answer.headers
    specified.validate_server_result("initialize", version, answer.result)


@pytest.mark.parametrize("asked", ["2026-07-28", "2099-01-01", "", None, 7])
def test_agt_01_initialize_offers_its_newest_for_an_unknown_revision(mcp: Mcp, asked: object) -> None:
    assert mcp.ask("initialize", {"protocolVersion": asked, **HELLO}).result["protocolVersion"] == "2025-11-25"


@pytest.mark.parametrize("version", [None, *HANDSHAKES])
@pytest.mark.parametrize("method", ["tools/list", "resources/list", "resources/templates/list", "prompts/list", "ping"])
def test_agt_01_lists_have_the_specified_shape(mcp: Mcp, version: str | None, method: str) -> None:
    answer = mcp.ask(method, version=version)
    assert answer.status == 200
    specified.validate_server_result(method, version or "2025-03-26", answer.result)
    assert "resultType" not in answer.result


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS"])
def test_agt_01_other_http_methods_are_405(mcp: Mcp, method: str) -> None:
    answer = mcp.http([b""], method=method)
    assert (answer.status, answer.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize("version", [None, *HANDSHAKES])
def test_agt_01_notifications_and_replies_are_taken_without_a_body(mcp: Mcp, version: str | None) -> None:
    messages = [
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        {"jsonrpc": "2.0", "id": 9, "result": {}},
        {"jsonrpc": "2.0", "id": 9, "error": {"code": 1, "message": "no"}},
    ]
    for message in messages:
        answer = mcp.send(message, version)
        assert (answer.status, answer.body) == (202, b"")


@pytest.mark.parametrize("method", ["server/discover", "logging/setLevel", "resources/subscribe", "nix", ""])
def test_agt_01_an_unknown_method_is_a_json_rpc_error(mcp: Mcp, method: str) -> None:
    answer = mcp.ask(method)
    assert (answer.status, answer.error["code"], answer.json["id"]) == (200, -32601, 1)


@pytest.mark.parametrize("version", [None, "2025-03-26"])
def test_agt_01_the_revision_with_batches_has_batches(mcp: Mcp, version: str | None) -> None:
    batch = [
        {"jsonrpc": "2.0", "id": "a", "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "whoami"}},
        {"jsonrpc": "2.0", "id": 3, "method": "nix"},
        {"jsonrpc": "2.0", "id": 4, "method": "initialize", "params": {}},
        {"id": 5, "method": "ping"},
        6,
    ]
    replies = mcp.send(batch, version).json
    assert [reply["id"] for reply in replies] == ["a", 2, 3, 4, 5, None]
    assert [reply.get("error", {}).get("code") for reply in replies] == [None, None, -32601, -32600, -32600, -32600]
    assert replies[1]["result"]["structuredContent"]["agent"] == "ada"


def test_agt_01_a_batch_of_notifications_is_taken(mcp: Mcp) -> None:
    answer = mcp.send([{"jsonrpc": "2.0", "method": "notifications/initialized"}] * 2)
    assert (answer.status, answer.body) == (202, b"")


@pytest.mark.parametrize("version", ["2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28"])
def test_agt_01_other_revisions_have_no_batches(mcp: Mcp, version: str) -> None:
    answer = mcp.send([{"jsonrpc": "2.0", "id": 1, "method": "ping"}], version)
    assert (answer.status, answer.error["code"], answer.json["id"]) == (400, -32600, None)


@pytest.mark.parametrize("length", [0, 51])
def test_agt_01_a_batch_is_bounded(mcp: Mcp, length: int) -> None:
    answer = mcp.send([{"jsonrpc": "2.0", "id": 1, "method": "ping"}] * length)
    assert (answer.status, answer.error["code"]) == (400, -32600)
