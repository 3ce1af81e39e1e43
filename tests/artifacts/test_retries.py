"""AGT-02: a retry publishes nothing twice, whichever way it comes, also after the session of the first has ended."""

import pytest

from tests.artifacts.showing import ENVELOPE, Uploader, blobs, publish, text
from tests.brains import begin
from tests.inprocess import HttpTools, HumanApi, nothing_stored
from tests.world import AgentWithToken

FORM = {"title": "Report", "kind": "text"}


@pytest.fixture
def session(project: object, ada_tools: HttpTools) -> str:
    return begin(ada_tools)


@pytest.fixture
def uploader(session: str, ada: AgentWithToken) -> Uploader:
    return Uploader(ada.token)


def test_agt_02_a_call_and_an_upload_of_the_same_are_one(ada_tools: HttpTools, uploader: Uploader) -> None:
    first = ada_tools("artifact_publish", **text(idempotency_key="k")).done()
    with nothing_stored():
        for _ in range(2):
            assert uploader.publish(**FORM, idempotency_key="k", content=b"one").done() == first
    second = uploader.update(first["artifact"], base_version=1, content=b"two", idempotency_key="u").done()
    given = {"artifact": first["artifact"], "base_version": 1, "content": "two", "idempotency_key": "u"}
    with nothing_stored():
        assert ada_tools("artifact_update", **given).done() == second
    assert len(blobs()) == 2


@pytest.mark.parametrize(
    "other",
    [
        {"content": b"two"},
        {"title": "Other"},
        {"kind": "markdown"},
        {"label": "draft"},
        {"description": "x"},
        {"kind": "code", "language": "python"},
        {"content": b"x" * 40, "envelope": ENVELOPE},
    ],
)
def test_agt_02_another_upload_under_the_key_is_a_conflict(uploader: Uploader, other: dict[str, object]) -> None:
    given = {**FORM, "idempotency_key": "k", "content": b"one"}
    uploader.publish(**given).done()
    with nothing_stored():
        refusal = uploader.publish(**given | other)
    assert (refusal.code, refusal.details["field"]) == ("conflict", "idempotency_key")


def test_agt_02_a_retry_after_the_session_has_ended_is_answered(
    ada_tools: HttpTools, uploader: Uploader, session: str
) -> None:
    given = {**FORM, "idempotency_key": "k", "content": b"one"}
    first = uploader.publish(**given).done()
    artifact = publish(ada_tools, "more")
    ada_tools("session_end", session=session).done()
    with nothing_stored():
        assert uploader.publish(**given).done() == first
        assert ada_tools("artifact_publish", **text(idempotency_key="k")).done() == first
        assert ada_tools("artifact_publish", **text(idempotency_key="k", session=session)).done() == first
        assert uploader.publish(**given | {"content": b"two"}).code == "conflict"
        assert uploader.publish(**given | {"idempotency_key": "new"}).code == "no_active_session"
        assert uploader.update(artifact, base_version=1, content=b"x").code == "no_active_session"


def test_agt_02_a_refused_upload_does_not_use_the_key_up(uploader: Uploader) -> None:
    given = {**FORM, "idempotency_key": "k", "content": b"\xff"}
    assert uploader.publish(**given).code == "invalid_argument"
    assert uploader.publish(**given | {"content": b"one"}).done()


def test_agt_02_a_deletion_is_answered_again_and_no_other_is(ada_tools: HttpTools, uploader: Uploader) -> None:
    artifact = publish(ada_tools)
    first = ada_tools("artifact_delete", artifact=artifact, idempotency_key="k").done()
    with nothing_stored():
        assert ada_tools("artifact_delete", artifact=artifact, idempotency_key="k").done() == first
        assert ada_tools("artifact_delete", artifact=artifact).code == "not_found"
        assert ada_tools("artifact_delete", artifact=artifact, idempotency_key="other").code == "not_found"


def test_agt_02_a_persons_comment_takes_a_key_too(
    ada_tools: HttpTools, uploader: Uploader, human_api: HumanApi
) -> None:
    artifact = publish(ada_tools)
    at = f"/artifacts/{artifact}/comments"
    first = human_api.post(at, body="x", idempotency_key="k").done()
    with nothing_stored():
        assert human_api.post(at, body="x", idempotency_key="k").done() == first
        assert human_api.post(at, body="y", idempotency_key="k").code == "conflict"
