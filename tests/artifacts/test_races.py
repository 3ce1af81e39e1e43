"""ART-01, AGT-02: many at once. Of those who changed one version exactly one is first; one key publishes once."""

import pytest

from artifacts.models import ArtifactVersion
from tests.artifacts.showing import Uploader, publish, text, versions_and_blobs_agree
from tests.brains import begin
from tests.inprocess import HttpTools, Outcome
from tests.racing import together
from tests.world import AgentWithToken

pytestmark = pytest.mark.django_db(transaction=True)
THREADS = 16


@pytest.fixture
def tools(project: object, ada_tools: HttpTools) -> HttpTools:
    begin(ada_tools)
    return ada_tools


def test_art_01_of_sixteen_who_changed_one_version_exactly_one_is_first(tools: HttpTools, ada: AgentWithToken) -> None:
    artifact = publish(tools)

    def change(number: int, base: int) -> Outcome:
        given = {"artifact": artifact, "content": f"{number} on {base}", "base_version": base}
        return HttpTools(ada.token)("artifact_update", **given)

    for base in range(1, 4):
        made = together([lambda number=number, base=base: change(number, base) for number in range(THREADS)])  # type: ignore[misc]
        won = [number for number, outcome in enumerate(made) if not outcome.refused]
        assert len(won) == 1
        lost = [outcome for outcome in made if outcome.refused]
        assert {(outcome.code, outcome.details["current"]) for outcome in lost} == {("version_mismatch", base + 1)}
        assert tools("artifact_get", artifact=artifact)["content"] == f"{won[0]} on {base}"
    assert ArtifactVersion.objects.count() == 4
    versions_and_blobs_agree()


def test_art_01_forced_versions_are_numbered_without_gaps(tools: HttpTools, ada: AgentWithToken) -> None:
    artifact = publish(tools)
    given = {"artifact": artifact, "force": True}
    made = together(
        [
            lambda number=number: HttpTools(ada.token)("artifact_update", content=f"{number}", **given)  # type: ignore[misc]
            for number in range(8)
        ]
    )
    assert sorted(outcome["version"] for outcome in made) == list(range(2, 10))
    for number, outcome in enumerate(made):
        shown = tools("artifact_get", artifact=artifact, version=outcome["version"])
        assert shown["content"] == f"{number}"
    versions_and_blobs_agree()


def test_agt_02_calls_and_uploads_at_once_under_one_key_publish_once(tools: HttpTools, ada: AgentWithToken) -> None:
    session = tools("session_list", project="atlas")["sessions"][0]["id"]

    def called() -> Outcome:
        return HttpTools(ada.token)("artifact_publish", **text(session=session, idempotency_key="k"))

    def uploaded() -> Outcome:
        form = {"title": "Report", "kind": "text", "content": b"one", "session": session, "idempotency_key": "k"}
        return Uploader(ada.token).publish(**form)

    made = together([called, uploaded] * 4)
    assert len({outcome["artifact"] for outcome in made}) == 1
    versions_and_blobs_agree()
    assert ArtifactVersion.objects.count() == 1


def test_art_02_a_deletion_among_updates_leaves_nothing(tools: HttpTools, ada: AgentWithToken) -> None:
    artifact = publish(tools)

    def update() -> Outcome:
        return HttpTools(ada.token)("artifact_update", artifact=artifact, content="x", force=True)

    def delete() -> Outcome:
        return HttpTools(ada.token)("artifact_delete", artifact=artifact)

    *updated, deleted = together([*[update] * 6, delete])
    assert not deleted.refused
    assert {outcome.code for outcome in updated if outcome.refused} <= {"not_found"}
    assert ArtifactVersion.objects.count() == 0
    versions_and_blobs_agree()
