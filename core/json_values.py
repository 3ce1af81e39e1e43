"""JSON as agents send it: parsed strictly, and holding only values that both databases can keep."""

import math
import re
from typing import Any, Final

from pydantic_core import from_json

from core.errors import invalid

MAX_DEPTH: Final = 64
_LONE: Final = re.compile(r"[\ud800-\udfff]")
MAX_INTEGER: Final = 2**63 - 1


def parse(body: bytes) -> Any:  # noqa: ANN401 - any JSON value
    """Answer the JSON value of `body`; ValueError for anything else: bad UTF-8, lone surrogates, NaN, deep nesting."""
    return from_json(body, allow_inf_nan=False, cache_strings="keys")


def check_storable(arguments: dict[str, Any]) -> None:
    """Refuse, naming the argument, what a parser lets pass and a database or another parser would not."""
    waiting: list[tuple[str, Any, int]] = [(name, value, 1) for name, value in arguments.items()]
    while waiting:
        field, value, depth = waiting.pop()
        if isinstance(value, dict | list):
            if depth > MAX_DEPTH:
                raise invalid(field, f"{field} is nested deeper than {MAX_DEPTH} levels.", limit=MAX_DEPTH)
            inner = value.values() if isinstance(value, dict) else value
            waiting.extend((field, item, depth + 1) for item in inner)
            if isinstance(value, dict):
                waiting.extend((field, key, depth + 1) for key in value)
        else:
            _check_scalar(field, value)


def _check_scalar(field: str, value: Any) -> None:  # noqa: ANN401 - any JSON value
    if isinstance(value, str):
        if "\0" in value:
            raise invalid(field, f"{field} holds a NUL character.")
        if not value.isascii() and _LONE.search(value):
            raise invalid(field, f"{field} holds half of a surrogate pair.")
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise invalid(field, f"{field} holds a number out of range.")
    elif isinstance(value, int) and not -MAX_INTEGER <= value <= MAX_INTEGER:
        raise invalid(field, f"{field} holds a number out of range.", limit=MAX_INTEGER)
