"""OPS-02, OPS-04: many agents at once meet no error, and a kill loses nothing that was acknowledged."""

import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from tests.faces import RemoteApi
from tests.hubsite.load import PROJECT, Acknowledged, Fleet
from tests.running import Hub

AGENTS, CALLS = 16, 200


def all_events(api: RemoteApi) -> list[str]:
    """Read the whole feed as an agent does, by cursor from the start."""
    seen: list[str] = []
    since = "0" * 26
    while True:
        answer = api.get(f"/projects/{PROJECT}/events", since=since, limit=500).json
        seen += [event["id"] for event in answer["events"]]
        if not answer["truncated"]:
            return seen
        since = answer["next_since"]


def check_kept(hub: Hub, fleet: Fleet, seen: list[Acknowledged]) -> None:
    """Check that everything acknowledged is there; a page may be a version on, which its writer was not told of."""
    acknowledged = [event for one in seen for event in one.events]
    with hub.api(next(iter(fleet.tokens.values()))) as api:
        stored = all_events(api)
        assert stored == sorted(set(stored))
        assert set(acknowledged) <= set(stored)
        for one in seen:
            for path, version in one.pages.items():
                page = api.get("/brain/entry", path=path, store="project", project=PROJECT)
                assert page.status == 200
                assert path == one.writing or page.json["version"] == version


def databases(directory: Path) -> list[Path]:
    """Find every database file of a data directory whose hub has ended."""
    return [path for path in directory.rglob("*") if path.suffix in {".db", ".sqlite3"}]


def integrity(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        return str(connection.execute("PRAGMA integrity_check").fetchone()[0])


def test_ops_04_sixteen_agents_with_mixed_calls_meet_no_error(own_hub: Hub) -> None:
    own_hub.start()
    fleet = Fleet(own_hub, AGENTS, CALLS)
    began = time.monotonic()
    fleet.start()
    seen = fleet.join()
    took = time.monotonic() - began
    assert [failure for one in seen for failure in one.failures] == []
    assert sum(one.calls for one in seen) >= AGENTS * CALLS
    # Nobody starves: the gate is first come, first served.
    assert max(one.slowest for one in seen) < max(5, took / 2)
    check_kept(own_hub, fleet, seen)
    assert own_hub.end() == 0
    assert "Traceback" not in own_hub.output()
    checked = {path: integrity(path) for path in databases(own_hub.data_dir)}
    assert len(checked) > AGENTS
    assert set(checked.values()) == {"ok"}


def test_ops_02_kill_9_in_the_middle_loses_nothing_acknowledged(own_hub: Hub) -> None:
    own_hub.start()
    fleet = Fleet(own_hub, 8, 10_000)
    fleet.start()
    fleet.wait_for(120)
    assert own_hub.end(signal.SIGKILL) == -signal.SIGKILL
    fleet.stop.set()
    seen = fleet.join()
    assert all(len(one.failures) == 1 for one in seen), [one.failures for one in seen]
    own_hub.start()
    check_kept(own_hub, fleet, seen)
    with own_hub.api(next(iter(fleet.tokens.values()))) as api:
        session = api.post(f"/projects/{PROJECT}/sessions", name="after").json["session"]
        assert api.post(f"/projects/{PROJECT}/signals", summary="after the kill", session=session).status == 200
    assert own_hub.end() == 0
    checked = {path: integrity(path) for path in databases(own_hub.data_dir)}
    assert len(checked) > 2
    assert set(checked.values()) == {"ok"}
