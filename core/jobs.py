"""Periodic work. A job claims its rows by a guarded update, so running it twice or in two processes is harmless."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from django.db import close_old_connections, connections
from django.utils.module_loading import autodiscover_modules

logger = logging.getLogger("muster.jobs")


@dataclass(slots=True)
class Job:
    """A function due every `seconds`."""

    run: Callable[[], object]
    seconds: float
    due: float = field(default=0.0)

    @property
    def name(self) -> str:
        """The dotted name of the function."""
        return f"{self.run.__module__}.{self.run.__name__}"


JOBS: list[Job] = []


def every[R](seconds: float) -> Callable[[Callable[[], R]], Callable[[], R]]:
    """Register a function to run every `seconds` in the server or in ``manage.py work``."""

    def register(function: Callable[[], R]) -> Callable[[], R]:
        JOBS.append(Job(function, seconds))
        return function

    return register


def run_due(now: float) -> None:
    """Run what is due at `now` (monotonic seconds); a failing job is logged and tried again at its next turn."""
    close_old_connections()
    for job in JOBS:
        if job.due <= now:
            job.due = now + job.seconds
            try:
                job.run()
            except Exception:
                logger.exception("job failed", extra={"job": job.name})


def work(stop: threading.Event) -> None:
    """Run the due jobs of every app's ``jobs`` module until `stop` is set."""
    autodiscover_modules("jobs")
    while not stop.is_set():
        run_due(time.monotonic())
        stop.wait(0.5)
    connections.close_all()


def start() -> Callable[[], None]:
    """Run the jobs in a thread of this process; answers the function that stops it."""
    stop = threading.Event()
    thread = threading.Thread(target=work, args=(stop,), name="muster-jobs", daemon=True)
    thread.start()

    def finish() -> None:
        stop.set()
        thread.join(timeout=10)

    return finish
