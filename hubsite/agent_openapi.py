"""How each call looks in the OpenAPI document: what its arguments are and where they go."""

import re
from functools import cache
from typing import Any, Final

from core.calls import Call, Json
from core.errors import STATUS
from hubsite.agent_schemas import input_schema
from hubsite.problems import MEDIA_TYPE

IN_QUERY: Final = frozenset({"GET", "DELETE"})
_NAMES: Final = re.compile(r"\{(\w+)\}")

PROBLEM: Final[Json] = {
    "title": "Problem",
    "type": "object",
    "description": "A refusal, after RFC 9457.",
    "required": ["type", "title", "status", "detail", "code", "message", "retryable", "details"],
    "properties": {
        "type": {"type": "string", "description": "Where the code is explained."},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "The same as message."},
        "code": {"type": "string", "enum": list(STATUS)},
        "message": {"type": "string"},
        "retryable": {"type": "boolean"},
        "details": {"type": "object", "description": "Names the field, the limit, the current version and the like."},
    },
}
_REFUSAL: Final[Json] = {
    "description": "Refused",
    "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
}
_ANSWER: Final[Json] = {"description": "Done", "content": {"application/json": {"schema": {"type": "object"}}}}


def path_names(call: Call) -> tuple[str, ...]:
    """Answer the arguments that come from the path."""
    return tuple(_NAMES.findall(call.http[1]))


def described_upload(call: Call) -> Json:
    """Answer the same of an upload: its arguments and its file are the parts of a form."""
    details = described(call)
    (body,) = details["requestBody"]["content"].values()
    schema = body["schema"]
    file = {"type": "string", "format": "binary", "description": "The file."}
    schema = schema | {"properties": schema["properties"] | {"content": file}}
    schema["required"] = [*schema.get("required", ()), "content"]
    details["requestBody"] = {"required": True, "content": {"multipart/form-data": {"schema": schema}}}
    return details


def described(call: Call) -> Json:
    """Answer what Ninja cannot know of a call: its query or body, and its answers."""
    schema = input_schema(call)
    in_path = set(path_names(call))
    rest = {name: inner for name, inner in schema["properties"].items() if name not in in_path}
    required = [name for name in schema.get("required", ()) if name not in in_path]
    details: Json = {"responses": {200: _ANSWER, "default": _REFUSAL}}
    if call.http[0] in IN_QUERY:
        details["parameters"] = [_parameter(name, inner, name in required) for name, inner in rest.items()]
    elif rest:
        body: Json = {"type": "object", "properties": rest, "additionalProperties": False}
        if required:
            body["required"] = required
        details["requestBody"] = {"required": bool(required), "content": {"application/json": {"schema": body}}}
    return details


def _parameter(name: str, schema: Json, required: bool) -> Json:  # noqa: FBT001 - a member of the document
    parameter: Json = {"in": "query", "name": name, "schema": schema, "required": required}
    if "description" in schema:
        parameter["description"] = schema["description"]
    return parameter


@cache  # asked for each argument of each request; a call never changes
def is_list(call: Call, name: str) -> bool:
    """Whether an argument in the address may be given several times."""
    schema: dict[str, Any] = input_schema(call)["properties"].get(name, {})
    return "array" in {schema.get("type"), *(choice.get("type") for choice in schema.get("anyOf", ()))}
