"""The protocol revisions, and what sets them apart.

The handshake revisions begin with `initialize`, which the hub answers without a session: every request stands alone
anyway. The stateless revision carries the same facts with each request, in ``_meta`` and in headers that must agree.
"""

import base64
import binascii
from collections.abc import Mapping
from typing import Any, Final

from core.calls import Json
from hubsite.mcp.jsonrpc import INVALID_PARAMS, METHOD_NOT_FOUND, PARSE_ERROR, Failure, Request

HANDSHAKE: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS: Final = ("2026-07-28",)
BATCHING: Final = frozenset({"2025-03-26"})
ASSUMED: Final = "2025-03-26"
"""What a request without the version header speaks: the header came with the revision after it."""

HEADER_MISMATCH: Final = -32020
UNSUPPORTED_VERSION: Final = -32022
RESOURCE_NOT_FOUND: Final = -32002

VERSION_HEADER: Final = "mcp-protocol-version"
METHOD_HEADER: Final = "mcp-method"
NAME_HEADER: Final = "mcp-name"
ROUTING_HEADERS: Final = frozenset({VERSION_HEADER, METHOD_HEADER, NAME_HEADER})
NAMED_BY: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}

VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY: Final = "io.modelcontextprotocol/clientCapabilities"
SERVER_KEY: Final = "io.modelcontextprotocol/serverInfo"

LIST_TTL_MS: Final = 300_000
# How long a client may keep a result, and whether other callers may share it. Pages change at any moment, and which
# tools there are with whether the caller runs a task.
CACHE: Final[Mapping[str, tuple[int, str]]] = {
    "server/discover": (LIST_TTL_MS, "public"),
    "tools/list": (0, "private"),
    "prompts/list": (LIST_TTL_MS, "private"),
    "resources/templates/list": (LIST_TTL_MS, "private"),
    "resources/list": (0, "private"),
    "resources/read": (0, "private"),
}


def is_stateless(version: str | None, value: Any) -> bool:  # noqa: ANN401 - any JSON value
    """Whether a message speaks the stateless revision, or a revision nobody knows yet."""
    if version is None:
        params = value.get("params") if isinstance(value, dict) else None
        meta = params.get("_meta") if isinstance(params, dict) else None
        return isinstance(meta, dict) and VERSION_KEY in meta
    return version not in HANDSHAKE


def negotiated(requested: Any) -> str:  # noqa: ANN401 - any JSON value
    """Answer the revision `initialize` agrees on: the one asked for, else the newest with a handshake."""
    return requested if requested in HANDSHAKE else HANDSHAKE[-1]


def check_version(requested: str | None) -> None:
    """Fail when the hub does not speak the revision asked for, naming those it does."""
    if requested not in STATELESS:
        data = {"supported": [*HANDSHAKE, *STATELESS], "requested": requested}
        raise Failure(UNSUPPORTED_VERSION, "Unsupported protocol version", data)


def check_envelope(request: Request, headers: Mapping[str, str], repeated: frozenset[str]) -> None:
    """Fail unless a stateless request carries its envelope, and its headers say the same."""
    doubled = sorted(repeated & ROUTING_HEADERS)
    if doubled:
        raise Failure(HEADER_MISMATCH, f"The header {doubled[0]} is there more than once.")
    meta = request.params.get("_meta")
    if not isinstance(meta, dict):
        raise Failure(INVALID_PARAMS, f"params._meta must hold {VERSION_KEY} and {CAPABILITIES_KEY}.")
    missing = [key for key in (VERSION_KEY, CAPABILITIES_KEY) if key not in meta]
    if missing:
        raise Failure(INVALID_PARAMS, f"params._meta lacks {', '.join(missing)}.")
    _check_header(headers, VERSION_HEADER, meta[VERSION_KEY])
    _check_header(headers, METHOD_HEADER, request.method)
    named_by = NAMED_BY.get(request.method)
    if named_by and request.params.get(named_by) is not None:
        _check_header(headers, NAME_HEADER, request.params[named_by])
    check_version(meta[VERSION_KEY])


def _check_header(headers: Mapping[str, str], header: str, wanted: Any) -> None:  # noqa: ANN401 - any JSON value
    if header not in headers or decoded(headers[header]) != wanted:
        raise Failure(HEADER_MISMATCH, f"The header {header} is missing or does not match the body.")


def decoded(value: str) -> str | None:
    """Answer a header's value out of its base64 wrapping, None when that is broken."""
    if not (value.startswith("=?base64?") and value.endswith("?=")):
        return value
    try:
        return base64.b64decode(value[9:-2], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def stateless_status(failure: Failure) -> int:
    """Answer the HTTP status a failure has in the stateless revision; a fault of ours rides on 200."""
    if failure.code == METHOD_NOT_FOUND:
        return 404
    return 400 if failure.code in _CALLERS_FAULT else 200


_CALLERS_FAULT: Final = frozenset({PARSE_ERROR, -32600, INVALID_PARAMS, HEADER_MISMATCH, UNSUPPORTED_VERSION})


def finished(method: str, result: Json, server: Json) -> Json:
    """Answer a result with the members every stateless reply has."""
    done = {**result, "resultType": "complete", "_meta": {SERVER_KEY: server}}
    if method in CACHE:
        done["ttlMs"], done["cacheScope"] = CACHE[method]
    return done
