"""Removing brains that have no row, or are about to have none."""

from contextlib import suppress
from pathlib import Path

from django.conf import settings

import agentfs
from agentfs.claims import claimed
from sessions_app.brain import brain_path
from sessions_app.forks import held_back, mark_of


def brains_on_disk(project: str = "*") -> list[Path]:
    """Answer every brain of which there is anything: the file, or what a killed process left beside it."""
    files = (Path(settings.DATA_DIR) / "sessions").glob(f"{project}/*")
    return sorted({path.with_name(f"{path.name.partition('.')[0]}.db") for path in files})


def remove_brain(brain: Path) -> bool:
    """Remove a brain and what stands beside it, after whoever writes it; who comes later finds no row, and no file.

    Answers whether there was anything; the mark of a fork is nothing, and is left to who holds it.
    """
    found = _parts_of(brain)
    with claimed(brain):  # another process may be making it
        file = agentfs.open_file(brain)
    file.remove()
    for left in _parts_of(brain):
        left.unlink(missing_ok=True)
    return bool(found)


def _parts_of(brain: Path) -> list[Path]:
    return [path for path in brain.parent.glob(f"{brain.stem}.*") if path != mark_of(brain)]


def remove_files(project: str) -> None:
    """Remove every brain of a project that is deleted; a fork underway finds it gone, and takes its own away."""
    for brain in brains_on_disk(project):
        with held_back(brain) as is_alone:
            if is_alone:
                remove_brain(brain)
    remove_directory(brain_path(project, "any").parent)


def remove_directory(directory: Path) -> None:
    """Remove a project's directory of brains, if nothing is in it."""
    with suppress(OSError):
        directory.rmdir()
