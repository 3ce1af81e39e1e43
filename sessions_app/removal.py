"""Removing brains that have no row, or are about to have none."""

from contextlib import suppress
from pathlib import Path

from django.conf import settings

import agentfs
from agentfs.claims import claimed
from sessions_app.brain import brain_path
from sessions_app.forks import is_underway


def brains_on_disk(project: str = "*") -> list[Path]:
    """Answer every brain of which there is anything: the file, or what a killed process left beside it."""
    files = (Path(settings.DATA_DIR) / "sessions").glob(f"{project}/*")
    return sorted({path.with_name(f"{path.name.partition('.')[0]}.db") for path in files})


def remove_brain(brain: Path) -> None:
    """Remove a brain and what stands beside it, after whoever writes it; who comes later finds no row, and no file."""
    with claimed(brain):  # another process may be making it
        file = agentfs.open_file(brain)
    file.remove()
    for left in brain.parent.glob(f"{brain.stem}.*"):
        left.unlink(missing_ok=True)


def remove_files(project: str) -> None:
    """Remove every brain of a project that is deleted; a fork underway finds it gone, and takes its own away."""
    for brain in brains_on_disk(project):
        if not is_underway(brain):
            remove_brain(brain)
    remove_directory(brain_path(project, "any").parent)


def remove_directory(directory: Path) -> None:
    """Remove a project's directory of brains, if nothing is in it."""
    with suppress(OSError):
        directory.rmdir()
