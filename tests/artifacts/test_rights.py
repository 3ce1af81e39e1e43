"""IDN-03, IDN-04: who may publish, read, comment and delete; what is hidden answers as what is not there."""

import pytest

from tests.artifacts.showing import publish, text, versions_and_blobs_agree
from tests.brains import begin
from tests.inprocess import FACES, HttpTools, HumanApi, Json, Tools, nothing_stored
from tests.world import AgentWithToken, make_agent

NOWHERE = "01J00000000000000000000000"


@pytest.fixture
def shown(project: object, ada_tools: HttpTools) -> tuple[str, str]:
    """An artifact of Ada's with a comment of hers; answers both ids."""
    begin(ada_tools)
    artifact = publish(ada_tools)
    return artifact, ada_tools("comment_post", artifact=artifact, body="Look.")["comment"]


def reads(artifact: str) -> list[tuple[str, Json]]:
    return [
        ("artifact_get", {"artifact": artifact}),
        ("artifact_versions", {"artifact": artifact}),
        ("comment_list", {"artifact": artifact}),
        ("artifact_list", {"project": "atlas"}),
        ("comment_list", {"project": "atlas"}),
    ]


def writes(artifact: str, comment: str, project: str = "atlas") -> list[tuple[str, Json]]:
    return [
        ("artifact_publish", text(project=project)),
        ("artifact_update", {"artifact": artifact, "content": "two", "base_version": 1}),
        ("artifact_delete", {"artifact": artifact}),
        ("comment_post", {"artifact": artifact, "body": "x"}),
        ("comment_resolve", {"comment": comment}),
        ("comment_resolve", {"comment": comment, "reopen": True}),
        ("comment_delete", {"comment": comment}),
    ]


@pytest.mark.parametrize("face", FACES)
def test_idn_03_a_stranger_finds_nothing_and_is_told_nothing(
    shown: tuple[str, str], stranger: AgentWithToken, face: str
) -> None:
    tools: Tools = FACES[face](stranger.token)
    with nothing_stored():
        for hidden, absent in zip(reads(shown[0])[:3], reads(NOWHERE)[:3], strict=True):
            assert tools(hidden[0], **hidden[1]).body == tools(absent[0], **absent[1]).body
        for (call, given), (_, other) in zip(writes(*shown), writes(NOWHERE, NOWHERE, "nowhere"), strict=True):
            answer = tools(call, **given)
            assert (answer.code, answer.body) == ("not_found", tools(call, **other).body), call
        for call in ("artifact_list", "comment_list"):
            assert tools(call, project="atlas").body == tools(call, project="nowhere").body
        assert tools("artifact_list")["artifacts"] == []


@pytest.mark.parametrize("face", FACES)
def test_idn_03_who_may_only_read_reads_all_and_changes_nothing(shown: tuple[str, str], face: str) -> None:
    tools: Tools = FACES[face](make_agent("reader", trusted=False, atlas="read").token)
    with nothing_stored():
        for call, given in reads(shown[0]):
            assert tools(call, **given).done(), call
        for call, given in writes(*shown):
            assert tools(call, **given).code in {"forbidden", "no_active_session"}, call


def test_idn_03_a_restricted_project_is_hidden_from_trusted_agents_too(
    shown: tuple[str, str], ben_tools: HttpTools, human_api: HumanApi
) -> None:
    assert ben_tools("artifact_get", artifact=shown[0]).done()
    human_api.patch("/projects/atlas", restricted=True).done()
    with nothing_stored():
        for call, given in [*reads(shown[0]), *writes(*shown)]:
            assert ben_tools(call, **given).code == "not_found", call
        assert ben_tools("artifact_list")["artifacts"] == []


def test_art_01_only_its_publisher_or_a_person_deletes_an_artifact(
    shown: tuple[str, str], ada_tools: HttpTools, ben_tools: HttpTools, human_api: HumanApi
) -> None:
    artifact, comment = shown
    begin(ben_tools)
    # Ben may change it, which makes it no more his.
    ben_tools("artifact_update", artifact=artifact, content="two", base_version=1).done()
    with nothing_stored():
        assert ben_tools("artifact_delete", artifact=artifact).code == "forbidden"
        assert ben_tools("comment_delete", comment=comment).code == "forbidden"
    row = ada_tools("artifact_get", artifact=artifact).done()
    assert (row["actor"], row["version"]) == ("ada", 2)
    assert [row["actor"] for row in ada_tools("artifact_versions", artifact=artifact)["versions"]] == ["ben", "ada"]
    assert ada_tools("artifact_delete", artifact=artifact).done()
    other = publish(ben_tools)
    assert human_api.delete(f"/artifacts/{other}").done()
    assert ada_tools("artifact_list", project="atlas")["artifacts"] == []


def test_art_01_session_and_actor_are_those_of_publishing(
    shown: tuple[str, str], ada_tools: HttpTools, ben_tools: HttpTools
) -> None:
    session, kept = begin(ben_tools, "bens"), ("actor", "session", "created_at", "kind", "project")
    before = ada_tools("artifact_get", artifact=shown[0]).done()
    ben_tools("artifact_update", artifact=shown[0], content="two", base_version=1, title="Mine").done()
    row = ada_tools("artifact_list", project="atlas")["artifacts"][0]
    for after in (ada_tools("artifact_get", artifact=shown[0]).done(), row):
        assert [after[name] for name in kept] == [before[name] for name in kept]
        assert (after["version"], after["title"]) == (2, "Mine")
    versions = ada_tools("artifact_versions", artifact=shown[0])["versions"]
    assert [(row["actor"], row["session"]) for row in versions] == [("ben", session), ("ada", before["session"])]


def test_idn_04_a_personal_space_is_read_by_trusted_agents_and_written_by_its_own(
    project: object, ada_tools: HttpTools, ben_tools: HttpTools, stranger: AgentWithToken, human_api: HumanApi
) -> None:
    begin(ada_tools, "own", "~ada")
    begin(ben_tools, "own", "~ben")
    artifact = publish(ada_tools, project="~ada")
    assert ben_tools("artifact_get", artifact=artifact)["content"] == "one"
    assert HttpTools(stranger.token)("artifact_get", artifact=artifact).code == "not_found"
    with nothing_stored():
        assert ben_tools("comment_post", artifact=artifact, body="x").code == "forbidden"
        assert ben_tools("artifact_delete", artifact=artifact).code == "forbidden"
        for session in (None, ben_tools("session_list", project="~ben")["sessions"][0]["id"]):
            named = {} if session is None else {"session": session}
            assert ben_tools("artifact_update", artifact=artifact, content="x", force=True, **named).refused
            assert ben_tools("artifact_publish", **text(project="~ada", **named)).refused
    assert human_api.post(f"/artifacts/{artifact}/comments", body="Good.").done()
    assert human_api.delete(f"/artifacts/{artifact}").done()


def test_ses_08_artifacts_outlive_the_session_that_made_them(
    shown: tuple[str, str], ada_tools: HttpTools, human_api: HumanApi
) -> None:
    session = ada_tools("artifact_list", project="atlas")["artifacts"][0]["session"]
    ada_tools("session_end", session=session).done()
    human_api.post(f"/sessions/{session}/prune").done()
    row = ada_tools("artifact_get", artifact=shown[0]).done()
    assert (row["content"], ada_tools("artifact_list", session=session)["artifacts"][0]["id"]) == ("one", shown[0])
    versions_and_blobs_agree()
