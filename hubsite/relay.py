"""Live notes between processes, over Redis: every process has its own board and browsers, and hears the others'.

The relay has a thread and an event loop of its own, so a web server, ``manage.py work`` and a command use it alike.
Notes only wake listeners up, so one that Redis loses delays nobody for long: after an outage every browser is asked
to come back, and catches up by id.
"""

import asyncio
import logging
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from channels.layers import get_channel_layer
from django.conf import settings

from core import live
from core.live import Note, board

logger = logging.getLogger("muster.relay")

GROUP: Final = "muster.live"
QUEUED: Final = 10_000
BEAT_SECONDS: Final = 3.0
MISSED_BEATS_SECONDS: Final = 10.0


class Relay:
    """One process's end of the relay."""

    def __init__(self, resync: Callable[[], None]) -> None:
        self._me = uuid.uuid4().hex
        self._resync = resync
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._heard = time.monotonic()
        self._thread = threading.Thread(target=self._run, name="muster-relay", daemon=True)

    def start(self) -> None:
        """Start listening; answers when the first subscription stands or Redis did not answer in time."""
        self._thread.start()
        self._ready.wait(5)
        live.relay_with(self.send)

    @property
    def is_listening(self) -> bool:
        """Whether the first subscription stands."""
        return self._ready.is_set()

    def stop(self) -> None:
        """Stop and forget what was not sent."""
        live.relay_with(None)
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._task.cancel)
        self._thread.join(5)

    def send(self, note: Note) -> None:
        """Carry a note to the other processes, from any thread."""
        with suppress(RuntimeError):  # the loop has ended: so has the process's part in this
            self._loop.call_soon_threadsafe(self._queue, note)

    def _queue(self, note: Note | None) -> None:
        if self._outgoing.qsize() < QUEUED:
            self._outgoing.put_nowait(note)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._outgoing: asyncio.Queue[Note | None] = asyncio.Queue()
        self._task = self._loop.create_task(self._serve())
        with suppress(asyncio.CancelledError):
            self._loop.run_until_complete(self._task)
        self._loop.close()

    async def _serve(self) -> None:
        layer: Any = get_channel_layer()
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._forever(self._receive, layer))
                tasks.create_task(self._forever(self._deliver, layer))
                tasks.create_task(self._beat())
        finally:
            with suppress(Exception):  # Redis may be gone; the connections go either way
                await asyncio.wait_for(layer.flush(), 2)

    async def _forever(self, work: Callable[[Any], Any], layer: Any) -> None:  # noqa: ANN401 - channels has no types
        while True:
            try:
                await work(layer)
            except Exception:  # whatever Redis or its client raises, the relay goes on
                logger.warning("the relay between processes is interrupted", exc_info=True)
                await asyncio.sleep(1)

    async def _receive(self, layer: Any) -> None:  # noqa: ANN401
        channel = await layer.new_channel()
        await layer.group_add(GROUP, channel)
        if not self._ready.is_set():
            self._heard = time.monotonic()  # what was before is no outage
            self._ready.set()
        while True:
            self._hear(await layer.receive(channel))

    def _hear(self, message: dict[str, Any]) -> None:
        if message["from"] != self._me:
            if message["note"]:
                board.post(message["note"])
            return
        now = time.monotonic()
        if now - self._heard > MISSED_BEATS_SECONDS:
            self._resync()
        self._heard = now

    async def _deliver(self, layer: Any) -> None:  # noqa: ANN401
        while True:
            note = await self._outgoing.get()
            await layer.group_send(GROUP, {"type": "note", "from": self._me, "note": note})

    async def _beat(self) -> None:
        """Send itself a sign of life; hearing it late tells that notes may have been lost."""
        while True:
            self._queue(None)
            await asyncio.sleep(BEAT_SECONDS)


_relay: list[Relay] = []


def start_relay() -> None:
    """Start the relay when the hub has Redis; one process without it needs none."""
    if settings.REDIS_URL and not _relay:
        _relay.append(Relay(_bring_back))
        _relay[0].start()


def stop_relay() -> None:
    """Stop the relay."""
    while _relay:
        _relay.pop().stop()


def _bring_back() -> None:
    from hubsite.live import ask_back  # noqa: PLC0415 - a command that relays has no websockets to load

    ask_back()
