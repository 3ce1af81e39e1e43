"""HUB-02: event ids are minted in commit order, so who reads by cursor misses nothing."""

import subprocess
import sys
import time
from collections import defaultdict

from tests.hubsite.append_events import THREADS
from tests.running import ROOT, Hub

WRITERS, EACH = 3, 30


def test_hub_02_a_cursor_misses_nothing_of_many_writers_whose_clocks_step_back(own_hub: Hub) -> None:
    own_hub.start()
    slug = own_hub.project("order")
    token = own_hub.agent("reader")
    clock = 1_900_000_000_000
    environment = own_hub.environment | {"DJANGO_SETTINGS_MODULE": "hubsite.settings", "PYTHONPATH": str(ROOT)}
    writers = [
        subprocess.Popen(  # noqa: S603 - our own script
            [sys.executable, "-m", "tests.hubsite.append_events", slug, f"w{n}-", str(EACH), str(clock - n * 90_000)],
            cwd=ROOT,
            env=environment,
        )
        for n in range(WRITERS)
    ]
    expected = WRITERS * THREADS * EACH
    read: list[tuple[str, str]] = []
    with own_hub.api(token) as api:
        since = "0" * 26
        deadline = time.monotonic() + 120
        while len(read) < expected and time.monotonic() < deadline:
            page = api.get(f"/projects/{slug}/events", since=since, kinds="signal", limit=500).json
            read += [(event["id"], event["summary"]) for event in page["events"]]
            since = page["next_since"]
        whole = api.get(f"/projects/{slug}/events", since="0" * 26, kinds="signal", limit=500).json["events"]
    assert [writer.wait(timeout=30) for writer in writers] == [0] * WRITERS
    assert read == [(event["id"], event["summary"]) for event in whole]
    assert len(read) == expected
    assert [event for event, _ in read] == sorted({event for event, _ in read})
    # Each thread wrote one after the other, so its own order must show.
    orders = defaultdict(list)
    for _, summary in read:
        writer, number = summary.split()
        orders[writer].append(int(number))
    assert set(map(tuple, orders.values())) == {tuple(range(EACH))}
