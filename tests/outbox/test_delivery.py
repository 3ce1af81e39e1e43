"""MEM-07, MEM-08: what a completed task contributes arrives once, whatever goes wrong; what cannot arrive waits."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from core.actor import HUB
from core.errors import HubError
from inbox.models import InboxItem
from memory import consolidation
from memory.models import Entry, Receipt, Revision
from projects.models import Event, Kind
from tasks import outbox
from tasks.jobs import deliver_evidence
from tasks.models import Task
from tasks.operations import claim_evidence, fail_evidence, finish_evidence, redrive_evidence
from tasks.organization import made
from tasks.outbox_models import OutboxRow
from tasks.relay import relay_once
from tests.inprocess import HumanApi, nothing_stored
from tests.outbox.rows import made_up
from tests.racing import together
from tests.tasks.desk import Run
from tests.world import AgentWithToken, Person

type Waiting = Callable[..., OutboxRow]
SECOND = timedelta(seconds=1)
FACT = {"kind": "fact", "text": "Kim counts herons on Sundays.", "source_ref": "notes"}


def most(_: float, longest: float) -> float:
    """Draw the longest wait."""
    return longest


def texts(human: Person) -> list[str]:
    """Answer what the person's memory says."""
    return list(Revision.objects.of(human.user.pk).values_list("text", flat=True))


def _entries(human: Person) -> list[Entry]:
    return list(Entry.objects.of(human.user.pk).filter(state="active"))


def breaks(patch: pytest.MonkeyPatch, error: Exception, *, after: bool = False) -> None:
    """Let the memory database fail, before it took anything or after it did."""
    meant = consolidation.apply

    def fails(*args: Any, **named: Any) -> None:
        if after:
            meant(*args, **named)
        raise error

    patch.setattr(consolidation, "apply", fails)


def test_mem_07_completing_and_contributing_is_one_commit_and_arrives_once(run: Run, human: Person) -> None:
    assert run.complete(memory_evidence=[FACT])["status"] == "completed"
    row = OutboxRow.objects.get()
    organization = made()
    assert row.key == outbox.key_of(organization, run.task, 1)
    assert (row.state, row.attempts, row.number, row.subject, row.project) == ("pending", 0, 1, human.user.pk, "atlas")
    assert Entry.objects.of(human.user.pk).count() == 0
    assert (deliver_evidence(), deliver_evidence()) == (1, 0)
    row.refresh_from_db()
    assert (row.state, row.attempts, row.items, row.lease) == ("delivered", 1, [], "")
    assert texts(human) == [FACT["text"]]
    outbox.enqueue(run.task, 1, human.user.pk, [FACT])  # a second time is none
    assert (OutboxRow.objects.count(), deliver_evidence()) == (1, 0)


def test_mem_07_what_is_rolled_back_contributes_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    revision = run.revision
    with monkeypatch.context() as broken:
        broken.setattr("tasks.operations.lifecycle.outbox.enqueue", lambda *_: 1 / 0)
        with nothing_stored():
            asked = {"task": run.task, "expected_revision": revision, "memory_evidence": [FACT]}
            assert run.tools("task_complete", **asked).code == "internal"
    assert run.now()["status"] == "running"


def test_mem_08_a_memory_database_that_fails_is_tried_again_later_and_later(
    waiting: Waiting, monkeypatch: pytest.MonkeyPatch, human: Person
) -> None:
    row, now, waits = waiting(), timezone.now(), []
    with monkeypatch.context() as down:
        breaks(down, OperationalError("down: and what was to be stored"))
        for attempt in range(1, 10):
            assert relay_once(now, draw=most) == 1
            row.refresh_from_db()
            assert (row.state, row.attempts, row.lease, row.error) == ("pending", attempt, "", "OperationalError")
            waits.append((row.due_at - now).total_seconds())
            assert relay_once(row.due_at - SECOND) == 0
            now = row.due_at
    assert waits == [2, 4, 8, 16, 32, 64, 128, 256, 512]
    assert [outbox.wait_after(attempts) for attempts in (10, 11, 12, 13, 200)] == [1024, 2048, 3600, 3600, 3600]
    assert relay_once(now) == 1
    row.refresh_from_db()
    assert (row.state, row.attempts) == ("delivered", 10)
    assert len(texts(human)) == 1


def test_mem_08_the_wait_is_drawn_from_all_of_it(waiting: Waiting, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[float, float]] = []
    breaks(monkeypatch, OperationalError())
    row, now = waiting(), timezone.now()

    def draw(least: float, longest: float) -> float:
        asked.append((least, longest))
        return 0.5

    relay_once(now, draw=draw)
    row.refresh_from_db()
    assert (asked, row.due_at - now) == ([(0, 2.0)], timedelta(seconds=0.5))


