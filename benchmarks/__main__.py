"""Run everything in turn, several times, and print one table of medians."""

import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks import distinct_brains, outbox, search
from tests.running import ROOT, Hub, free_port

ROUNDS = 3
SECONDS = 1.5
CLIENTS = (1, 8)
PROJECT = "bench"
# As people and the agent would do it, in one process.
_TASK = f"""
from knowledge.operations import create_document, publish_document
from tasks import preflight
from tasks.operations import create_task, start_task
from tasks.queries import task_of
from tests.world import make_person
kim = make_person("kim").actor
source = {{"kind": "url", "url": "https://example.org"}}
for number in range(100):
    text = {{"title": f"Herons {{number}}", "body": f"The heron of lake {{number}} nests in tall trees. " * 20}}
    document = create_document(kim, "{PROJECT}", **text, cited=[source])["document"]
    publish_document(kim, "{PROJECT}", document=document, expected_revision=1)
made = create_task(kim, "{PROJECT}", title="Count", text="Count the herons.", agent="bench")
ready = preflight.prepared(kim, task_of(kim, made["task"]), made)
start_task(kim, "{PROJECT}", task=made["task"], expected_revision=ready["revision"])
print(ready["delegation"])
"""


@dataclass(frozen=True, slots=True)
class Request:
    """What the clients send."""

    name: str
    port: int
    method: str
    path: str
    body: str = ""
    token: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """One measurement: the median and the 95th percentile in milliseconds, and calls a second."""

    median: float
    p95: float
    rate: float

    @classmethod
    def of(cls, latencies: list[float]) -> "Figure":
        """Sum up the latencies of all clients of one round."""
        ordered = sorted(latencies)
        return cls(statistics.median(ordered) * 1000, ordered[int(len(ordered) * 0.95)] * 1000, len(ordered) / SECONDS)

    @classmethod
    def middle(cls, figures: list["Figure"]) -> "Figure":
        """Answer the medians over the rounds."""
        columns = ([getattr(figure, name) for figure in figures] for name in ("median", "p95", "rate"))
        return cls(*map(statistics.median, columns))


def load(request: Request, clients: int) -> Figure:
    """Let `clients` processes send the request at once."""
    command = [sys.executable, "-m", "benchmarks.client", str(request.port), str(SECONDS)]
    command += [request.method, request.path, request.token, request.body]
    running = [
        subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # noqa: S603
        for _ in range(clients)
    ]
    for process in running:
        if not process.stdout or process.stdout.readline().strip() != "ready":
            raise SystemExit(f"{request.name}: a client could not start")
    for process in running:
        if process.stdin:
            process.stdin.write("go\n")
            process.stdin.flush()
    latencies: list[float] = []
    for process in running:
        latencies += json.loads(process.communicate(timeout=60)[0])
    return Figure.of(latencies)


@contextmanager
def bare_endpoint() -> Iterator[int]:
    """Serve the bare application with the hub's own server settings; answers its port."""
    port = free_port()
    options = [
        "--port",
        str(port),
        "--loop",
        "uvloop",
        "--http",
        "httptools",
        "--no-access-log",
        "--log-level",
        "error",
    ]
    command = [sys.executable, "-m", "uvicorn", "benchmarks.bare:application", *options]
    process = subprocess.Popen(command, cwd=ROOT)  # noqa: S603
    time.sleep(1.5)
    try:
        yield port
    finally:
        process.terminate()
        process.wait()


@contextmanager
def hub() -> Iterator[Hub]:
    """Serve a hub on a fresh data directory, on SQLite as it comes."""
    with tempfile.TemporaryDirectory(prefix="muster-bench-") as directory:
        running = Hub(Path(directory) / "data")
        try:
            yield running.start()
        finally:
            running.close()


def mcp(tool: str, **arguments: object) -> str:
    """Answer the body of a tool call."""
    params = {"name": tool, "arguments": arguments}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})


def delegated(hub_: Hub) -> str:
    """Let the agent run a task in a project with a hundred documents; answers its delegation."""
    return hub_.manage("shell", "--no-imports", "-c", _TASK).stdout.split()[-1]


def requests(hub_: Hub, bare: int, token: str, session: str, delegation: str) -> list[Request]:
    """Answer what is measured, the bare endpoint first."""
    recall = f"/api/v1/delegations/{delegation}/recall?query=heron+nest&limit=10"
    signal = {"summary": "measured", "session": session}
    events = f"/api/v1/projects/{PROJECT}/events?limit=20"
    read = mcp("feed_read", project=PROJECT, limit=20)
    write = mcp("signal_append", project=PROJECT, **signal)
    return [
        Request("bare endpoint", bare, "POST", "/", write),
        Request("HTTP read", hub_.port, "GET", events, "", token),
        Request("MCP read", hub_.port, "POST", "/mcp", read, token),
        Request("HTTP write", hub_.port, "POST", f"/api/v1/projects/{PROJECT}/signals", json.dumps(signal), token),
        Request("MCP write", hub_.port, "POST", "/mcp", write, token),
        Request("recall, noted", hub_.port, "GET", recall, "", token),
    ]


def raw_loop(copy: Path, session: str) -> Figure:
    """Write the same rows without a hub, into a copy of its store."""
    command = [sys.executable, "-m", "benchmarks.raw", str(copy), PROJECT, session, str(SECONDS)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S603
    return Figure.of(json.loads(done.stdout))


def measure() -> dict[tuple[str, int], Figure]:
    """Measure in rounds, so that whatever else the machine does hits all alike."""
    seen: dict[tuple[str, int], list[Figure]] = defaultdict(list)
    with bare_endpoint() as bare, hub() as running:
        running.project(PROJECT)
        token = running.agent("bench")
        with running.api(token) as api:
            session = api.post(f"/projects/{PROJECT}/sessions", name="bench").json["session"]
        delegation = delegated(running)
        copy = running.data_dir / "copy.sqlite3"
        with closing(sqlite3.connect(running.data_dir / "hub.sqlite3")) as store:
            store.execute("VACUUM INTO ?", [str(copy)])
        for _ in range(ROUNDS):
            seen["raw sqlite3 loop", 1].append(raw_loop(copy, session))
            for request in requests(running, bare, token, session, delegation):
                for clients in CLIENTS:
                    seen[request.name, clients].append(load(request, clients))
    return {name: Figure.middle(figures) for name, figures in seen.items()}


def show(figures: dict[tuple[str, int], Figure]) -> None:
    """Print the table. The ratios tell how many times fewer calls a second are answered than beside it."""
    raw = figures["raw sqlite3 loop", 1]
    print(f"{os.cpu_count()} processors, SQLite, synchronous=FULL; medians of {ROUNDS} rounds of {SECONDS} s")
    print(f"{'':18} {'clients':>7} {'median ms':>10} {'p95 ms':>8} {'calls/s':>8} {'bare/x':>7} {'raw/x':>7}")
    for (name, clients), figure in figures.items():
        bare = figures["bare endpoint", clients].rate / figure.rate
        of_raw = f"{raw.rate / figure.rate:7.1f}" if "write" in name else ""
        row = f"{name:18} {clients:7} {figure.median:10.2f} {figure.p95:8.2f} {figure.rate:8.0f} {bare:7.1f} {of_raw}"
        print(row.rstrip())


if __name__ == "__main__":
    show(measure())
    with hub() as own:
        distinct_brains.show(*distinct_brains.measure(own))
    search.show(search.measure())
    outbox.show(outbox.measure())
