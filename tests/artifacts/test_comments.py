"""INB-07: comments thread on an artifact and its versions, and reach its publisher once; agents' reach the human."""

import pytest

from core import live
from tests.artifacts.showing import publish, sealed, text
from tests.brains import begin
from tests.inprocess import FACES, HttpTools, HumanApi, Json, Tools, nothing_stored
from tests.racing import together
from tests.world import AgentWithToken

TEXT = "one\ntwo\nthree \u00e9\n"


@pytest.fixture
def artifact(project: object, ada_tools: HttpTools, ben_tools: HttpTools) -> str:
    """An artifact of Ada's, with two versions; Ben is at work too."""
    begin(ada_tools)
    begin(ben_tools, "bens")
    artifact = publish(ada_tools, "one\n")
    ada_tools("artifact_update", artifact=artifact, content=TEXT, base_version=1).done()
    return artifact


def comment(tools: Tools, artifact: str, body: str = "Look.", **more: object) -> str:
    made: str = tools("comment_post", artifact=artifact, body=body, **more)["comment"]
    return made


def by_human(human_api: HumanApi, artifact: str, body: str = "Look.", **more: object) -> str:
    made: str = human_api.post(f"/artifacts/{artifact}/comments", body=body, **more)["comment"]
    return made


def pending(tools: Tools) -> list[str]:
    """Answer the comments a call of no other use tells of."""
    news = tools("whoami").done().get("notifications", {"pending": []})["pending"]
    return [row["id"] for row in news if row["kind"] == "comment"]


def open_in_brief(tools: Tools) -> list[Json]:
    rows: list[Json] = tools("session_brief", project="atlas")["comments"]["rows"]
    return rows


@pytest.mark.parametrize("face", FACES)
def test_inb_07_a_comment_reaches_its_publisher_once_and_nobody_else(
    artifact: str, ada: AgentWithToken, ben_tools: HttpTools, human_api: HumanApi, face: str
) -> None:
    tools = FACES[face](ada.token)
    made = by_human(human_api, artifact, version=1, anchor={"line": 1})
    assert pending(ben_tools) == []
    told = tools("whoami").done()["notifications"]["pending"]
    assert [{name: row[name] for name in ("kind", "id", "project", "title", "artifact")} for row in told] == [
        {"kind": "comment", "id": made, "project": "atlas", "title": "Report", "artifact": artifact}
    ]
    assert (pending(tools), pending(ben_tools)) == ([], [])
    # The brief tells of it as long as it is open.
    for _ in range(2):
        (row,) = open_in_brief(tools)
        assert (row["id"], row["artifact"], row["title"]) == (made, artifact, "Report")
        assert (row["version"], row["anchor"], row["actor"], row["body"]) == (
            1,
            {"line": 1, "end_line": 1},
            "human:kim",
            "Look.",
        )
    assert open_in_brief(ben_tools) == []
    tools("comment_resolve", comment=made).done()
    assert open_in_brief(tools) == []


def test_inb_07_own_comments_and_resolved_ones_are_not_told(
    artifact: str, ada_tools: HttpTools, ben_tools: HttpTools, human_api: HumanApi
) -> None:
    comment(ada_tools, artifact)
    settled = comment(ben_tools, artifact)
    ben_tools("comment_resolve", comment=settled).done()
    deleted = comment(ben_tools, artifact)
    ben_tools("comment_delete", comment=deleted).done()
    assert (pending(ada_tools), open_in_brief(ada_tools)) == ([], [])
    # Reopened before it was told, it is told after all; told, it is not told again.
    human_api.call("DELETE", f"/comments/{settled}/resolution").done()
    assert (pending(ada_tools), [row["id"] for row in open_in_brief(ada_tools)]) == ([settled], [settled])
    ada_tools("comment_resolve", comment=settled).done()
    ada_tools("comment_resolve", comment=settled, reopen=True).done()
    assert pending(ada_tools) == []


def test_inb_07_who_updated_an_artifact_is_not_told_its_publisher_is(
    artifact: str, ada_tools: HttpTools, ben_tools: HttpTools, cleo_tools: HttpTools
) -> None:
    ben_tools("artifact_update", artifact=artifact, content="three", base_version=2).done()
    made = comment(cleo_tools, artifact, version=3)
    assert (pending(ben_tools), pending(ada_tools)) == ([], [made])


