"""What MCP does with bodies, headers and callers that are wrong (AGT-01, issue 2: bad input)."""

import json

import pytest

from hubsite.mcp.exchange import MAX_BODY_BYTES
from hubsite.mcp_server import McpEndpoint
from inbox.models import InboxItem
from projects.models import Event
from tests.agent.conftest import STATELESS, Mcp, on_this_thread

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


@pytest.fixture
def nobody(endpoint: McpEndpoint, db: None) -> Mcp:
    return Mcp(endpoint, None)


@pytest.mark.parametrize("token", [None, "x", "hub_" + "0" * 64, "hub_\xe9"])
@pytest.mark.parametrize("version", [None, "2025-11-25", STATELESS])
@pytest.mark.parametrize(
    "body",
    [
        PING,
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nix"}}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"answer_wait","arguments":{"question":"x"}}}',
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
        b"[]",
        b"[%s]" % PING,
        b"{",
        b"7",
    ],
)
@pytest.mark.django_db
def test_agt_01_without_a_good_token_everything_is_401_with_the_fix(
    endpoint: McpEndpoint, token: str | None, version: str | None, body: bytes
) -> None:
    headers = [("mcp-protocol-version", version)] if version else []
    answer = Mcp(endpoint, token).http([body], headers=headers)
    assert answer.status == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert "Authorization: Bearer hub_" in answer.error["message"]
    assert answer.error["data"]["code"] == "unauthenticated"
    assert answer.error["data"]["details"] == {"header": "Authorization"}


def test_agt_01_a_revoked_token_is_401_at_once(mcp: Mcp) -> None:
    from core.actor import HUB  # noqa: PLC0415
    from identity.operations import revoke_token  # noqa: PLC0415

    assert mcp.ask("ping").status == 200
    revoke_token(HUB, name="ada")
    assert mcp.ask("ping").status == 401


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":Infinity}}',
        b'{"jsonrpc":"2.0","id":1,"method":"p\\ud800"}',
        PING + PING,
        b"[" * 100_000,
        b'{"a":' * 100_000,
    ],
)
def test_agt_01_what_is_not_json_is_a_parse_error(mcp: Mcp, body: bytes) -> None:
    answer = mcp.http([body])
    assert (answer.status, answer.error["code"], answer.json["id"]) == (400, -32700, None)


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"jsonrpc": "1.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1},
        {"jsonrpc": "2.0", "id": 1, "method": 5},
        {"jsonrpc": "2.0", "id": None, "method": "ping"},
        {"jsonrpc": "2.0", "id": True, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1.5, "method": "ping"},
        {"jsonrpc": "2.0", "id": {}, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]},
        {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": "x"},
        {"jsonrpc": "2.0", "result": {}},
        "ping",
        5,
        None,
    ],
)
def test_agt_01_what_is_no_message_is_an_invalid_request(mcp: Mcp, message: object) -> None:
    answer = mcp.send(message, "2025-11-25")
    assert (answer.status, answer.error["code"], answer.json["id"]) == (400, -32600, None)


def test_agt_01_ids_come_back_as_they_were_sent(mcp: Mcp) -> None:
    for sent in (0, -1, 2**60, "", "1", "ü", "x" * 500):
        answer = mcp.send({"jsonrpc": "2.0", "id": sent, "method": "ping"})
        assert answer.json == {"jsonrpc": "2.0", "id": sent, "result": {}}


@pytest.mark.parametrize("name", [None, 5, "", "nix", ["whoami"], "__class__"])
def test_agt_01_an_unknown_tool_is_a_json_rpc_error(mcp: Mcp, name: object) -> None:
    assert mcp.ask("tools/call", {"name": name, "arguments": {}}).error["code"] == -32602


@pytest.mark.parametrize("arguments", [[], "x", 1, True])
def test_agt_01_arguments_that_are_no_object_are_invalid_params(mcp: Mcp, arguments: object) -> None:
    assert mcp.ask("tools/call", {"name": "whoami", "arguments": arguments}).error["code"] == -32602


def test_agt_01_arguments_may_be_missing_or_null(mcp: Mcp) -> None:
    assert mcp.ask("tools/call", {"name": "whoami"}).result["isError"] is False
    assert mcp.ask("tools/call", {"name": "whoami", "arguments": None}).result["isError"] is False


