"""Which plane there is: none, unless HUB_RETRIEVAL_PLANE names one. One that cannot be had counts as unavailable."""

from functools import lru_cache
from pathlib import Path
from typing import Final

from django.conf import settings
from django.utils.module_loading import import_string

from knowledge.retrieval.base import Plane, PlaneUnavailable
from knowledge.retrieval.breaker import Breaker

_KNOWN: Final = {"tantivy": "knowledge.retrieval.tantivy_plane.TantivyPlane"}


def plane() -> Breaker | None:
    """Answer the plane of this process, if one is configured."""
    name = settings.HUB_RETRIEVAL_PLANE
    return _behind_breaker(name, settings.DATA_DIR) if name else None


def unavailable() -> str | None:
    """Answer why the plane that is configured does not answer; None where it does, or where none is."""
    configured = plane()
    try:
        if configured is not None:
            configured.health()
    except PlaneUnavailable as refusal:
        return refusal.reason
    return None


@lru_cache(maxsize=8)
def _behind_breaker(name: str, data_dir: Path) -> Breaker:
    return Breaker(name, lambda: _made(name, data_dir / "retrieval" / name))


def _made(name: str, directory: Path) -> Plane:
    if name not in _KNOWN:
        raise PlaneUnavailable("misconfigured")
    try:
        made: Plane = import_string(_KNOWN[name])(directory)
    except ImportError as error:
        raise PlaneUnavailable("not_installed") from error
    return made
