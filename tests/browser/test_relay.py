"""Notes reach the browsers of other processes over Redis (HUB-09, OPS-04)."""

import asyncio
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from core.live import Note, board
from hubsite import relay as relays
from hubsite.relay import Relay
from tests.running import free_port


@pytest.fixture
def redis(settings: Any) -> Iterator[subprocess.Popen[bytes]]:
    """Run a Redis of this test's own."""
    path = shutil.which("redis-server")
    if path is None:
        pytest.skip("no redis-server is installed: the relay between processes is not tried")
    port = free_port()
    server = subprocess.Popen(  # noqa: S603 - found by its name
        [path, "--port", str(port), "--save", "", "--bind", "127.0.0.1"], stdout=subprocess.DEVNULL
    )
    address = f"redis://127.0.0.1:{port}/0"
    backend = "channels_redis.pubsub.RedisPubSubChannelLayer"
    settings.CHANNEL_LAYERS = {"default": {"BACKEND": backend, "CONFIG": {"hosts": [address]}}}
    settings.REDIS_URL = address
    yield server
    server.terminate()
    server.wait()


def started(resyncs: list[float]) -> Relay:
    """Start the relay of what stands for one process."""
    relay = Relay(lambda: resyncs.append(time.monotonic()))
    relay.start()
    assert relay.is_listening
    return relay


async def test_ops_04_a_note_reaches_the_other_process_once_and_not_its_own(redis: subprocess.Popen[bytes]) -> None:
    here, there = await asyncio.to_thread(lambda: (started([]), started([])))
    note: Note = {"group": "project:atlas", "event": "01J0000000000000000000000A"}
    try:
        with board.listen("project:atlas") as notes:
            # Both stand on this process's board: what one sends, only the other posts here.
            await asyncio.to_thread(here.send, note)
            assert await asyncio.wait_for(notes.next(), 5) == note
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(notes.next(), 0.5)
    finally:
        await asyncio.gather(asyncio.to_thread(here.stop), asyncio.to_thread(there.stop))
    assert not [thread for thread in threading.enumerate() if thread.name == "muster-relay"]


async def test_hub_09_after_an_outage_of_redis_browsers_are_asked_back(
    redis: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relays, "BEAT_SECONDS", 0.2)
    monkeypatch.setattr(relays, "MISSED_BEATS_SECONDS", 2)
    resyncs: list[float] = []
    relay = await asyncio.to_thread(started, resyncs)
    try:
        await asyncio.sleep(0.6)
        assert resyncs == []
        redis.send_signal(signal.SIGSTOP)
        await asyncio.sleep(3)
        redis.send_signal(signal.SIGCONT)
        for _ in range(50):
            if resyncs:
                break
            await asyncio.sleep(0.1)
        assert resyncs
    finally:
        await asyncio.to_thread(relay.stop)
