"""ART-02, OPS-02: kill -9 at any place leaves the whole of a publication or, after a restart, nothing of it."""

from collections.abc import Callable

import pytest
from django.utils import timezone

from artifacts import jobs
from artifacts.models import Artifact, ArtifactVersion
from projects.models import Event
from tests.artifacts.showing import blobs, publish, text, versions_and_blobs_agree
from tests.brains import begin
from tests.inprocess import HttpTools
from tests.killing import dies, restart
from tests.world import AgentWithToken

pytestmark = pytest.mark.django_db(transaction=True)

OPERATION = "artifacts.operations.publishing"
CALL = "tests.artifacts.child.call"
BEFORE_THE_COMMIT = (
    "before artifacts.blobs.Incoming.finish",
    "after artifacts.blobs.Incoming.promote",
    f"after {OPERATION}._tell",
)
AFTER_THE_COMMIT = ("before artifacts.blobs.Incoming.discard",)


@pytest.fixture
def restarted(monkeypatch: pytest.MonkeyPatch, settings: pytest.FixtureRequest) -> Callable[[], None]:
    """Start again: what other processes left is from before. The grace is for machines that share a store."""

    def start() -> None:
        monkeypatch.setattr(jobs, "_STARTED", timezone.now())
        monkeypatch.setattr(jobs, "_IDLE_SECONDS", 0)
        settings.HUB_BLOB_GRACE_SECONDS = 0  # type: ignore[attr-defined]
        restart()

    return start


@pytest.mark.parametrize("place", BEFORE_THE_COMMIT + AFTER_THE_COMMIT)
def test_art_02_a_publication_is_whole_or_was_not(
    project: object, ada: AgentWithToken, ada_tools: HttpTools, restarted: Callable[[], None], place: str
) -> None:
    session = begin(ada_tools)
    kept, events = publish(ada_tools, "kept"), Event.objects.count()
    dies(place, CALL, ada.actor, "artifact_publish", **text("x" * 10_000, session=session))
    restarted()
    versions_and_blobs_agree()
    done = place in AFTER_THE_COMMIT
    assert (Artifact.objects.count(), Event.objects.count() - events) == ((2, 1) if done else (1, 0))
    assert ada_tools("artifact_get", artifact=kept)["content"] == "kept"
    publish(ada_tools, "again")
    versions_and_blobs_agree()


def test_art_02_a_version_that_was_not_committed_was_not(
    project: object, ada: AgentWithToken, ada_tools: HttpTools, restarted: Callable[[], None]
) -> None:
    session = begin(ada_tools)
    artifact = publish(ada_tools)
    given = {"artifact": artifact, "content": "two", "base_version": 1, "session": session}
    dies("after artifacts.blobs.Incoming.promote", CALL, ada.actor, "artifact_update", **given)
    restarted()
    versions_and_blobs_agree()
    row = ada_tools("artifact_get", artifact=artifact).done()
    assert (row["content"], row["version"], ArtifactVersion.objects.count()) == ("one", 1, 1)


DELETION = {"after artifacts.blobs.remove_after_commit": False, "before artifacts.storage.BlobStorage.delete": True}


@pytest.mark.parametrize("place", DELETION)
def test_art_02_a_deletion_is_finished_or_did_not_happen(
    project: object, ada: AgentWithToken, ada_tools: HttpTools, restarted: Callable[[], None], place: str
) -> None:
    done = DELETION[place]
    begin(ada_tools)
    artifact = publish(ada_tools)
    ada_tools("artifact_update", artifact=artifact, content="two", base_version=1).done()
    dies(place, CALL, ada.actor, "artifact_delete", artifact=artifact)
    restarted()
    versions_and_blobs_agree()
    assert len(blobs()) == (0 if done else 2)
    assert ada_tools("artifact_get", artifact=artifact).refused is done


def test_art_02_half_an_upload_is_removed_at_the_start(
    project: object, ada: AgentWithToken, restarted: Callable[[], None]
) -> None:
    dies("after artifacts.blobs.Incoming.write", "tests.artifacts.child.half_an_upload", ada.actor, content="eHh4")
    assert len(blobs()) == 1
    restarted()
    assert blobs() == []
