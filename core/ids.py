"""ULIDs: 26 characters that sort by the time they were minted."""

import time
from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from ulid import ULID

from core.errors import invalid

if TYPE_CHECKING:
    _CharField = models.CharField[Any, Any]
else:
    _CharField = models.CharField


def now_ms() -> int:
    """Answer the wall clock in milliseconds; the one place ids read it, so a test can step it back."""
    return time.time_ns() // 1_000_000


def fresh() -> ULID:
    """Mint a ULID of this millisecond."""
    return ULID.from_timestamp(now_ms())


def after(last: str | None) -> str:
    """Mint a ULID greater than `last`, also when the clock stepped back (HUB-02)."""
    minted = str(fresh())
    return following(last) if last and minted <= last else minted


def following(last: str) -> str:
    """Answer the smallest ULID greater than `last`."""
    return str(ULID.from_int(int(ULID.from_str(last)) + 1))


def parse(value: str, field: str) -> str:
    """Answer `value` as a canonical ULID; anything else is `invalid_argument` naming `field`."""
    try:
        return str(ULID.from_str(value.upper()))
    except ValueError:
        raise invalid(field, f"{field} must be an id of 26 characters.") from None


class UlidField(_CharField):
    """A ULID column that sorts by bytes on every database."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Django's own signature
        kwargs["max_length"] = 26
        super().__init__(*args, **kwargs)

    def db_parameters(self, connection: BaseDatabaseWrapper) -> Any:  # noqa: ANN401 - a TypedDict private to Django
        """Add PostgreSQL's byte order, which SQLite has already."""
        parameters = super().db_parameters(connection)
        if connection.vendor == "postgresql":
            parameters["collation"] = "C"
        return parameters
