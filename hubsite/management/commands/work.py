"""``manage.py work``: the periodic jobs alone, for a hub whose servers run with HUB_JOBS=0."""

import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand

from core import jobs
from hubsite import relay


class Command(BaseCommand):
    """Run the jobs until told to stop."""

    help = "Run the periodic jobs in this process. Several may run: each claims its rows."

    def handle(self, *_: Any, **__: Any) -> None:  # noqa: ANN401 - Django's own signature
        """Work until SIGTERM or SIGINT."""
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        self.stdout.write(f"Running {len(jobs.JOBS)} jobs.")
        self.stdout.flush()
        relay.start_relay()
        jobs.work(stop)
        relay.stop_relay()