def test_inb_07_many_are_told_in_order_over_a_few_calls(
    artifact: str, ada_tools: HttpTools, human_api: HumanApi
) -> None:
    made = [by_human(human_api, artifact, f"{number}") for number in range(13)]
    assert [pending(ada_tools) for _ in range(3)] == [made[:10], made[10:], []]
    brief = ada_tools("session_brief", project="atlas")["comments"]
    assert ([row["id"] for row in brief["rows"]], brief["more"]) == (made[:-6:-1], True)


def test_idn_03_nothing_is_told_of_a_project_that_is_hidden_by_now(
    artifact: str, ada_tools: HttpTools, human_api: HumanApi
) -> None:
    made = by_human(human_api, artifact)
    human_api.patch("/projects/atlas", restricted=True).done()
    assert pending(ada_tools) == []
    human_api.patch("/projects/atlas", restricted=False).done()
    assert pending(ada_tools) == [made]


@pytest.mark.django_db(transaction=True)
def test_inb_07_of_calls_at_once_one_tells_it(project: object, ada: AgentWithToken, human_api: HumanApi) -> None:
    tools = HttpTools(ada.token)
    begin(tools)
    artifact = publish(tools)
    made = [by_human(human_api, artifact) for _ in range(6)]
    told = [row for rows in together([lambda: pending(HttpTools(ada.token))] * 4) for row in rows]
    told += pending(tools)  # a store too busy for the note leaves it for the next call
    assert sorted(told) == sorted(made)


def inbox(human_api: HumanApi) -> list[tuple[str, str]]:
    return [(row["id"], row["status"]) for row in human_api.get("/inbox").done()["items"]]


def test_inb_06_an_agents_comment_is_an_unread_entry_and_a_persons_is_none(
    artifact: str, ben_tools: HttpTools, human_api: HumanApi
) -> None:
    before = inbox(human_api)
    made = comment(ben_tools, artifact)
    assert inbox(human_api) == [(made, "unread"), *before]
    by_human(human_api, artifact)
    assert inbox(human_api) == [(made, "unread"), *before]
    (event,) = ben_tools("feed_read", project="atlas", agent="human:kim")["events"]
    assert (event["kind"], event["thread"], event["payload"]["action"]) == ("artifact", artifact, "comment")


def test_gov_08_what_a_comment_says_is_in_no_event(artifact: str, ben_tools: HttpTools) -> None:
    comment(ben_tools, artifact, "a secret remark")
    assert "secret" not in str(ben_tools("feed_read", project="atlas", limit=50).done())


def test_inb_07_versions_and_anchors_are_kept_as_they_were_given(
    artifact: str, ada_tools: HttpTools, ben_tools: HttpTools
) -> None:
    cases: list[tuple[Json, int | None, Json | None]] = [
        ({}, None, None),
        ({"version": 1}, 1, None),
        ({"anchor": {"quote": "three \u00e9"}}, 2, {"quote": "three \u00e9"}),
        ({"anchor": {"quote": "three e\u0301"}}, 2, {"quote": "three \u00e9"}),
        ({"anchor": {"line": 3}}, 2, {"line": 3, "end_line": 3}),
        ({"anchor": {"line": 1, "end_line": 3}}, 2, {"line": 1, "end_line": 3}),
        ({"version": 1, "anchor": {"line": 1}}, 1, {"line": 1, "end_line": 1}),
    ]
    for given, _, _ in cases:
        comment(ben_tools, artifact, **given)
    # A later version moves nothing.
    ada_tools("artifact_update", artifact=artifact, content="gone", base_version=2).done()
    rows = ben_tools("comment_list", artifact=artifact)["comments"]
    assert [(row["version"], row["anchor"]) for row in rows] == [(version, anchor) for _, version, anchor in cases]


def test_art_03_a_protected_artifact_is_commented_on_as_a_whole(
    artifact: str, ada_tools: HttpTools, ben_tools: HttpTools
) -> None:
    secret = ada_tools("artifact_publish", **sealed())["artifact"]
    assert comment(ben_tools, secret, version=1)
    # Whether a version is protected is its own matter.
    ada_tools("artifact_update", artifact=secret, content="open", base_version=1).done()
    assert comment(ben_tools, secret, anchor={"quote": "open"})
    with nothing_stored():
        assert ben_tools("comment_post", artifact=secret, body="x", version=1, anchor={"line": 1}).refused


