"""INB-05: an answer and a deadline that race, or two answers: exactly one wins, and the other wins nothing."""

from datetime import UTC, datetime, timedelta

import pytest

from core.errors import HubError
from inbox.jobs import expire_due
from inbox.models import InboxItem
from inbox.operations import decide, post_answer, post_approval, post_question
from projects.models import Event
from tests.inprocess import pass_deadline, together
from tests.world import make_agent, make_person, make_project

pytestmark = pytest.mark.django_db(transaction=True)


def test_inb_05_of_an_answer_and_a_deadline_exactly_one_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    make_project("atlas")
    ada, kim = make_agent("ada"), make_person("kim")
    # The answer looked at the item just before its deadline, and the job just after: both go for it.
    monkeypatch.setattr("inbox.entries.timezone", StoppedClock)
    won = set()
    for number in range(12):
        if number % 2:
            item = post_question(ada.actor, "atlas", subject="which?")["event"]
            answer = lambda item=item: post_answer(kim.actor, "atlas", question=item, body="this")  # noqa: E731
        else:
            item = post_approval(ada.actor, "atlas", subject="may I?")["event"]
            answer = lambda item=item: decide(kim.actor, "atlas", item=item, approved=True)  # noqa: E731
        pass_deadline(item)
        first, second = (answer, expire_due) if number % 3 else (expire_due, answer)
        results = together(first, second)
        row = InboxItem.objects.get(pk=item)
        answers = Event.objects.filter(thread=item, kind="answer")
        assert [event.actor for event in answers] == [row.resolved_by], results
        assert row.status == "resolved"
        won.add(row.resolved_by)
        if row.resolved_by == "hub":
            (refusal,) = [result for result in results if isinstance(result, HubError)]
            assert refusal.code in {"conflict", "expired"}
        else:
            assert 0 in results  # the job settled nothing
    assert won <= {"hub", "human:kim"}


class StoppedClock:
    """Says that no deadline has passed yet, to who looks before answering."""

    @staticmethod
    def now() -> datetime:
        return datetime.now(UTC) - timedelta(minutes=5)


def test_inb_04_of_answers_at_once_the_first_resolves() -> None:
    make_project("atlas")
    ada, ben, kim = make_agent("ada"), make_agent("ben"), make_person("kim")
    for _ in range(6):
        item = post_question(ada.actor, "atlas", subject="which?")["event"]
        results = together(
            *(
                lambda by=by: post_answer(by, "atlas", question=item, body=str(by))  # noqa: B023 - used at once
                for by in (ada.actor, ben.actor, kim.actor)
            )
        )
        refusals = [result.code for result in results if isinstance(result, HubError)]
        assert refusals == ["conflict", "conflict"]
        (event,) = Event.objects.filter(thread=item, kind="answer")
        assert InboxItem.objects.get(pk=item).resolved_by == event.actor
