"""JSON-RPC 2.0: telling the messages of a body apart, and writing replies."""

import json
from dataclasses import dataclass, field
from typing import Any, Final

from core.calls import Json
from core.errors import HubError

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
HUB_REFUSED: Final = -32010
"""A refusal of the hub itself, before any method ran; ``data`` is its error."""

type Id = str | int | None


class Failure(Exception):  # noqa: N818 - JSON-RPC's error object, not a fault of ours
    """A JSON-RPC error to answer."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:  # noqa: ANN401 - JSON value
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    def as_dict(self) -> Json:
        """Answer the error object."""
        error: Json = {"code": self.code, "message": self.message}
        return error if self.data is None else {**error, "data": self.data}


class Encoded(bytes):
    """A result that is JSON already."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Request:
    """A message that is owed a reply."""

    id: str | int
    method: str
    params: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Notification:
    """A message that is owed none."""

    method: str


@dataclass(frozen=True, slots=True)
class Reply:
    """A client's reply. The hub asks nothing, so it is taken and dropped."""


type Message = Request | Notification | Reply


def message_of(value: Any) -> Message:  # noqa: ANN401 - any JSON value
    """Answer the message `value` is, or fail with Invalid Request."""
    if not isinstance(value, dict) or value.get("jsonrpc") != "2.0":
        raise Failure(INVALID_REQUEST, "Not a JSON-RPC 2.0 message.")
    if "method" not in value:
        if "id" in value and ("result" in value or "error" in value):
            return Reply()
        raise Failure(INVALID_REQUEST, "The message has no method.")
    method, params = value["method"], value.get("params")
    if not isinstance(method, str):
        raise Failure(INVALID_REQUEST, "method must be a string.")
    if params is not None and not isinstance(params, dict):
        raise Failure(INVALID_REQUEST, "params must be an object.")
    if "id" not in value:
        return Notification(method)
    if id_of(value) is None:
        raise Failure(INVALID_REQUEST, "id must be a string or an integer.")
    return Request(value["id"], method, params or {})


def id_of(value: Any) -> Id:  # noqa: ANN401 - any JSON value
    """Answer the id of a message, None when it has no usable one."""
    found = value.get("id") if isinstance(value, dict) else None
    return found if isinstance(found, str | int) and not isinstance(found, bool) else None


def encode(value: Any) -> bytes:  # noqa: ANN401 - any JSON value
    """Answer compact JSON in UTF-8."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def result_reply(reply_to: Id, result: Json | Encoded) -> bytes:
    """Answer the reply that carries `result`."""
    body = result if isinstance(result, Encoded) else encode(result)
    return b'{"jsonrpc":"2.0","id":%s,"result":%s}' % (encode(reply_to), body)


def failure_reply(reply_to: Id, failure: Failure) -> bytes:
    """Answer the reply that carries an error."""
    return encode({"jsonrpc": "2.0", "id": reply_to, "error": failure.as_dict()})


def refused(error: HubError) -> Failure:
    """Answer the failure for a refusal that ends the whole HTTP request."""
    return Failure(HUB_REFUSED, error.message, error.as_dict())
