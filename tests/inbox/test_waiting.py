"""INB-04: waiting for an answer: at once when there is one, soon after it comes, without asking the database again."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoCaptureOnCommitCallbacks

from hubsite.agent_calls import calls, perform
from inbox.operations import decide, post_answer, post_approval, post_question, post_signal
from projects.models import Project
from tests.inprocess import HttpTools, pass_deadline
from tests.world import AgentWithToken, Person


class Waiting:
    """Waits on the loop of this test while something else happens; all database work is on the test's own thread."""

    def __init__(self, agent: AgentWithToken, capture: DjangoCaptureOnCommitCallbacks) -> None:
        self.agent = agent
        self.capture = capture

    def __call__(
        self, question: str, seconds: float, *, after: float = 0, meanwhile: Callable[[], object] | None = None
    ) -> tuple[dict[str, Any], float]:
        """Call answer_wait; answers its object, and how long it took after `meanwhile` was done (or at all)."""

        async def wait() -> tuple[dict[str, Any], float]:
            arguments = {"question": question, "timeout_s": seconds}
            header, call = f"Bearer {self.agent.token}", calls()["answer_wait"]
            began = time.monotonic()
            task = asyncio.create_task(perform(lambda work: sync_to_async(work)(), header, call, arguments))
            if meanwhile is not None:
                await asyncio.sleep(after)
                assert not task.done()
                await sync_to_async(self._committed)(meanwhile)
                began = time.monotonic()
            return await task, time.monotonic() - began

        return async_to_sync(wait)()

    def _committed(self, change: Callable[[], object]) -> None:
        with self.capture(execute=True):
            change()


@pytest.fixture
def waiting(
    ada: AgentWithToken, project: Project, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> Waiting:
    return Waiting(ada, django_capture_on_commit_callbacks)


def test_inb_04_an_answer_that_is_there_is_answered_at_once(waiting: Waiting, human: Person) -> None:
    question = post_question(waiting.agent.actor, "atlas", subject="which?")["event"]
    post_answer(human.actor, "atlas", question=question, body="this")
    state, took = waiting(question, 50)
    assert (state["status"], state["answer"]["payload"]) == ("answered", {"body": "this"})
    assert took < 5


def test_inb_04_the_wait_ends_within_a_second_of_the_answer(waiting: Waiting, human: Person) -> None:
    question = post_question(waiting.agent.actor, "atlas", subject="which?")["event"]
    state, took = waiting(
        question, 50, after=0.3, meanwhile=lambda: post_answer(human.actor, "atlas", question=question, body="this")
    )
    assert state["answer"]["payload"] == {"body": "this"}
    assert took < 1


def test_inb_04_a_decision_ends_the_wait_too(waiting: Waiting, human: Person) -> None:
    item = post_approval(waiting.agent.actor, "atlas", subject="May I?", proposal={"n": 1})["event"]
    state, took = waiting(
        item,
        50,
        after=0.2,
        meanwhile=lambda: decide(human.actor, "atlas", item=item, approved=True, proposal={"n": 2}),
    )
    assert state["answer"]["payload"] == {"approved": True, "note": "", "proposal": {"n": 2}}
    assert took < 1


def test_inb_04_a_wait_that_times_out_is_pending_and_is_taken_up_again(waiting: Waiting, human: Person) -> None:
    question = post_question(waiting.agent.actor, "atlas", subject="which?")["event"]
    state, took = waiting(question, 1)
    assert (state["status"], state["answer"]) == ("pending", None)
    assert 0.9 < took < 6
    post_answer(human.actor, "atlas", question=question, body="this")
    again, _ = waiting(question, 50)  # by id alone: any process could answer it
    assert again["status"] == "answered"
    third, _ = waiting(question, 0)
    assert third == again


def test_inb_05_the_deadline_ends_the_wait(waiting: Waiting, human: Person) -> None:
    question = post_question(waiting.agent.actor, "atlas", subject="which?", deadline_s=60)["event"]

    def expire() -> None:
        pass_deadline(question)
        HttpTools(waiting.agent.token)("inbox_read").done()  # as the job does, or any read that would show it

    state, took = waiting(question, 50, after=0.2, meanwhile=expire)
    assert (state["status"], state["answer"]["actor"]) == ("expired", "hub")
    assert took < 1


def test_inb_04_a_wait_asks_the_database_the_same_however_long_it_is(waiting: Waiting, human: Person) -> None:
    question = post_question(waiting.agent.actor, "atlas", subject="which?")["event"]
    counts = []
    waiting(question, 0)
    for seconds in (1, 3):
        with CaptureQueriesContext(connection) as queries:
            state, _ = waiting(question, seconds)
        assert state["status"] == "pending"
        counts.append(len(queries))
    assert counts[0] == counts[1] < 20


def test_inb_04_other_news_does_not_end_the_wait(waiting: Waiting, ben: AgentWithToken) -> None:
    question = post_question(waiting.agent.actor, "atlas", subject="which?")["event"]
    other = post_question(waiting.agent.actor, "atlas", subject="and?")["event"]

    def meanwhile() -> None:
        post_answer(ben.actor, "atlas", question=other, body="x")
        post_signal(ben.actor, "atlas", summary="thinking", thread=question)

    state, _ = waiting(question, 1, after=0.2, meanwhile=meanwhile)
    assert state["status"] == "pending"


@pytest.mark.parametrize("seconds", [-1, 56, "soon"])
def test_inb_04_a_wait_has_a_limit(waiting: Waiting, seconds: object) -> None:
    question = post_question(waiting.agent.actor, "atlas", subject="which?")["event"]
    tools = HttpTools(waiting.agent.token)
    assert tools("answer_wait", question=question, timeout_s=seconds).details["field"] == "timeout_s"
