"""Tools: the hub's registered calls, listed and called."""

from collections.abc import Mapping
from typing import Any

from core.calls import Call, Json
from core.errors import HubError
from hubsite.agent_schemas import input_schema
from hubsite.mcp.jsonrpc import INVALID_PARAMS, Encoded, Failure, Request, encode


def tool(call: Call) -> Json:
    """Answer one entry of ``tools/list``."""
    return {
        "name": call.name,
        "title": call.title,
        "description": call.description,
        "inputSchema": input_schema(call),
        "annotations": _annotations(call),
    }


def _annotations(call: Call) -> Json:
    """Answer the hints of a call; those of writes say nothing of a read, and the list is in every agent's context."""
    if call.read_only:
        return {"readOnlyHint": True, "openWorldHint": False}
    hints = {"destructiveHint": call.destructive, "idempotentHint": call.idempotent}
    return {"readOnlyHint": False, **hints, "openWorldHint": False}


def wanted(request: Request, registry: Mapping[str, Call]) -> tuple[Call, Json]:
    """Answer the call a ``tools/call`` names and its arguments, or fail with Invalid Params."""
    name, arguments = request.params.get("name"), request.params.get("arguments")
    if not isinstance(name, str) or name not in registry:
        raise Failure(INVALID_PARAMS, f"Unknown tool: {name}")
    if arguments is not None and not isinstance(arguments, dict):
        raise Failure(INVALID_PARAMS, "arguments must be an object.")
    return registry[name], arguments or {}


def answered(answer: Json, extra: bytes) -> Encoded:
    """Answer the result of a call: the object and the same JSON as text, written once."""
    return _result(encode(answer), b"false", extra)


def failed(error: HubError, extra: bytes) -> Encoded:
    """Answer the result of a refused call."""
    return _result(encode(error.as_dict()), b"true", extra)


def _result(body: bytes, is_error: bytes, extra: bytes) -> Encoded:
    text = encode(body.decode())
    return Encoded(
        b'{"content":[{"type":"text","text":%s}],"structuredContent":%s,"isError":%s%s}' % (text, body, is_error, extra)
    )


def listed(registry: Mapping[str, Call], *, in_task: bool) -> Json:
    """Answer the result of ``tools/list`` for who runs a task, or for who does not: it is in every agent's context."""
    tools: list[Any] = [tool(call) for call in registry.values() if call.is_listed(in_task=in_task)]
    return {"tools": tools}