def test_mem_08_what_was_taken_just_before_the_failure_is_taken_once(
    waiting: Waiting, monkeypatch: pytest.MonkeyPatch, human: Person
) -> None:
    row, now = waiting(), timezone.now()
    with monkeypatch.context() as down:
        breaks(down, OperationalError(), after=True)
        relay_once(now, draw=most)
    relay_once(now + 2 * SECOND)
    row.refresh_from_db()
    assert (row.state, row.attempts) == ("delivered", 2)
    assert [entry.seen_count for entry in _entries(human)] == [1]
    assert Receipt.objects.of(human.user.pk).count() == 1


def test_mem_08_after_ten_attempts_it_is_dead_and_a_person_knows(
    run: Run, waiting: Waiting, monkeypatch: pytest.MonkeyPatch, human_api: HumanApi, human: Person
) -> None:
    row, now = waiting(FACT), timezone.now()
    with monkeypatch.context() as down:
        breaks(down, OperationalError())
        for _ in range(10):
            now += timedelta(hours=2)
            assert relay_once(now) == 1
        assert relay_once(now + timedelta(days=30)) == 0
    row.refresh_from_db()
    assert (row.state, row.attempts, row.items) == ("dead", 10, [FACT])
    item = InboxItem.objects.select_related("event").get(event__payload__outbox=row.pk)
    assert (item.status, item.asker) == ("unread", "hub")
    assert "herons" not in str(item.event.payload) + item.event.summary
    listed = human_api.get("/outbox", state="dead").done()
    assert ([one["id"] for one in listed["deliveries"]], listed["counts"]["dead"]) == ([row.pk], 1)
    assert "herons" not in str(listed)
    assert human_api.post(f"/outbox/{row.pk}/redrive")["state"] == "pending"
    assert deliver_evidence() == 1
    row.refresh_from_db()
    assert (row.state, row.attempts, texts(human)) == ("delivered", 1, [FACT["text"]])
    audit = Event.objects.get(kind=Kind.SYSTEM, payload__action="outbox.redriven")
    assert (audit.actor, audit.payload["outbox"]) == ("human:kim", row.pk)


