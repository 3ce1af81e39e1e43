"""The arguments of a call as JSON Schema, trimmed to what a caller needs: it is in every agent's context."""

from typing import Any, Final

from core.calls import Call, Json

_UNSAID: Final = frozenset({"title", "$defs"})


def input_schema(call: Call) -> Json:
    """Answer the schema of a call's arguments; unknown names are refused, and it says so."""
    schema = call.arguments.model_json_schema()
    trimmed: Json = _trim(schema, schema.get("$defs", {}))
    trimmed.pop("description", None)  # of the model; the call has its own
    trimmed.setdefault("properties", {})
    return {**trimmed, "additionalProperties": False}


def _trim(schema: Any, definitions: Json) -> Any:  # noqa: ANN401 - any JSON value
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        named = definitions[schema["$ref"].rpartition("/")[2]]
        return _trim({**named, **{key: value for key, value in schema.items() if key != "$ref"}}, definitions)
    shown = _without_null(schema)
    if "$ref" in shown:
        return _trim(shown, definitions)
    return {
        key: _trimmed_value(key, value, definitions)
        for key, value in shown.items()
        if key not in _UNSAID and (key != "default" or value) and (key, value) != ("additionalProperties", True)
    }


def _trimmed_value(key: str, value: Any, definitions: Json) -> Any:  # noqa: ANN401 - any JSON value
    if key == "properties":
        return {name: _trim(inner, definitions) for name, inner in value.items()}
    if key in {"items", "additionalProperties"}:
        return _trim(value, definitions)
    if key in {"anyOf", "allOf", "oneOf"}:
        return [_trim(inner, definitions) for inner in value]
    return value


def _without_null(schema: Json) -> Json:
    """Leave out the null of an optional argument: it is left out, not sent as null."""
    choices = schema.get("anyOf")
    if not choices or {"type": "null"} not in choices:
        return schema
    rest = [choice for choice in choices if choice != {"type": "null"}]
    kept = {key: value for key, value in schema.items() if key != "anyOf"}
    return {**rest[0], **kept} if len(rest) == 1 else {**kept, "anyOf": rest}
