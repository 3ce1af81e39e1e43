"""Forks on their way: a copy that has no row yet is no orphan (see ``sessions_app/jobs.py``)."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from agentfs.claims import beside, claimed
from core.errors import HubError
from sessions_app.brain import brain_path


def mark_of(brain: Path) -> Path:
    """Answer the file that stands beside a brain while a fork makes it."""
    return beside(_claim_on(brain), ".claim")


def _claim_on(brain: Path) -> Path:
    return brain.with_suffix(".fork")


@contextmanager
def underway(project: str, session: str) -> Iterator[None]:
    """Say to every process that a session's file is being made; the end of this process says that it is not."""
    with claimed(_claim_on(brain_path(project, session))):
        yield


@contextmanager
def held_back(brain: Path) -> Iterator[bool]:
    """Keep forks from making this brain for the length of the block; answers False where one is underway.

    A mark that is not held is one that a killed fork left, or one about to be held: it waits, and begins again.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(claimed(_claim_on(brain), wait=False))
        except HubError:
            yield False
            return
        yield True