@pytest.mark.parametrize(
    "error", [HubError("invalid_argument", "No."), ValueError("no"), KeyError("kind"), TypeError("no")]
)
def test_mem_08_what_no_retry_can_mend_is_dead_at_once(
    waiting: Waiting, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    breaks(monkeypatch, error)
    row = waiting()
    assert relay_once(timezone.now()) == 1
    row.refresh_from_db()
    assert (row.state, row.attempts) == ("dead", 1)


def test_mem_09_an_item_of_no_kind_is_screened_away_on_arrival(waiting: Waiting, human: Person) -> None:
    row = waiting({"kind": "nonsense", "text": "What?"})
    deliver_evidence()
    row.refresh_from_db()
    assert (row.state, row.items, texts(human)) == ("delivered", [], [])


def test_mem_08_what_is_dead_is_discarded_for_a_reason(
    run: Run, waiting: Waiting, human_api: HumanApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = waiting()
    before = Task.objects.values().get()
    with monkeypatch.context() as down:
        breaks(down, ValueError("no"))
        deliver_evidence()
    row.refresh_from_db()
    assert row.state == "dead"
    for reason in ("", " \n"):
        assert human_api.post(f"/outbox/{row.pk}/discard", reason=reason).details["field"] == "reason"
    assert human_api.post(f"/outbox/{row.pk}/discard", reason="Nonsense.")["state"] == "discarded"
    row.refresh_from_db()
    assert (row.state, row.items, row.reason, row.settled_by) == ("discarded", [], "Nonsense.", "human:kim")
    assert Event.objects.get(payload__action="outbox.discarded").actor == "human:kim"
    for verb in ("redrive", "discard"):
        assert human_api.post(f"/outbox/{row.pk}/{verb}", **({"reason": "x"} if verb == "discard" else {})).code == (
            "conflict"
        )
    assert Task.objects.values().get() == before


def test_mem_08_who_lost_the_lease_changes_nothing(waiting: Waiting) -> None:
    row, now = waiting(), timezone.now()
    slow = claim_evidence(HUB, now=now)
    assert slow is not None
    assert (slow.pk, slow.attempts, slow.due_at) == (row.pk, 1, now + timedelta(seconds=60))
    assert claim_evidence(HUB, now=now + 59 * SECOND) is None
    late = now + 60 * SECOND
    quick = claim_evidence(HUB, now=late)
    assert quick is not None
    assert (quick.attempts, quick.lease == slow.lease) == (2, False)
    steps: list[Callable[[], None]] = [
        lambda: finish_evidence(HUB, row=slow, now=late),
        lambda: fail_evidence(HUB, row=slow, error="no", wait=5, now=late),
        lambda: fail_evidence(HUB, row=slow, error="no", wait=None, now=late),
    ]
    with nothing_stored():
        for lost in steps:
            with pytest.raises(HubError) as refusal:
                lost()
            assert (refusal.value.code, refusal.value.details["reason"]) == ("conflict", "lease_lost")
    finish_evidence(HUB, row=quick, now=late)
    with pytest.raises(HubError):
        finish_evidence(HUB, row=quick, now=late)


def test_mem_08_whoever_never_comes_back_is_waited_for_ten_times(waiting: Waiting) -> None:
    row, now = waiting(), timezone.now()
    for attempt in range(1, 11):
        taken = claim_evidence(HUB, now=now)
        assert taken is not None
        assert taken.attempts == attempt
        now += outbox.LEASE
    assert claim_evidence(HUB, now=now) is None
    assert relay_once(now - SECOND) == 0
    row.refresh_from_db()
    assert row.state == "pending"  # the last one may still come
    assert relay_once(now) == 0
    row.refresh_from_db()
    assert (row.state, row.error) == ("dead", "Whoever delivered it never came back.")


def test_mem_08_the_oldest_goes_first_and_one_that_fails_holds_up_no_other(
    waiting: Waiting, monkeypatch: pytest.MonkeyPatch, human: Person
) -> None:
    bad, *good = [waiting() for _ in range(4)]
    meant = consolidation.apply

    def fails(key: str, *args: Any, **named: Any) -> bool:
        if key == bad.key:
            raise OperationalError
        return meant(key, *args, **named)

    monkeypatch.setattr(consolidation, "apply", fails)
    deliver_evidence()
    assert set(OutboxRow.objects.filter(state="delivered").values_list("pk", flat=True)) == {row.pk for row in good}
    bad.refresh_from_db()
    assert (bad.state, bad.attempts >= 1) == ("pending", True)


@pytest.mark.django_db(transaction=True)
def test_mem_08_of_many_who_claim_at_once_each_row_has_one() -> None:
    now = timezone.now()
    rows = sorted(made_up(number, now).pk for number in range(4))
    taken = together([lambda: claim_evidence(HUB, now=now) for _ in range(8)])
    got = [row.pk for row in taken if row is not None]
    while (row := claim_evidence(HUB, now=now)) is not None:  # whom one of them passed over
        got.append(row.pk)
    assert sorted(got) == rows
    assert set(OutboxRow.objects.values_list("attempts", flat=True)) == {1}


def test_mem_08_dead_letters_are_for_people(waiting: Waiting, ada: AgentWithToken, human: Person) -> None:
    row = waiting()
    OutboxRow.objects.filter(pk=row.pk).update(state="dead", settled_at=timezone.now())
    with nothing_stored():
        for actor in (HUB, ada.actor):
            with pytest.raises(HubError) as refusal:
                redrive_evidence(actor, row=row.pk)
            assert refusal.value.code == "forbidden"
        for nowhere, code in (("01J00000000000000000000000", "not_found"), ("x", "invalid_argument")):
            with pytest.raises(HubError) as refusal:
                redrive_evidence(human.actor, row=nowhere)
            assert refusal.value.code == code


def test_mem_08_the_page_shows_retries_and_dead_letters_and_no_words(
    run: Run, waiting: Waiting, human_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "Nothing died" in human_client.get("/outbox/").content.decode()
    dead, retried = waiting(FACT), waiting(FACT)
    with monkeypatch.context() as down:
        breaks(down, ValueError("no"))
        relay_once(timezone.now())
    with monkeypatch.context() as down:
        breaks(down, OperationalError("herons"))
        relay_once(timezone.now(), draw=most)
    shown = human_client.get("/outbox/").content.decode()
    assert f"delivery-{dead.pk}" in shown
    assert "OperationalError" in shown
    assert "retrieval: relational" in shown
    assert "Sundays" not in shown
    discarded = human_client.post(f"/outbox/{dead.pk}/discard/", {"reason": ""}, follow=True).content.decode()
    assert "reason" in discarded
    assert OutboxRow.objects.get(pk=dead.pk).state == "dead"
    assert human_client.post(f"/outbox/{dead.pk}/redrive/").status_code == 302
    assert OutboxRow.objects.get(pk=dead.pk).state == "pending"
    breaks(monkeypatch, ValueError("no"))
    relay_once(timezone.now() + timedelta(minutes=5))
    relay_once(timezone.now() + timedelta(minutes=5))
    human_client.post(f"/outbox/{dead.pk}/discard/", {"reason": "Wrong person."})
    assert "Wrong person." in human_client.get("/outbox/").content.decode()
    assert OutboxRow.objects.get(pk=retried.pk).state == "dead"


def test_mem_08_what_a_person_forgot_is_not_brought_back_by_a_delivery(
    run: Run, waiting: Waiting, human: Person
) -> None:
    from memory.operations import forget_entry, remember  # noqa: PLC0415

    known = remember(human.actor, human.user.pk, kind="fact", text=FACT["text"])
    forget_entry(human.actor, human.user.pk, entry=known["entry"])
    row = waiting(FACT)
    deliver_evidence()
    row.refresh_from_db()
    assert (row.state, row.items) == ("delivered", [])
    assert _entries(human) == []
