"""Writers to distinct brains beside one whose brain is held for a second (KNB-08)."""

import sqlite3
import statistics
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from tests.faces import RemoteApi
from tests.running import Hub

WRITERS = 8
HELD_SECONDS = 1.0
PROJECT = "brains"


@dataclass(frozen=True, slots=True)
class Waits:
    """How long writes took, in milliseconds."""

    median: float
    longest: float
    number: int

    @classmethod
    def of(cls, seconds: list[float]) -> "Waits":
        """Sum up the writes of all writers."""
        return cls(statistics.median(seconds) * 1000, max(seconds) * 1000, len(seconds))


@dataclass(frozen=True, slots=True)
class Writer:
    """An agent with a session of its own."""

    api: RemoteApi
    session: str

    @classmethod
    def of(cls, hub: Hub, number: int) -> "Writer":
        """Make an agent and let it begin."""
        api = hub.api(hub.agent(f"writer-{number}"))
        session: str = api.post(f"/projects/{PROJECT}/sessions", name="bench").json["session"]
        return cls(api, session)

    def write(self) -> float:
        """Write once; answers the seconds it took."""
        began = time.perf_counter()
        answer = self.api.put(
            "/brain/entry", session=self.session, path="/fs/a.md", content="x" * 1000, store="session"
        )
        if answer.status != 200:  # noqa: PLR2004 - HTTP's OK
            raise SystemExit(f"distinct brains: a write was refused: {answer.json}")
        return time.perf_counter() - began

    def brain(self, hub: Hub) -> Path:
        """Answer where its brain lies."""
        return hub.data_dir / "sessions" / PROJECT / f"{self.session}.db"


def measure(hub: Hub) -> tuple[Waits, Waits, float]:
    """Answer the writers' waits, without and with a brain that is held, and how long its own writer waited, in ms."""
    hub.project(PROJECT)
    held, *others = [Writer.of(hub, number) for number in range(WRITERS + 1)]
    for writer in (held, *others):
        writer.write()
    alone = _write_for(HELD_SECONDS, others)
    with ThreadPoolExecutor(2) as pool:
        is_held = threading.Event()
        holding = pool.submit(_hold, held.brain(hub), is_held)
        is_held.wait()
        waiting = pool.submit(held.write)
        beside = _write_for(HELD_SECONDS, others)
        holding.result()
        return alone, beside, waiting.result() * 1000


def _hold(brain: Path, is_held: threading.Event) -> None:
    with closing(sqlite3.connect(brain, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        is_held.set()
        time.sleep(HELD_SECONDS)
        holder.execute("ROLLBACK")


def _write_for(seconds: float, writers: list[Writer]) -> Waits:
    start = threading.Barrier(len(writers))

    def write(writer: Writer) -> list[float]:
        start.wait()
        end = time.monotonic() + seconds
        took = []
        while time.monotonic() < end:
            took.append(writer.write())
        return took

    with ThreadPoolExecutor(len(writers)) as pool:
        return Waits.of([wait for waits in pool.map(write, writers) for wait in waits])


def show(alone: Waits, beside: Waits, held: float) -> None:
    """Print two lines and the ratio of their medians."""
    print(f"\n{WRITERS} writers, each to its own brain; beside them one waits for a brain held {HELD_SECONDS:.0f} s")
    print(f"{'alone':18} median {alone.median:6.2f} ms, longest {alone.longest:7.1f} ms, {alone.number} writes")
    print(f"{'beside it':18} median {beside.median:6.2f} ms, longest {beside.longest:7.1f} ms, {beside.number} writes")
    print(f"{'beside/alone':18} {beside.median / alone.median:.2f}; the one that waits took {held:.0f} ms")
