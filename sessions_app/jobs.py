"""Finishing prunes, and removing brain files that have no row."""

import time
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.utils import timezone

import agentfs
from core.actor import HUB
from core.jobs import every
from sessions_app.brain import brain_path
from sessions_app.forks import is_underway
from sessions_app.models import Session
from sessions_app.operations.pruning import close_prune, undo_window

# Another process may be forking into a file whose row is not there yet; one process knows its own.
GRACE_SECONDS = 600


@every(1)
def close_due_prunes() -> int:
    """Remove the sessions whose undo window has closed; answers how many."""
    due = Session.objects.filter(deleted_at__lte=timezone.now() - undo_window()).order_by("deleted_at")
    closed = 0
    for row in due[:200]:
        if close_prune(HUB, row.project_id, session=row.pk):
            agentfs.open_file(brain_path(row.project_id, row.pk)).remove()
            closed += 1
    return closed


@every(3600)
def remove_orphans() -> int:
    """Remove brain files without a row, left by a crash in a fork or a prune; runs first at start."""
    removed = 0
    for path in _brain_files():
        session = path.name.split(".")[0]
        if not _is_orphan(path, session):
            continue
        if path.suffix == ".db":
            agentfs.open_file(path).remove()
        else:  # a copy that was never finished; nobody has it open
            path.unlink(missing_ok=True)
        removed += 1
    for directory in (Path(settings.DATA_DIR) / "sessions").glob("*"):
        with suppress(OSError):  # it holds brains
            directory.rmdir()
    return removed


def _brain_files() -> list[Path]:
    root = Path(settings.DATA_DIR) / "sessions"
    return sorted([*root.glob("*/*.db"), *root.glob("*/*.partial"), *root.glob("*/*.removed")])


def _is_orphan(path: Path, session: str) -> bool:
    if is_underway(session):
        return False
    if connection.vendor != "sqlite" and time.time() - path.stat().st_mtime < GRACE_SECONDS:
        return False
    return path.suffix != ".db" or not Session.objects.filter(pk=session).exists()
