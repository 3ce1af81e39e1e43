"""Searching in 100,000 documents of 65 words in 50 projects, for a caller who may read 5 of them (SRC-01).

``python -m benchmarks.search 10000`` is a quick run.
"""

import http.client
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from tests.running import ROOT, Hub

DOCUMENTS: Final = 100_000
ROUNDS: Final = 100
_FILL: Final = "import django; django.setup(); from benchmarks.search_store import main"


def measure(number: int = DOCUMENTS) -> dict[str, Any]:
    """Fill a store, measure it bare, then through a hub's HTTP face."""
    with tempfile.TemporaryDirectory(prefix="muster-bench-") as directory:
        hub = Hub(Path(directory) / "data")
        environment = hub.environment | {"DJANGO_SETTINGS_MODULE": "hubsite.settings"}
        command = [sys.executable, "-c", f"{_FILL}; main({number})"]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)  # noqa: S603
        told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        try:
            hub.start()
            for row in told["searches"]:
                row["http"] = _p50(hub.port, told["token"], row["query"])
        finally:
            hub.close()
        return told | {"number": number}


def _p50(port: int, token: str, query: str) -> float:
    """Answer the median of one client's searches over one connection, in milliseconds."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    took = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        connection.request("GET", f"/api/v1/search?query={quote(query)}", headers={"Authorization": f"Bearer {token}"})
        response = connection.getresponse()
        answer = json.loads(response.read())
        if response.status != http.client.OK or not answer["count"]:
            raise SystemExit(f"search {query}: {response.status} {answer}")
        took.append(time.perf_counter() - began)
    return statistics.median(took) * 1000


def show(told: dict[str, Any]) -> None:
    """Print the table, what the index costs a write, and what it takes on the disk."""
    print(f"\nSearch: {told['number']} documents of 65 words in 50 projects, the caller may read 5; medians in ms")
    print(f"{'words':18} {'documents':>10} {'bare SQL':>9} {'ranked':>8} {'over HTTP':>10}")
    for row in told["searches"]:
        print(f"{row['name']:18} {row['held']:10} {row['sql']:9.2f} {row['ranked']:8.2f} {row['http']:10.2f}")
    writes = told["writes"]
    print(f"an event with the index {writes['indexed']:.2f} ms, without {writes['bare']:.2f} ms")
    print(f"{told['bytes']:.0f} bytes a document, index included; all indexed in {told['fill']:.0f} s")


if __name__ == "__main__":
    show(measure(*map(int, sys.argv[1:2])))