def deep(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value", ["a\0b", ["\0"], {"\0": 1}, 2**63, -(2**70), deep(70)], ids=["nul", "nul2", "nul3", "big", "small", "deep"]
)
@pytest.mark.usefixtures("project")
def test_agt_01_values_a_database_cannot_keep_are_refused_by_name(mcp: Mcp, value: object) -> None:
    mcp.tool("session_start", project="atlas", name="one")
    before = Event.objects.count()
    result = mcp.tool("signal_append", project="atlas", summary="x", payload={"v": value})
    assert result["isError"]
    assert result["structuredContent"]["code"] == "invalid_argument"
    assert result["structuredContent"]["details"]["field"] == "payload"
    assert Event.objects.count() == before
    assert not InboxItem.objects.exists()


def test_agt_01_a_float_out_of_range_is_refused(mcp: Mcp) -> None:
    body = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","arguments":{"x":1e999}}}'
    assert mcp.http([body]).result["structuredContent"]["details"]["field"] == "x"


@pytest.mark.parametrize("kind", ["", "text/plain", "application/x-www-form-urlencoded", "application/jsonx"])
def test_agt_01_another_content_type_is_415(mcp: Mcp, kind: str) -> None:
    answer = mcp.http([PING], headers=[("content-type", kind)])
    assert (answer.status, answer.error["data"]["details"]["header"]) == (415, "Content-Type")


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "Application/JSON"])
def test_agt_01_the_content_type_may_have_parameters(mcp: Mcp, kind: str) -> None:
    assert mcp.http([PING], headers=[("content-type", kind)]).status == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "file://", "http://evil.example:8000", "::"]
)
def test_agt_01_a_page_of_another_site_is_refused(mcp: Mcp, origin: str) -> None:
    answer = mcp.http([PING], headers=[("origin", origin)])
    assert (answer.status, answer.error["data"]["details"]["header"]) == (403, "Origin")


def test_agt_01_a_rebound_name_is_refused_even_as_its_own_origin(mcp: Mcp) -> None:
    headers = [("origin", "http://evil.example:8000"), ("host", "evil.example:8000")]
    assert mcp.http([PING], headers=headers).status == 403


def test_agt_01_the_hubs_own_pages_may_call(mcp: Mcp, settings: object) -> None:
    assert mcp.http([PING], headers=[("origin", "http://127.0.0.1:8000")]).status == 200
    settings.CSRF_TRUSTED_ORIGINS = ["https://hub.example"]  # type: ignore[attr-defined]
    assert mcp.http([PING], headers=[("origin", "https://hub.example")]).status == 200


def test_agt_01_a_body_declared_too_large_is_refused_unread(mcp: Mcp) -> None:
    answer = mcp.http([b"x"], headers=[("content-length", str(MAX_BODY_BYTES + 1))])
    assert (answer.status, answer.error["data"]["code"], mcp.read) == (413, "payload_too_large", 0)
    assert answer.error["data"]["details"]["limit"] == MAX_BODY_BYTES


def test_agt_01_a_body_that_grows_too_large_is_refused_on_the_way(mcp: Mcp) -> None:
    chunk = b" " * 1024 * 1024
    answer = mcp.http([chunk] * 20)
    assert (answer.status, answer.error["data"]["code"], mcp.read) == (413, "payload_too_large", 9)


@pytest.mark.parametrize("length", ["100000", ""])
def test_agt_01_a_large_body_of_nobody_is_refused_unread(endpoint: McpEndpoint, length: str, db: None) -> None:
    stranger = Mcp(endpoint, "hub_wrong")
    answer = stranger.http([b" " * 50_000] * 2, headers=[("content-length", length)])
    assert (answer.status, stranger.read) == (401, 0)


def test_agt_01_a_body_of_the_limit_is_taken(mcp: Mcp) -> None:
    padding = b" " * (MAX_BODY_BYTES - len(PING))
    assert mcp.http([PING, padding]).status == 200


def test_agt_01_a_client_that_leaves_while_sending_is_left_alone(mcp: Mcp) -> None:
    async def receive() -> dict[str, object]:
        return {"type": "http.disconnect"}

    from asgiref.sync import async_to_sync  # noqa: PLC0415

    sent: list[object] = []

    async def send(message: object) -> None:
        sent.append(message)

    scope = mcp._scope("POST", [("content-length", "5")])
    async_to_sync(McpEndpoint(run_sync=on_this_thread))(scope, receive, send)
    assert sent == []


def test_agt_01_replies_are_not_cached_and_not_sniffed(mcp: Mcp) -> None:
    answer = mcp.ask("ping")
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert int(answer.headers["content-length"]) == len(answer.body)
    assert json.loads(answer.body)["result"] == {}
