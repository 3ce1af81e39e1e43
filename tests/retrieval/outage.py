"""A tantivy plane of the test's own, and its outage: the index directory made unreadable."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from knowledge.retrieval import planes
from knowledge.retrieval.upkeep import rebuild


def directory() -> Path:
    """Answer where the index lies."""
    place: Path = settings.DATA_DIR / "retrieval" / "tantivy"
    return place


def built() -> None:
    """Build the configured plane out of what is published."""
    rebuild()
    assert planes.unavailable() is None


@contextmanager
def outage() -> Iterator[None]:
    """Make the directory unreadable, for root too: something else stands in its place. Then mend it at once."""
    place = directory()
    away = place.rename(place.with_name("away"))
    place.write_text("not a directory")
    try:
        yield
    finally:
        place.unlink()
        away.rename(place)
        recovered()


def recovered() -> None:
    """Let the breaker's pause be over."""
    breaker = planes.plane()
    assert breaker is not None
    breaker._until = 0.0
