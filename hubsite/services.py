"""What runs beside the requests of a serving process: the jobs, and the relay of live notes between processes."""

import atexit
import logging
from collections.abc import Callable

from asgiref.sync import sync_to_async
from asgiref.typing import ASGIReceiveCallable, ASGISendCallable
from django.conf import settings

import agentfs
from core import jobs
from hubsite import executors, relay
from hubsite.hub_lock import hub_lock

logger = logging.getLogger("muster.services")
_stops: list[Callable[[], None]] = []


def start() -> None:
    """Start the services; again is harmless. They stop with `stop`, at the latest when the process ends."""
    if _stops:
        return
    _stops.extend((hub_lock().release, agentfs.close_all, executors.shut_down))
    relay.start_relay()
    _stops.append(relay.stop_relay)
    if settings.HUB_JOBS:
        _stops.append(jobs.start())
    atexit.register(stop)


def stop() -> None:
    """Stop in the reverse order: jobs, request threads, files (each folded into one), at last the lock."""
    while _stops:
        end = _stops.pop()
        try:
            end()
        except Exception:
            logger.exception("could not stop", extra={"service": repr(end)})


async def lifespan(receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
    """Start and stop with the server, as the ASGI lifespan protocol says."""
    await receive()
    start()
    await send({"type": "lifespan.startup.complete"})
    await receive()
    await sync_to_async(stop, thread_sensitive=False)()
    await send({"type": "lifespan.shutdown.complete"})
