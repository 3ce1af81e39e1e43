"""SES-09: the storage report is what the disk says, adds up, and promises what pruning frees."""

import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone

import agentfs
from projects.models import Event, Project
from sessions_app.jobs import close_due_prunes
from sessions_app.models import Session
from tests.brains import begin, brain_file, write
from tests.inprocess import HttpTools, HumanApi, Json
from tests.world import make_project

BYTES = ("events_bytes", "brains_bytes", "knowledge_bytes", "artifacts_bytes")


@pytest.fixture
def filled(project: Project, ada_tools: HttpTools, ben_tools: HttpTools) -> dict[str, str]:
    """Fill two projects; answers sessions by name."""
    make_project("other", name="Other")
    sessions = {
        "open": begin(ada_tools, "open", large="x" * 200_000),
        "ended": begin(ben_tools, "ended", large="y" * 100_000),
        "silent": begin(ada_tools, "silent"),
        "far": begin(ada_tools, "far", "other", notes="z"),
    }
    for path, store in (("/fs/\u00e9.md", "atlas"), ("/fs/long.md", "other")):
        ada_tools("brain_put", project=store, store="project", path=path, content="\u00e9" * 50_000).done()
    ada_tools(
        "signal_append", project="atlas", session=sessions["open"], summary="\u00e9\u00e9", payload={"a": "\u8a18"}
    )
    for name, tools in (("ended", ben_tools), ("silent", ada_tools)):
        tools("session_end", session=sessions[name]).done()
    return sessions


def report(human_api: HumanApi) -> tuple[Json, dict[str, Json]]:
    whole = human_api.get("/storage").done()
    return whole, {row["slug"]: row for row in whole["projects"]}


def on_disk(path: Path) -> int:
    """Answer what os.stat says of a database and its write-ahead log."""
    return sizes(path, Path(f"{path}-wal"))


def sizes(*paths: Path) -> int:
    return sum(path.stat().st_size for path in paths if path.exists())


def test_ses_09_every_figure_is_what_os_stat_says(filled: dict[str, str], human_api: HumanApi, data_dir: Path) -> None:
    whole, rows = report(human_api)
    here = [filled[name] for name in ("open", "ended", "silent")]
    assert rows["atlas"]["brains_bytes"] == sum(on_disk(brain_file(session)) for session in here) > 300_000
    assert rows["other"]["brains_bytes"] == on_disk(brain_file(filled["far"], "other")) > 0
    for slug in ("atlas", "other"):
        assert rows[slug]["knowledge_bytes"] == on_disk(data_dir / "kb" / f"{slug}.db") > 50_000
    assert (rows["atlas"]["sessions"], rows["other"]["sessions"]) == (3, 1)
    assert rows["atlas"]["events"] == Event.objects.filter(project="atlas").count()
    everything = [path for path in data_dir.rglob("*") if path.is_file()]
    assert whole["data_dir_bytes"] == sizes(*everything)
    assert whole["volume_bytes"] == shutil.disk_usage(data_dir).total
    assert 0 < whole["volume_free_bytes"] < whole["volume_bytes"]
    assert whole["database_bytes"] > 0
    if connection.vendor == "sqlite":
        name = connection.settings_dict["NAME"]
        assert whole["database_bytes"] == sizes(*[Path(f"{name}{suffix}") for suffix in ("", "-wal", "-shm")])


def test_ses_09_events_are_counted_as_the_bytes_of_their_text(filled: dict[str, str], human_api: HumanApi) -> None:
    before = report(human_api)[1]["atlas"]
    Event.objects.filter(project="atlas", kind="signal").delete()
    after = report(human_api)[1]["atlas"]
    assert before["events"] - after["events"] == 1
    # The summary is four bytes, the actor three, the payload at least its letters.
    assert 4 + 3 + len('{"a":""}') + 3 <= before["events_bytes"] - after["events_bytes"] <= 40


def test_ses_09_rows_add_up(filled: dict[str, str], human_api: HumanApi) -> None:
    whole, rows = report(human_api)
    assert set(rows) == {"atlas", "other", "~ada", "~ben"}
    for row in rows.values():
        assert row["total_bytes"] == sum(row[name] for name in BYTES)
    for name, total in whole["totals"].items():
        assert total == sum(row[name] for row in rows.values()), name
    assert whole["totals"]["total_bytes"] == sum(whole["totals"][name] for name in BYTES)
    assert {*BYTES, "total_bytes", "prunable_bytes", "events", "sessions"} <= set(whole["totals"])


def test_ses_09_what_it_says_pruning_frees_is_freed(
    filled: dict[str, str], human_api: HumanApi, ada_tools: HttpTools, data_dir: Path
) -> None:
    before = report(human_api)[1]
    assert before["atlas"]["prunable_bytes"] == on_disk(brain_file(filled["ended"])) > 100_000
    assert before["other"]["prunable_bytes"] == 0
    knowledge = {slug: row["knowledge_bytes"] for slug, row in before.items()}
    human_api.post("/sessions/prune").done()
    Session.objects.filter(deleted_at__isnull=False).update(deleted_at=timezone.now() - timedelta(hours=1))
    assert close_due_prunes() == 2
    after = report(human_api)[1]
    freed = before["atlas"]["brains_bytes"] - after["atlas"]["brains_bytes"]
    assert freed == before["atlas"]["prunable_bytes"]
    # Knowledge is never prunable (KNB-07).
    assert {slug: row["knowledge_bytes"] for slug, row in after.items()} == knowledge
    assert sum(row["prunable_bytes"] for row in after.values()) == 0
    page = ada_tools("brain_get", project="other", store="project", path="/fs/long.md").done()
    assert page["size"] == 100_000


def test_ses_09_it_is_measured_anew_each_time(
    filled: dict[str, str], human_api: HumanApi, ada_tools: HttpTools
) -> None:
    before = report(human_api)[1]["atlas"]["brains_bytes"]
    write(ada_tools, filled["open"], "/fs/more.md", "w" * 500_000)
    agentfs.close_all()
    after = report(human_api)[1]["atlas"]["brains_bytes"]
    assert after - before > 400_000


def test_ses_09_an_empty_hub_has_a_report(human_api: HumanApi) -> None:
    whole, rows = report(human_api)
    assert (rows, whole["totals"]) == ({}, {})
    assert whole["volume_bytes"] > 0
