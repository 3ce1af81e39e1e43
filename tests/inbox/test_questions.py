"""INB-04, INB-05: questions, approvals, their answers, and deadlines."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from core import limits
from inbox.jobs import expire_due
from inbox.models import InboxItem
from inbox.operations import post_approval, post_question
from projects.models import Event, Project
from tests.inprocess import FACES, HttpTools, HumanApi, Tools, nothing_stored, pass_deadline
from tests.world import AgentWithToken, make_agent, make_project


@pytest.fixture
def api(human_client: Client) -> HumanApi:
    return HumanApi(human_client)


@pytest.fixture(params=FACES)
def tools(request: pytest.FixtureRequest, ada: AgentWithToken, project: Project) -> Tools:
    face = FACES[request.param](ada.token)
    face("session_start", project="atlas", name="one").done()
    return face


def answer_of(tools: Tools, question: str) -> dict[str, Any]:
    return tools("answer_wait", question=question, timeout_s=0).done()


def test_inb_04_a_question_carries_what_the_human_needs(tools: Tools, api: HumanApi) -> None:
    event = tools("question_post", project="atlas", subject="Which?", body="# Why", context="here", options=["a", "b"])[
        "event"
    ]
    shown = api.get(f"/inbox/{event}").done()
    assert shown["payload"] == {"body": "# Why", "context": "here", "options": ["a", "b"]}
    assert Event.objects.get(pk=event).thread == event


def test_inb_04_the_answer_is_an_event_on_the_thread_and_the_agent_reads_it(tools: Tools, api: HumanApi) -> None:
    question = tools("question_post", project="atlas", subject="Which?", options=["a", "b"])["event"]
    assert answer_of(tools, question)["status"] == "pending"
    answer = api.post(f"/inbox/{question}/answer", body="Take b.\nIt is safer.")["event"]
    state = answer_of(tools, question)
    assert (state["status"], state["project"], state["question"]) == ("answered", "atlas", question)
    assert (state["answer"]["id"], state["answer"]["thread"]) == (answer, question)
    assert state["answer"]["payload"] == {"body": "Take b.\nIt is safer."}
    assert (state["answer"]["summary"], state["answer"]["actor"]) == ("Take b.", "human:kim")
    thread = api.get(f"/inbox/{question}")["thread"]
    assert [event["id"] for event in thread] == [question, answer]
    row = tools("inbox_read", status="resolved")["items"][0]
    assert (row["outcome"], row["resolved_by"], row["subject"]) == ("answered", "human:kim", "Which?")


def test_inb_04_agents_answer_each_other_and_the_first_answer_resolves(
    tools: Tools, api: HumanApi, ben: AgentWithToken
) -> None:
    question = tools("question_post", project="atlas", subject="Which?")["event"]
    HttpTools(ben.token)("answer_post", question=question, body="mine").done()
    with nothing_stored():
        assert tools("answer_post", question=question, body="late").code == "conflict"
        refusal = api.post(f"/inbox/{question}/answer", body="later")
    assert (refusal.code, refusal.details["outcome"], refusal.details["resolved_by"]) == ("conflict", "answered", "ben")
    assert answer_of(tools, question)["answer"]["actor"] == "ben"


@pytest.mark.parametrize(("approved", "outcome"), [(True, "approved"), (False, "declined")])
def test_inb_04_a_decision_carries_its_note(tools: Tools, api: HumanApi, *, approved: bool, outcome: str) -> None:
    item = tools("approval_post", project="atlas", subject="May I?", proposal={"n": 1})["event"]
    api.post(f"/inbox/{item}/decision", approved=approved, note="because").done()
    state = answer_of(tools, item)
    assert state["status"] == outcome
    assert state["answer"]["payload"] == {"approved": approved, "note": "because"}
    assert state["answer"]["summary"] == "because"


@pytest.mark.parametrize(
    ("asked", "given", "edited"),
    [
        ({"n": 1, "m": [1, 2]}, {"n": 2, "m": [1, 2]}, True),
        ({"n": 1, "m": [1, 2]}, {"m": [1, 2], "n": 1}, False),
        ({"dry_run": 1}, {"dry_run": True}, True),
        ({"dry_run": False}, {"dry_run": 0}, True),
        ([1, 2], [2, 1], True),
        ("text", "text", False),
        ({"n": 1}, None, True),
        (False, 0, True),
    ],
)
def test_inb_04_an_edited_proposal_comes_back_only_when_it_differs(
    tools: Tools, api: HumanApi, asked: object, given: object, *, edited: bool
) -> None:
    item = tools("approval_post", project="atlas", subject="May I?", proposal=asked)["event"]
    api.post(f"/inbox/{item}/decision", approved=True, proposal=given).done()
    payload = answer_of(tools, item)["answer"]["payload"]
    assert ("proposal" in payload) is edited
    if edited:
        assert payload["proposal"] == given
        assert type(payload["proposal"]) is type(given)
    assert Event.objects.get(pk=item).payload["proposal"] == asked  # what was asked stays


def test_inb_04_a_proposal_that_was_not_made_cannot_be_edited(tools: Tools, api: HumanApi) -> None:
    item = tools("approval_post", project="atlas", subject="May I?")["event"]
    with nothing_stored():
        assert api.post(f"/inbox/{item}/decision", approved=True, proposal={"x": 1}).details["field"] == "proposal"
    api.post(f"/inbox/{item}/decision", approved=True, proposal=None).done()
    assert "proposal" not in answer_of(tools, item)["answer"]["payload"]


def test_inb_04_a_question_is_answered_and_an_approval_decided(tools: Tools, api: HumanApi) -> None:
    question = tools("question_post", project="atlas", subject="Which?")["event"]
    approval = tools("approval_post", project="atlas", subject="May I?")["event"]
    with nothing_stored():
        assert tools("answer_post", question=approval, body="yes").details["field"] == "question"
        assert api.post(f"/inbox/{approval}/answer", body="yes").details["field"] == "question"
        assert api.post(f"/inbox/{question}/decision", approved=True).details["field"] == "item"
        assert api.post(f"/inbox/{'0' * 26}/decision", approved=True).code == "not_found"
    assert {row["status"] for row in tools("inbox_read")["items"]} == {"waiting", "action"}


def test_inb_04_an_agent_never_decides(tools: Tools, ada: AgentWithToken) -> None:
    item = tools("approval_post", project="atlas", subject="May I?")["event"]
    response = Client().post(
        f"/human/api/v1/inbox/{item}/decision",
        {"approved": True},
        "application/json",
        headers={"Authorization": f"Bearer {ada.token}"},
    )
    assert response.status_code in {401, 403}
    assert answer_of(tools, item)["status"] == "pending"


def test_inb_04_who_only_reads_a_project_cannot_ask_nor_answer_there(tools: Tools) -> None:
    question = tools("question_post", project="atlas", subject="Which?")["event"]
    reader = HttpTools(make_agent("reader", trusted=False, atlas="read").token)
    with nothing_stored():
        assert reader("answer_post", question=question, body="x").code == "forbidden"
        assert reader("session_start", project="atlas", name="x").code == "forbidden"
    assert reader("answer_wait", question=question, timeout_s=0)["status"] == "pending"


@pytest.mark.parametrize(
    ("on_expiry", "payload"), [("decline", {"expired": True, "approved": False}), ("expire", {"expired": True})]
)
def test_inb_05_an_approval_expires_as_it_was_told(tools: Tools, on_expiry: str, payload: dict[str, Any]) -> None:
    item = tools("approval_post", project="atlas", subject="May I?", deadline_s=60, on_expiry=on_expiry)["event"]
    pass_deadline(item)
    state = answer_of(tools, item)
    assert state["status"] == "expired"
    assert state["answer"]["payload"] == payload
    assert state["answer"]["actor"] == "hub"


def test_inb_05_a_deadline_resolves_an_open_question_in_one_transaction(
    tools: Tools, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = tools("question_post", project="atlas", subject="Which?", deadline_s=60)["event"]
    pass_deadline(question)

    def broken(*_: object, **__: object) -> None:
        raise OSError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr("projects.feed.append", broken)
        with nothing_stored(), pytest.raises(OSError, match="disk"):
            expire_due()
    assert InboxItem.objects.get(pk=question).status == "waiting"
    assert expire_due() == 1
    assert expire_due() == 0
    answers = Event.objects.filter(thread=question, kind="answer")
    assert [(event.actor, event.payload) for event in answers] == [("hub", {"expired": True})]


def test_inb_05_deadline_and_outcome_stay_on_the_entry(tools: Tools, api: HumanApi) -> None:
    question = tools("question_post", project="atlas", subject="Which?", deadline_s=90)["event"]
    deadline = InboxItem.objects.get(pk=question).deadline_at
    assert deadline is not None
    assert timedelta(seconds=80) < deadline - datetime.now(UTC) <= timedelta(seconds=90)
    assert Event.objects.get(pk=question).payload["deadline_at"] == tools("inbox_read")["items"][0]["deadline_at"]
    api.post(f"/inbox/{question}/answer", body="in time").done()
    row = tools("inbox_read")["items"][0]
    assert (row["outcome"], bool(row["deadline_at"]), bool(row["resolved_at"])) == ("answered", True, True)
    InboxItem.objects.update(deadline_at=timezone.now())
    assert expire_due() == 0  # what is resolved does not expire


@pytest.mark.parametrize("settled", [True, False])
def test_inb_05_after_the_deadline_every_answer_is_late(tools: Tools, api: HumanApi, *, settled: bool) -> None:
    question = tools("question_post", project="atlas", subject="Which?", deadline_s=60)["event"]
    approval = tools("approval_post", project="atlas", subject="May I?", deadline_s=60)["event"]
    for item in (question, approval):
        pass_deadline(item)
    if settled:
        assert expire_due() == 2
    with nothing_stored():
        assert tools("answer_post", question=question, body="late").code == "expired"
        assert api.post(f"/inbox/{question}/answer", body="late").code == "expired"
        assert api.post(f"/inbox/{approval}/decision", approved=True).code == "expired"


def test_inb_05_what_has_no_deadline_waits(tools: Tools) -> None:
    question = tools("question_post", project="atlas", subject="Which?")["event"]
    assert expire_due() == 0
    assert answer_of(tools, question)["deadline_at"] is None


@pytest.mark.parametrize("seconds", [59, 2_592_001, 0, -60, 10**30])
@pytest.mark.parametrize("call", ["question_post", "approval_post"])
def test_inb_05_a_deadline_out_of_range_is_refused(tools: Tools, call: str, seconds: int) -> None:
    with nothing_stored():
        refusal = tools(call, project="atlas", subject="x", deadline_s=seconds)
    assert (refusal.code, refusal.details["field"]) == ("invalid_argument", "deadline_s")


@pytest.mark.parametrize("seconds", [60, 2_592_000])
def test_inb_05_a_deadline_at_the_edge_is_taken(tools: Tools, seconds: int) -> None:
    tools("question_post", project="atlas", subject="x", deadline_s=seconds).done()


def test_inb_04_an_agent_holds_so_many_open_items(
    tools: Tools, api: HumanApi, ben: AgentWithToken, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "OPEN_ITEMS_PER_AGENT", 3)
    asked = [tools("question_post", project="atlas", subject=f"{n}?")["event"] for n in range(2)]
    tools("approval_post", project="atlas", subject="May I?").done()
    with nothing_stored():
        for call in ("question_post", "approval_post"):
            refusal = tools(call, project="atlas", subject="one more")
            assert (refusal.code, refusal.details["limit"], refusal.body["retryable"]) == ("rate_limited", 3, True)
    tools("signal_append", project="atlas", summary="still heard", kind="finished").done()
    post_question(ben.actor, "atlas", subject="another agent's")
    make_project("other")
    tools("session_start", project="other", name="one").done()
    tools("question_post", project="other", subject="another project's").done()
    api.post(f"/inbox/{asked[0]}/answer", body="x").done()
    tools("question_post", project="atlas", subject="room again").done()


def test_inb_04_a_project_holds_so_many_open_items(
    tools: Tools, ben: AgentWithToken, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "OPEN_ITEMS_PER_PROJECT", 2)
    post_question(ben.actor, "atlas", subject="one")
    post_approval(ben.actor, "atlas", subject="two")
    with nothing_stored():
        refusal = tools("question_post", project="atlas", subject="three")
    assert (refusal.code, refusal.details["limit"]) == ("rate_limited", 2)


def test_inb_04_the_limits_are_those_of_the_guide() -> None:
    assert (limits.OPEN_ITEMS_PER_AGENT, limits.OPEN_ITEMS_PER_PROJECT) == (100, 1000)
    assert (limits.OPTIONS, limits.SUMMARY_CHARS, limits.BODY_CHARS) == (20, 1024, 65_536)


@pytest.mark.parametrize(
    ("options", "fine"),
    [
        ([f"o{n}" for n in range(20)], True),
        ([f"o{n}" for n in range(21)], False),
        (["a", "a"], False),
        (["\u00e9", "e\u0301"], False),
        ([""], False),
        (["x" * 1025], False),
        ([1], False),
        ("ab", False),
        ([None], False),
    ],
)
def test_inb_04_options(tools: Tools, options: object, *, fine: bool) -> None:
    if fine:
        tools("question_post", project="atlas", subject="x", options=options).done()
        return
    with nothing_stored():
        refusal = tools("question_post", project="atlas", subject="x", options=options)
    assert refusal.code == "invalid_argument"
    assert refusal.details["field"].split(".")[0] == "options"
