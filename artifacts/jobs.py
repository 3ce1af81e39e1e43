"""Reconciling blobs with versions: at start, and from time to time (ART-02)."""

import logging
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from django.conf import settings
from django.db import connection
from django.utils import timezone

from artifacts.blobs import incoming_directory, store, unless_held
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
    before = _settled(settings.HUB_BLOB_GRACE_SECONDS)
    idle = [directory for directory in directories() if _is_idle(directory, before)]  # before a removal touches them
    removed = _remove_unnamed(before)
    for directory in idle:
        remove_directory(directory)
    _report_missing()
    _remove_idle()
    return removed


def _is_idle(directory: str, before: datetime) -> bool:
    """Tell whether nobody can be about to put a blob into a directory they just made."""
    try:
        return store().get_modified_time(directory) <= before
    except FileNotFoundError:
        return False


def _settled(seconds: int) -> datetime:
    """Answer the moment before which what nobody holds waits for nobody's commit: some seconds ago.

    On SQLite one process owns the data directory, so that is at the latest when this one started. Who publishes holds
    the file, which every process of this machine can tell; the time is for those of other machines.
    """
    moment = timezone.now() - timedelta(seconds=seconds)
    return max(moment, _STARTED) if connection.vendor == "sqlite" else moment


def _remove_unnamed(before: datetime) -> int:
    stored = blobs_on_disk()  # listed first: what commits its row after this was not promoted before
    removed = 0
    for blob in sorted(stored - _named()):
        with suppress(FileNotFoundError):  # somebody else did
            # Who held it may have committed since its name was looked for.
            if store().get_modified_time(blob) <= before and not _is_held(blob) and not _is_named(blob):
                store().delete(blob)
                removed += 1
    return removed


def _is_held(blob: str) -> bool:
    try:
        path = Path(store().path(blob))
    except NotImplementedError:  # a storage without files
        return False
    with unless_held(path) as is_free:
        return not is_free


def _is_named(blob: str) -> bool:
    return ArtifactVersion.objects.filter(blob=blob).exists()


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
    directory, before = incoming_directory(), _settled(_IDLE_SECONDS)
    for path in directory.iterdir() if directory.exists() else ():
        with suppress(FileNotFoundError):
            if datetime.fromtimestamp(path.stat().st_mtime, UTC) <= before:
                with unless_held(path) as is_free:
                    if is_free:
                        path.unlink()
