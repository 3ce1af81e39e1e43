"""ART-02: whatever fails, no bytes stay that no version names, and no version names bytes that are not there."""

import errno
import logging
import os
import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.db import DatabaseError
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils import timezone

from artifacts import blobs as blob_store
from artifacts import jobs
from artifacts.jobs import reconcile
from artifacts.models import ArtifactVersion
from artifacts.removal import blobs_on_disk
from core.actor import HUB
from projects.operations import delete_project
from tests.artifacts.showing import Uploader, blob_names, blobs, publish, text, versions_and_blobs_agree
from tests.brains import begin
from tests.inprocess import HttpTools, HumanApi, nothing_stored
from tests.racing import Meanwhile, on_own_connection
from tests.world import AgentWithToken, make_project

IS_SQLITE = not os.environ.get("DATABASE_URL")


@pytest.fixture
def tools(project: object, ada_tools: HttpTools) -> HttpTools:
    begin(ada_tools)
    return ada_tools


@pytest.fixture
def uploader(tools: HttpTools, ada: AgentWithToken) -> Uploader:
    return Uploader(ada.token)


def fails(*_: object, **__: object) -> None:
    raise DatabaseError("made to fail")


def disk_is_full(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def attempts(tools: HttpTools, uploader: Uploader) -> list[Callable[[], Any]]:
    """Answer the ways to publish, and to publish a version."""
    artifact = publish(tools)
    form = {"title": "x", "kind": "text", "content": b"two"}
    return [
        lambda: tools("artifact_publish", **text("two")),
        lambda: tools("artifact_update", artifact=artifact, content="two", base_version=1),
        lambda: uploader.publish(**form),
        lambda: uploader.update(artifact, base_version=1, content=b"two"),
    ]


FAULTS: dict[str, tuple[str, Callable[..., None]]] = {
    "the metadata": ("artifacts.operations.publishing.ArtifactVersion.objects.create", fails),
    "the event after it": ("projects.feed.append", fails),
    "the rename": ("artifacts.storage.BlobStorage._save", disk_is_full),
    "the sync of the directory": ("artifacts.storage.sync_directory", disk_is_full),
    "the sync of the file": ("artifacts.blobs.os.fsync", disk_is_full),
    "the first write": ("artifacts.blobs.Incoming.write", disk_is_full),
    "a kind that is looked at": ("artifacts.content._check_text", disk_is_full),
}


@pytest.mark.parametrize("name", FAULTS)
def test_art_02_whatever_fails_nothing_is_left(
    tools: HttpTools, uploader: Uploader, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    ways = attempts(tools, uploader)
    place, fault = FAULTS[name]
    kept = blobs()
    with nothing_stored(), monkeypatch.context() as broken:
        broken.setattr(place, fault)
        assert {way().code for way in ways} <= {"internal", "unavailable"}
    assert blobs() == kept
    for way in ways[:1] + ways[2:3]:
        way().done()
    versions_and_blobs_agree()


def test_art_02_a_disk_that_is_full_in_the_middle_leaves_nothing(
    tools: HttpTools, uploader: Uploader, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = blob_store.Incoming.write

    def until_full(incoming: blob_store.Incoming, chunk: bytes) -> None:
        write(incoming, chunk[: len(chunk) // 2])
        disk_is_full()

    monkeypatch.setattr(blob_store.Incoming, "write", until_full)
    with nothing_stored():
        assert uploader.publish(title="x", kind="text", content=b"x" * 10_000).code == "internal"


@pytest.mark.django_db(transaction=True)
def test_art_02_a_commit_that_fails_takes_the_promoted_bytes_back_at_once(
    tools: HttpTools, uploader: Uploader, monkeypatch: pytest.MonkeyPatch
) -> None:
    ways = attempts(tools, uploader)
    promoted: list[list[str]] = []

    def refuse(*_: object) -> None:
        promoted.append(blob_names())
        raise DatabaseError("made to fail")

    with nothing_stored(), monkeypatch.context() as broken:
        broken.setattr(BaseDatabaseWrapper, "_commit", refuse)
        assert {way().code for way in ways[:3]} <= {"internal", "unavailable"}
    assert [len(names) for names in promoted] == [2, 2, 2]  # they had been promoted by then
    versions_and_blobs_agree()


@pytest.mark.django_db(transaction=True)
def test_art_02_bytes_are_kept_when_the_commit_was_done_and_only_its_answer_was_lost(
    tools: HttpTools, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = BaseDatabaseWrapper._commit  # type: ignore[attr-defined]

    def then_fail(self: Any) -> None:
        commit(self)
        raise DatabaseError("made to fail")

    with monkeypatch.context() as broken:
        broken.setattr(BaseDatabaseWrapper, "_commit", then_fail)
        assert tools("artifact_publish", **text()).code in {"internal", "unavailable"}
    (version,) = ArtifactVersion.objects.all()
    assert tools("artifact_get", artifact=version.artifact_id)["content"] == "one"
    versions_and_blobs_agree()


@pytest.mark.django_db(transaction=True)
def test_art_02_unsure_whether_it_was_stored_it_leaves_the_bytes_to_the_job(
    tools: HttpTools, monkeypatch: pytest.MonkeyPatch, begun_anew: Callable[[], None]
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr("artifacts.operations.publishing._tell", fails)
        broken.setattr("artifacts.blobs.ArtifactVersion.objects.filter", fails)
        assert tools("artifact_publish", **text()).refused
    assert len(blobs()) == 1
    begun_anew()
    assert (reconcile(), blobs()) == (1, [])


@pytest.mark.django_db(transaction=True)
def test_art_02_a_blob_that_cannot_be_removed_is_removed_later(
    tools: HttpTools, monkeypatch: pytest.MonkeyPatch, begun_anew: Callable[[], None]
) -> None:
    artifact = publish(tools)
    with monkeypatch.context() as broken:
        broken.setattr("artifacts.storage.BlobStorage.delete", disk_is_full)
        tools("artifact_delete", artifact=artifact).done()
    assert len(blobs()) == 1
    begun_anew()
    assert (reconcile(), blobs()) == (1, [])


@pytest.fixture
def begun_anew(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Callable[[], None]:
    """Let what was written until now be from before this process, and past the grace."""

    def begin_anew() -> None:
        monkeypatch.setattr(jobs, "_STARTED", timezone.now())
        settings.HUB_BLOB_GRACE_SECONDS = 0

    return begin_anew


def stray(name: str = "atlas/01J00000000000000000000000", content: bytes = b"x") -> Path:
    path = Path(django_settings.DATA_DIR) / "artifacts" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def age(path: Path, seconds: float) -> None:
    moment = (timezone.now() - timedelta(seconds=seconds)).timestamp()
    os.utime(path, (moment, moment))


def test_art_02_reconciling_removes_what_no_version_names_and_empty_directories(
    tools: HttpTools, begun_anew: Callable[[], None]
) -> None:
    make_project("empty")
    artifact = publish(tools)
    strays = [stray(), stray("gone/01J00000000000000000000001"), stray("empty/01J00000000000000000000002")]
    stray("never/x").unlink()
    begun_anew()
    assert reconcile() == 3
    root = Path(django_settings.DATA_DIR) / "artifacts"
    assert sorted(path.name for path in root.iterdir()) == [".incoming", "atlas"]
    assert not any(path.exists() for path in strays)
    versions_and_blobs_agree()
    assert tools("artifact_get", artifact=artifact)["content"] == "one"
    assert reconcile() == 0


def test_art_02_what_is_young_is_left_to_who_may_be_about_to_commit_it(tools: HttpTools, settings: Any) -> None:
    settings.HUB_BLOB_GRACE_SECONDS = 300
    young, old = stray(), stray("atlas/01J00000000000000000000001")
    directory = stray("new/x")
    directory.unlink()
    age(old, 301)
    assert (reconcile(), young.exists(), old.exists(), directory.parent.exists()) == (1, True, False, True)
    age(young, 301)
    age(directory.parent, 301)
    assert (reconcile(), young.exists(), directory.parent.exists()) == (1, False, False)


@pytest.mark.skipif(not IS_SQLITE, reason="on PostgreSQL other machines may publish into the same store")
def test_art_02_on_sqlite_what_was_there_before_the_start_is_nobodys(tools: HttpTools, monkeypatch: Any) -> None:
    left = stray()
    monkeypatch.setattr(jobs, "_STARTED", timezone.now())
    assert (reconcile(), left.exists()) == (1, False)


def test_art_02_bytes_on_their_way_in_are_left_until_nobody_holds_them(
    tools: HttpTools, begun_anew: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    left = stray(".incoming/01J00000000000000000000000")
    with blob_store.receiving() as incoming:
        incoming.write(b"x")
        for path in (left, incoming.path):
            age(path, 7200)
        begun_anew()
        assert reconcile() == 0
        assert (left.exists(), incoming.path.exists()) == (False, True)


@pytest.mark.django_db(transaction=True)
def test_art_02_what_waits_for_its_commit_is_never_taken(
    tools: HttpTools, begun_anew: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long the commit takes: here the job runs, in another process's stead, between the two."""
    promote = blob_store.Incoming.promote

    def then_reconcile(incoming: blob_store.Incoming, project: str) -> str:
        name = promote(incoming, project)
        begun_anew()
        thread = threading.Thread(target=on_own_connection, args=(reconcile,))
        thread.start()
        thread.join(30)
        return name

    with monkeypatch.context() as slow:
        slow.setattr(blob_store.Incoming, "promote", then_reconcile)
        artifact = publish(tools)
    assert tools("artifact_get", artifact=artifact)["content"] == "one"
    versions_and_blobs_agree()


@pytest.mark.django_db(transaction=True)
def test_art_02_a_commit_between_the_jobs_two_looks_is_seen(
    tools: HttpTools, begun_anew: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    named = jobs._named
    seen: list[str] = []

    def then_publish() -> set[str]:
        found = named()
        if not seen:
            seen.append(publish(tools))
            begun_anew()
        return found

    listed = blobs_on_disk

    def with_what_comes() -> set[str]:
        return {*listed(), *ArtifactVersion.objects.values_list("blob", flat=True)}

    monkeypatch.setattr(jobs, "_named", then_publish)
    monkeypatch.setattr(jobs, "blobs_on_disk", with_what_comes)
    assert reconcile() == 0
    versions_and_blobs_agree()


@pytest.mark.django_db(transaction=True)
def test_art_02_reconciling_all_the_time_takes_nothing_from_who_publishes(
    tools: HttpTools, ada: AgentWithToken, begun_anew: Callable[[], None], settings: Any
) -> None:
    settings.HUB_BLOB_GRACE_SECONDS = 0
    done: list[str] = []

    def again() -> bool:
        begun_anew()
        reconcile()
        return True

    with Meanwhile(again, again):
        own = HttpTools(ada.token)
        while len(done) < 12:
            done.append(publish(own, f"{len(done)}"))
            if len(done) % 4 == 0:
                own("artifact_delete", artifact=done[-1]).done()
    kept = [artifact for number, artifact in enumerate(done, 1) if number % 4]
    assert [tools("artifact_get", artifact=artifact)["missing"] for artifact in kept] == [False] * 9
    versions_and_blobs_agree()


def test_art_02_a_version_whose_bytes_are_gone_is_shown_and_told_as_missing(
    tools: HttpTools, human_api: HumanApi, caplog: pytest.LogCaptureFixture
) -> None:
    artifact = publish(tools)
    tools("artifact_update", artifact=artifact, content="two", base_version=1).done()
    first = ArtifactVersion.objects.get(number=1)
    (Path(django_settings.DATA_DIR) / "artifacts" / first.blob).unlink()
    with caplog.at_level(logging.ERROR, "muster.artifacts"):
        assert reconcile() == 0
    (line,) = [record.getMessage() for record in caplog.records if record.name == "muster.artifacts"]
    assert (artifact in line, first.blob in line) == (True, True)
    versions = tools("artifact_versions", artifact=artifact)["versions"]
    assert [(row["version"], row["missing"]) for row in versions] == [(2, False), (1, True)]
    for shown in (
        tools("artifact_get", artifact=artifact, version=1).done(),
        human_api.get(f"/artifacts/{artifact}", version=1).done(),
    ):
        assert (shown["missing"], shown["content"], shown["sha256"]) == (True, None, first.sha256)
    assert tools("artifact_get", artifact=artifact)["content"] == "two"
    assert tools("artifact_update", artifact=artifact, content="three", base_version=2).done()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("face", ["call", "upload"])
def test_hub_08_a_publication_that_races_the_projects_deletion_leaves_nothing(
    tools: HttpTools,
    uploader: Uploader,
    monkeypatch: pytest.MonkeyPatch,
    begun_anew: Callable[[], None],
    face: str,
) -> None:
    """The project goes after the bytes have come and before the operation begins."""
    content_of = blob_store.Incoming.finish

    def then_delete(incoming: blob_store.Incoming) -> blob_store.Incoming:
        content_of(incoming)
        delete_project(HUB, "atlas", confirm="atlas")
        return incoming

    with monkeypatch.context() as racing:
        racing.setattr(blob_store.Incoming, "finish", then_delete)
        if face == "call":
            assert tools("artifact_publish", **text()).code == "not_found"
        else:
            assert uploader.publish(title="x", kind="text", content=b"x").code == "not_found"
    assert (blobs(), ArtifactVersion.objects.count()) == ([], 0)


@pytest.mark.django_db(transaction=True)
def test_hub_08_publishing_all_through_a_deletion_ends_in_not_found_and_leaves_nothing(
    tools: HttpTools, ada: AgentWithToken, begun_anew: Callable[[], None]
) -> None:
    session = tools("session_list", project="atlas")["sessions"][0]["id"]
    refusals: list[str] = []
    done = threading.Semaphore(0)

    def again() -> bool:
        outcome = HttpTools(ada.token)("artifact_publish", **text(session=session))
        done.release()
        if outcome.refused:
            refusals.append(outcome.code)
        return not outcome.refused

    with Meanwhile(again, again, again) as publishers:
        for _ in range(6):
            assert done.acquire(timeout=60)
        delete_project(HUB, "atlas", confirm="atlas")
        publishers.wait()
    assert refusals == ["not_found"] * 3
    begun_anew()
    reconcile()
    assert (blobs(), ArtifactVersion.objects.count()) == ([], 0)
    assert not (Path(django_settings.DATA_DIR) / "artifacts" / "atlas").exists()
