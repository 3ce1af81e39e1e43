"""INB-01, INB-02, INB-03, INB-06: what is read is the human's alone, and moves nothing."""

from typing import TYPE_CHECKING, Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from inbox.models import InboxItem, Status
from inbox.operations import decide, post_answer, post_approval, post_question, post_signal
from projects.models import Project
from tests.inprocess import FACES, HttpTools, HumanApi, Tools, nothing_stored, pass_deadline
from tests.world import AgentWithToken, Person

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def api(human_client: Client) -> HumanApi:
    return HumanApi(human_client)


@pytest.fixture(params=FACES)
def tools(request: pytest.FixtureRequest, ada: AgentWithToken, project: Project) -> Tools:
    return FACES[request.param](ada.token)


@pytest.fixture
def one_of_each(ada: AgentWithToken, human: Person, project: Project) -> dict[str, str]:
    """An item in every status."""
    posted = {
        "unread": post_signal(ada.actor, "atlas", summary="done", kind="finished"),
        "read": post_signal(ada.actor, "atlas", summary="done", kind="finished"),
        "waiting": post_question(ada.actor, "atlas", subject="which?"),
        "action": post_approval(ada.actor, "atlas", subject="may I?"),
        "resolved": post_question(ada.actor, "atlas", subject="when?"),
    }
    items = {status: event["event"] for status, event in posted.items()}
    post_answer(human.actor, "atlas", question=items["resolved"], body="now")
    InboxItem.objects.filter(pk=items["read"]).update(status=Status.READ)
    return items


def statuses() -> dict[str, str]:
    return dict(InboxItem.objects.values_list("pk", "status"))


@pytest.mark.parametrize(("verb", "from_", "to"), [("read", "unread", "read"), ("unread", "read", "unread")])
def test_inb_01_read_verbs_act_on_the_read_axis_only(
    api: HumanApi, one_of_each: dict[str, str], verb: str, from_: str, to: str
) -> None:
    before = statuses()
    answer = api.post(f"/inbox/{verb}", items=list(one_of_each.values())).done()
    assert answer["changed"] == [one_of_each[from_]]
    assert sorted(answer["unchanged"]) == sorted(set(one_of_each.values()) - {one_of_each[from_]})
    assert statuses() == before | {one_of_each[from_]: to}


def test_inb_01_read_all_leaves_the_other_three_unchanged(api: HumanApi, one_of_each: dict[str, str]) -> None:
    before = statuses()
    assert api.post("/inbox/read-all")["changed"] == 1
    assert statuses() == before | {one_of_each["unread"]: "read"}
    assert api.post("/inbox/read-all")["changed"] == 0


def test_inb_01_read_all_leaves_what_came_after_it_was_looked_at(
    api: HumanApi, one_of_each: dict[str, str], ada: AgentWithToken
) -> None:
    later = post_signal(ada.actor, "atlas", summary="late", kind="finished")["event"]
    assert api.post("/inbox/read-all", up_to=one_of_each["resolved"])["changed"] == 1
    assert statuses()[later] == "unread"


