"""AGT-01, INB-04: what an agent asked is told to it once, on whatever it calls next, and to nobody else."""

import threading

import pytest

from inbox import notifications
from inbox.models import InboxItem
from projects.models import Project
from tests.brains import begin
from tests.inprocess import FACES, HttpTools, HumanApi, Tools, pass_deadline
from tests.racing import together
from tests.world import AgentWithToken


def pending(tools: Tools, name: str = "whoami", **arguments: object) -> list[tuple[str, str]]:
    """Answer kind and id of what a call tells besides its answer."""
    news = tools(name, **arguments).done().get("notifications", {"pending": []})
    return [(row["kind"], row["id"]) for row in news["pending"]]


def ask(tools: Tools, subject: str = "why?", project: str = "atlas") -> str:
    event: str = tools("question_post", project=project, subject=subject)["event"]
    return event


@pytest.fixture
def at_work(project: Project, ada_tools: HttpTools, ben_tools: HttpTools) -> None:
    for tools in (ada_tools, ben_tools):
        begin(tools, "main")


@pytest.mark.parametrize("face", FACES)
def test_inb_04_an_answer_is_told_once_and_to_its_asker_only(
    at_work: None, ada: AgentWithToken, ben_tools: HttpTools, human_api: HumanApi, face: str
) -> None:
    tools = FACES[face](ada.token)
    question = ask(tools)
    assert pending(tools) == []
    human_api.post(f"/inbox/{question}/answer", body="because").done()
    assert pending(ben_tools) == []
    told = tools("brain_list", project="atlas").done()["notifications"]["pending"]
    assert [{name: row[name] for name in ("kind", "id", "project", "title")} for row in told] == [
        {"kind": "answer", "id": question, "project": "atlas", "title": "why?"}
    ]
    assert told[0]["at"]
    assert pending(tools) == []
    assert pending(ben_tools) == []


def test_inb_04_each_kind_of_end_is_told_as_what_it_is(
    at_work: None, ada_tools: HttpTools, ben_tools: HttpTools, human_api: HumanApi
) -> None:
    asked, decided = ask(ada_tools, "asked"), ada_tools("approval_post", project="atlas", subject="may I?")["event"]
    expired = ada_tools("question_post", project="atlas", subject="soon", deadline_s=60)["event"]
    ben_tools("answer_post", question=asked, body="says ben").done()
    human_api.post(f"/inbox/{decided}/decision", approved=True).done()
    pass_deadline(expired)
    ada_tools("inbox_read").done()  # settles what is due
    # That call told what had ended by then; nothing is told twice.
    assert pending(ada_tools) == []
    later = ask(ada_tools, "later")
    human_api.post(f"/inbox/{later}/answer", body="x").done()
    assert pending(ada_tools) == [("answer", later)]


def test_inb_04_what_answer_wait_returned_is_not_told_again(
    at_work: None, ada_tools: HttpTools, ben_tools: HttpTools, human_api: HumanApi
) -> None:
    question = ask(ada_tools)
    human_api.post(f"/inbox/{question}/answer", body="because").done()
    assert ben_tools("answer_wait", question=question, timeout_s=0)["status"] == "answered"  # no use to Ada
    other = ask(ada_tools, "other")
    assert ada_tools("answer_wait", question=question, timeout_s=0)["status"] == "answered"
    human_api.post(f"/inbox/{other}/answer", body="x").done()
    told = pending(ada_tools)
    assert (("answer", other) in told, len(told)) == (True, 1)


def test_inb_04_a_refused_call_tells_nothing_and_loses_nothing(
    at_work: None, ada_tools: HttpTools, human_api: HumanApi
) -> None:
    question = ask(ada_tools)
    human_api.post(f"/inbox/{question}/answer", body="because").done()
    assert ada_tools("brain_get", project="atlas", path="/fs/none").code == "not_found"
    assert pending(ada_tools) == [("answer", question)]


def test_inb_04_many_are_told_in_order_over_a_few_calls(
    at_work: None, ada_tools: HttpTools, human_api: HumanApi
) -> None:
    questions = [ask(ada_tools, f"q{number}") for number in range(13)]
    for question in reversed(questions):
        human_api.post(f"/inbox/{question}/answer", body="x").done()
    assert [[id_ for _, id_ in pending(ada_tools)] for _ in range(3)] == [questions[:10], questions[10:], []]


def test_idn_03_nothing_is_told_of_a_project_that_is_hidden_by_now(
    at_work: None, ada_tools: HttpTools, human_api: HumanApi
) -> None:
    question = ask(ada_tools)
    human_api.post(f"/inbox/{question}/answer", body="x").done()
    human_api.patch("/projects/atlas", restricted=True).done()
    assert pending(ada_tools) == []
    human_api.patch("/projects/atlas", restricted=False).done()
    assert pending(ada_tools) == [("answer", question)]


@pytest.mark.django_db(transaction=True)
def test_inb_04_of_calls_at_once_one_tells_it(
    project: Project, ada: AgentWithToken, human_api: HumanApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = HttpTools(ada.token)
    begin(tools, "main")
    questions = [ask(tools, f"q{number}") for number in range(6)]
    for question in questions:
        human_api.post(f"/inbox/{question}/answer", body="x").done()
    tell, all_have_looked = notifications.tell, threading.Barrier(4)

    def tell_when_all_have_looked(item: InboxItem) -> bool:
        if item.pk == questions[0]:
            all_have_looked.wait(30)
        return tell(item)

    monkeypatch.setattr(notifications, "tell", tell_when_all_have_looked)
    told = [row for rows in together([lambda: pending(HttpTools(ada.token))] * 4) for row in rows]
    monkeypatch.undo()
    # What every call found the store too busy for is left to the next.
    told += pending(tools)
    assert sorted(id_ for _, id_ in told) == sorted(questions)