def test_inb_07_resolving_is_idempotent_and_keeps_who_was_first(
    artifact: str, ada_tools: HttpTools, ben_tools: HttpTools, human_api: HumanApi
) -> None:
    made = comment(ben_tools, artifact)
    ada_tools("comment_resolve", comment=made).done()
    human_api.post(f"/comments/{made}/resolution").done()
    (row,) = ada_tools("comment_list", artifact=artifact)["comments"]
    assert (row["resolved"], row["resolved_by"], bool(row["resolved_at"])) == (True, "ada", True)
    for status, expected in (("open", []), ("resolved", [made])):
        assert [row["id"] for row in ada_tools("comment_list", project="atlas", status=status)["comments"]] == expected
    assert ada_tools("artifact_get", artifact=artifact)["open_comments"] == 0
    for _ in range(2):
        ada_tools("comment_resolve", comment=made, reopen=True).done()
    (row,) = ada_tools("comment_list", artifact=artifact)["comments"]
    assert (row["resolved"], row["resolved_by"], row["resolved_at"]) == (False, None, None)
    assert ada_tools("artifact_list", project="atlas")["artifacts"][0]["open_comments"] == 1


def test_inb_07_a_deleted_comment_is_gone_with_its_text(
    artifact: str, ada_tools: HttpTools, ben_tools: HttpTools, human_api: HumanApi
) -> None:
    made, other = comment(ben_tools, artifact), comment(ben_tools, artifact)
    assert ada_tools("comment_delete", comment=made).code == "forbidden"
    ben_tools("comment_delete", comment=made).done()
    human_api.call("DELETE", f"/comments/{other}").done()
    assert ada_tools("comment_list", artifact=artifact)["comments"] == []
    for call in ("comment_resolve", "comment_delete"):
        assert ben_tools(call, comment=made).code == "not_found"


def test_inb_07_comments_page_oldest_first(artifact: str, ben_tools: HttpTools) -> None:
    made = [comment(ben_tools, artifact, str(number)) for number in range(5)]
    for where in ({"artifact": artifact}, {"project": "atlas"}):
        found: list[str] = []
        cursor: str | None = None
        for _ in range(3):
            page = ben_tools("comment_list", limit=2, **where, **({"cursor": cursor} if cursor else {})).done()
            found += [row["id"] for row in page["comments"]]
            cursor = page["next_cursor"]
        assert (found, cursor) == (made, None)


@pytest.mark.django_db(transaction=True)
def test_inb_07_whoever_shows_the_artifact_hears_of_every_change(
    project: object, ada_tools: HttpTools, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(ada_tools)
    artifact = publish(ada_tools)
    notes: list[Json] = []
    monkeypatch.setattr(live, "_relays", [notes.append])

    def heard(call: str, **given: object) -> list[Json]:
        notes.clear()
        made = ada_tools(call, **given).done()
        about = [note for note in notes if note["group"] == f"thread:{artifact}"]
        assert [note.get("event", made.get("event")) for note in about] == [made.get("event")], call
        return about

    heard("comment_post", artifact=artifact, body="x")
    (row,) = ada_tools("comment_list", artifact=artifact)["comments"]
    for reopen in (False, True):
        assert heard("comment_resolve", comment=row["id"], reopen=reopen)[0]["artifact"] == artifact
    assert heard("comment_delete", comment=row["id"])[0]["artifact"] == artifact
    heard("artifact_update", artifact=artifact, content="two", base_version=1)
    heard("artifact_delete", artifact=artifact)


def test_inb_07_a_comment_on_what_is_deleted_goes_with_it(
    artifact: str, ada_tools: HttpTools, ben_tools: HttpTools
) -> None:
    made = comment(ben_tools, artifact)
    ada_tools("artifact_delete", artifact=artifact).done()
    assert ada_tools("comment_list", project="atlas")["comments"] == []
    assert pending(ada_tools) == []
    for call, given in (("comment_post", {"artifact": artifact, "body": "x"}), ("comment_resolve", {"comment": made})):
        assert ben_tools(call, **given).code == "not_found", call
    assert ada_tools("artifact_publish", **text()).done()