def test_inb_01_the_database_knows_no_other_status(one_of_each: dict[str, str]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        InboxItem.objects.filter(pk=one_of_each["unread"]).update(status="done")


def test_inb_01_an_item_that_is_not_there_marks_nothing(api: HumanApi, one_of_each: dict[str, str]) -> None:
    before = statuses()
    for verb in ("read", "unread"):
        with nothing_stored():
            assert api.post(f"/inbox/{verb}", items=[one_of_each["unread"], "0" * 26]).code == "not_found"
            assert api.post(f"/inbox/{verb}", items=["x"]).details["field"] == "items"
            assert api.post(f"/inbox/{verb}", items=["0" * 26] * 501).details["limit"] == 500
    assert statuses() == before


def of_agents(tools: Tools, **asked: Any) -> list[dict[str, Any]]:
    return list(tools("inbox_read", **asked)["items"])


def test_inb_02_agents_see_a_read_item_as_it_was_before(
    tools: Tools, api: HumanApi, one_of_each: dict[str, str]
) -> None:
    before = of_agents(tools)
    api.post("/inbox/read", items=[one_of_each["unread"]]).done()
    assert of_agents(tools) == before
    api.post("/inbox/unread", items=[one_of_each["unread"], one_of_each["read"]]).done()
    assert of_agents(tools) == before
    assert {row["status"] for row in before} == {"unread", "action", "waiting", "resolved"}
    assert not [row for row in before if "read_at" in row]


def test_inb_02_read_is_no_status_agents_can_ask_for(tools: Tools, one_of_each: dict[str, str]) -> None:
    with nothing_stored():
        for status in ("read", "Unread", "", "done"):
            refusal = tools("inbox_read", status=status)
            assert (refusal.code, refusal.details["field"]) == ("invalid_argument", "status")
    both = {one_of_each["unread"], one_of_each["read"]}
    assert {row["id"] for row in of_agents(tools, status="unread")} == both
    for status in ("action", "waiting", "resolved"):
        assert [row["id"] for row in of_agents(tools, status=status)] == [one_of_each[status]]


def test_inb_02_the_human_sees_what_was_read(api: HumanApi, one_of_each: dict[str, str]) -> None:
    api.post("/inbox/read", items=[one_of_each["unread"]]).done()
    shown = {row["id"]: row for row in api.get("/inbox", status=["read"])["items"]}
    assert set(shown) == {one_of_each["unread"], one_of_each["read"]}
    assert shown[one_of_each["unread"]]["read_at"]
    assert api.get("/inbox")["counts"] == {
        "unread": 0,
        "read": 2,
        "action": 1,
        "waiting": 1,
        "resolved": 1,
        "open": 2,
    }


def test_inb_03_reading_never_moves_an_item_nor_shifts_a_page(tools: Tools, api: HumanApi, ada: AgentWithToken) -> None:
    items = [post_signal(ada.actor, "atlas", summary=f"n{n}", kind="finished")["event"] for n in range(9)]
    first = api.get("/inbox", limit=4).done()
    for_agents = tools("inbox_read", limit=4).done()
    api.post("/inbox/read", items=items[2:8:2]).done()
    second = api.get("/inbox", limit=4, cursor=first["next_cursor"]).done()
    api.post("/inbox/unread", items=items[2:8:2]).done()
    third = api.get("/inbox", limit=4, cursor=second["next_cursor"]).done()
    assert [row["id"] for page in (first, second, third) for row in page["items"]] == items[::-1]
    assert (first["truncated"], third["truncated"]) == (True, False)
    assert tools("inbox_read", limit=4, cursor=for_agents["next_cursor"])["items"][0]["id"] == items[4]


def test_inb_03_deciding_does_not_move_an_item_either(
    api: HumanApi, tools: Tools, one_of_each: dict[str, str], human: Person
) -> None:
    order = [row["id"] for row in api.get("/inbox")["items"]]
    assert order == sorted(order, reverse=True)
    decide(human.actor, "atlas", item=one_of_each["action"], approved=True)
    assert [row["id"] for row in api.get("/inbox")["items"]] == order
    assert [row["id"] for row in of_agents(tools)] == order


def test_inb_06_what_makes_an_entry(tools: Tools, api: HumanApi, human: Person) -> None:
    session = tools("session_start", project="atlas", name="one")["session"]
    tools("signal_append", project="atlas", summary="by the way").done()
    assert api.get("/inbox")["items"] == []
    finished = tools("signal_append", project="atlas", summary="done", kind="finished")["event"]
    question = tools("question_post", project="atlas", subject="which?")["event"]
    approval = tools("approval_post", project="atlas", subject="may I?")["event"]
    tools("answer_post", question=question, body="myself").done()
    tools("session_end", session=session).done()
    shown = {row["id"]: (row["kind"], row["status"]) for row in api.get("/inbox")["items"]}
    assert shown == {
        finished: ("finished", "unread"),
        question: ("question", "resolved"),
        approval: ("approval", "action"),
    }


def test_inb_06_an_entry_tells_what_its_event_tells(tools: Tools, api: HumanApi, ada: AgentWithToken) -> None:
    session = tools("session_start", project="atlas", name="one")["session"]
    event = tools("question_post", project="atlas", subject="which?", body="long", deadline_s=600)["event"]
    (row,) = of_agents(tools)
    assert (row["id"], row["event"], row["project"], row["project_name"]) == (event, event, "atlas", "Atlas")
    assert (row["actor"], row["session"], row["subject"]) == ("ada", session, "which?")
    assert (row["outcome"], row["resolved_by"], row["resolved_at"]) == (None, None, None)
    assert row["deadline_at"] > row["created_at"]
    shown = api.get(f"/inbox/{event}").done()
    assert shown["payload"]["body"] == "long"
    assert [entry["id"] for entry in shown["thread"]] == [event]


def test_inb_02_only_staff_set_the_read_axis(one_of_each: dict[str, str], ada: AgentWithToken) -> None:
    client = Client()
    for verb in ("read", "unread", "read-all"):
        for headers in ({}, {"Authorization": f"Bearer {ada.token}"}):
            with nothing_stored():
                response = client.post(f"/human/api/v1/inbox/{verb}", {}, "application/json", headers=headers)
            assert response.status_code in {401, 403}


def test_inb_05_an_item_that_is_due_shows_as_resolved_wherever_it_is_read(
    tools: Tools, api: HumanApi, ada: AgentWithToken
) -> None:
    items = [post_question(ada.actor, "atlas", subject=f"{n}?", deadline_s=60)["event"] for n in range(3)]
    reads: tuple[Callable[[], Any], ...] = (
        lambda: of_agents(tools)[0],
        lambda: api.get("/inbox")["items"][1],
        lambda: api.get(f"/inbox/{items[0]}").done(),
    )
    for item, look in zip(items[::-1], reads, strict=True):
        pass_deadline(item)
        row: Any = look()
        assert (row["id"], row["status"], row["outcome"], row["resolved_by"]) == (item, "resolved", "expired", "hub")


def test_inb_06_a_report_waits_for_no_answer(tools: Tools, ada: AgentWithToken) -> None:
    event = post_signal(ada.actor, "atlas", summary="done", kind="finished")["event"]
    assert tools("answer_wait", question=event, timeout_s=5).details["field"] == "question"
    assert HttpTools(ada.token)("answer_post", question=event, body="x").details["field"] == "question"
