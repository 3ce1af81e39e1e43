"""How commands tell of a refusal."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management.base import CommandError

from core.errors import HubError


@contextmanager
def told() -> Iterator[None]:
    """Turn the hub's refusal into a command's."""
    try:
        yield
    except HubError as refusal:
        raise CommandError(refusal.message) from None
