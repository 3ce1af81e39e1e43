"""Finishing prunes, and removing brain files that have no row."""

from pathlib import Path

from django.conf import settings
from django.utils import timezone

from core.actor import HUB
from core.jobs import every
from sessions_app.brain import brain_path
from sessions_app.forks import held_back
from sessions_app.models import Session
from sessions_app.operations.pruning import close_prune
from sessions_app.queries import undo_window
from sessions_app.removal import brains_on_disk, remove_brain, remove_directory


@every(1)
def close_due_prunes() -> int:
    """Remove the sessions whose undo window has closed; answers how many."""
    due = Session.objects.filter(deleted_at__lte=timezone.now() - undo_window()).order_by("deleted_at")
    closed = 0
    for row in due[:200]:
        if close_prune(HUB, row.project_id, session=row.pk):
            remove_brain(brain_path(row.project_id, row.pk))
            closed += 1
    return closed


@every(3600)
def remove_orphans() -> int:
    """Remove brain files without a row, left by a crash in a fork, a prune or a deletion; runs first at start."""
    removed = 0
    for brain in brains_on_disk():
        # In this order: a fork that is not underway any more has its row by now, or has gone.
        with held_back(brain) as is_alone:
            if is_alone and not Session.objects.filter(pk=brain.stem).exists():
                removed += remove_brain(brain)
    for directory in (Path(settings.DATA_DIR) / "sessions").glob("*"):
        remove_directory(directory)
    return removed
