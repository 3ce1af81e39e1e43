"""Reconciling blobs with versions: at start, and from time to time (ART-02)."""

import logging
import time
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import connection
from django.utils import timezone

from artifacts.blobs import incoming_directory, store
from artifacts.models import ArtifactVersion
from artifacts.removal import blobs_on_disk, directories, remove_directory
from core.jobs import every

logger = logging.getLogger("muster.artifacts")
_STARTED: Final = timezone.now()
# An upload may take its time; what has not grown for so long has nobody writing it.
_IDLE_SECONDS: Final = 3600


@every(600)
def reconcile() -> int:
    """Remove blobs no version names, and directories with nothing in them; answers how many blobs. Runs first at start.

    A version whose blob is gone is logged, and shown as missing wherever it is read: nothing is hidden.
    """
    before = _settled()
    removed = _remove_unnamed(before)
    for directory in directories():
        with suppress(FileNotFoundError):
            if store().get_modified_time(directory) <= before:  # else somebody may be about to use it
                remove_directory(directory)
    _report_missing()
    _remove_idle()
    return removed


def _settled() -> datetime:
    """Answer the moment before which a blob without a version waits for nobody's commit.

    On SQLite one process owns the data directory, so that is at the latest when this one started.
    """
    moment = timezone.now() - timedelta(seconds=settings.HUB_BLOB_GRACE_SECONDS)
    return max(moment, _STARTED) if connection.vendor == "sqlite" else moment


def _remove_unnamed(before: datetime) -> int:
    stored = blobs_on_disk()  # listed first: what commits its row after this was not promoted before
    removed = 0
    for blob in sorted(stored - _named()):
        with suppress(FileNotFoundError):  # somebody else did
            if store().get_modified_time(blob) <= before:
                store().delete(blob)
                removed += 1
    return removed


def _report_missing() -> None:
    named = _named()  # read first: what was deleted since is gone from both
    for blob in sorted(named - blobs_on_disk()):
        version = ArtifactVersion.objects.filter(blob=blob).first()
        if version is not None:
            logger.error("The bytes of artifact %s version %s are gone: %s", version.artifact_id, version.number, blob)


def _named() -> set[str]:
    return set(ArtifactVersion.objects.values_list("blob", flat=True))


def _remove_idle() -> None:
    """Remove what a killed process was taking in."""
    directory = incoming_directory()
    for path in directory.iterdir() if directory.exists() else ():
        with suppress(FileNotFoundError):
            if path.stat().st_mtime < time.time() - _IDLE_SECONDS:
                path.unlink()
