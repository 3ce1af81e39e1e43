"""MEM-08: claim, finish, fail, expire, redrive and discard in any order, beside a model of what must come of it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule, run_state_machine_as_test

from core.actor import HUB, Actor
from core.errors import HubError
from tasks.operations import (
    bury_exhausted,
    claim_evidence,
    discard_evidence,
    fail_evidence,
    finish_evidence,
    redrive_evidence,
)
from tasks.outbox import ATTEMPTS
from tasks.outbox_models import OutboxRow
from tests.outbox.rows import made_up
from tests.world import make_person

ROWS = 3


class Expected:
    """How a row must stand."""

    def __init__(self, due: datetime) -> None:
        self.state, self.attempts, self.due, self.lease = "pending", 0, due, ""

    def settles(self, state: str) -> None:
        self.state, self.lease = state, ""


class Deliveries(RuleBasedStateMachine):
    """Workers, people, and time."""

    claims: Bundle[Any] = Bundle("claims")
    kim: Actor

    def __init__(self) -> None:
        super().__init__()
        OutboxRow.objects.all().delete()
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        self.rows = {made_up(number, self.now).pk: Expected(self.now) for number in range(ROWS)}

    @rule(target=claims)
    def claim(self) -> Any:
        due = {pk: row for pk, row in self.rows.items() if row.state == "pending" and row.due <= self.now}
        takeable = {pk for pk, row in due.items() if row.attempts < ATTEMPTS}
        taken = claim_evidence(HUB, now=self.now)
        if not takeable:
            assert taken is None
            return None
        assert taken is not None
        assert taken.pk in takeable
        row = self.rows[taken.pk]
        assert row.due == min(self.rows[pk].due for pk in takeable)
        row.attempts, row.lease, row.due = row.attempts + 1, taken.lease, self.now + timedelta(seconds=60)
        return taken

    @rule(seconds=st.sampled_from([1, 59, 60, 3600]))
    def time_passes(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)

    @rule(claim=consumes(claims))
    def finish(self, claim: Any) -> None:
        if claim is not None and self._done(claim, lambda: finish_evidence(HUB, row=claim, now=self.now)):
            self.rows[claim.pk].settles("delivered")

    @rule(claim=claims)
    def finish_and_again(self, claim: Any) -> None:
        self.finish(claim)

    @rule(claim=claims, wait=st.sampled_from([0.0, 1.5, 3600.0, None]))
    def fail(self, claim: Any, wait: float | None) -> None:
        if claim is None:
            return
        row = self.rows[claim.pk]
        if self._done(claim, lambda: fail_evidence(HUB, row=claim, error="no", wait=wait, now=self.now)):
            if wait is None or claim.attempts >= ATTEMPTS:
                row.settles("dead")
            else:
                row.lease, row.due = "", self.now + timedelta(seconds=wait)

    @rule(times=st.integers(5, ATTEMPTS))
    def workers_die(self, times: int) -> None:
        for _ in range(times):
            self.claim()
            self.now += timedelta(seconds=60)

    @rule()
    def bury(self) -> None:
        over = [
            row
            for row in self.rows.values()
            if row.state == "pending" and row.due <= self.now and row.attempts >= ATTEMPTS
        ]
        while bury_exhausted(HUB, now=self.now):
            pass
        for row in over:
            row.settles("dead")

    @rule(number=st.integers(0, ROWS - 1), discards=st.booleans())
    def person(self, number: int, discards: bool) -> None:  # noqa: FBT001 - drawn
        pk = list(self.rows)[number]
        row = self.rows[pk]
        try:
            if discards:
                discard_evidence(self.kim, row=pk, reason="no use")
            else:
                redrive_evidence(self.kim, row=pk)
        except HubError as refusal:
            assert (refusal.code, row.state != "dead") == ("conflict", True)
            return
        assert row.state == "dead"
        if discards:
            row.settles("discarded")
        else:
            row.state, row.attempts = "pending", 0
            self.redriven(pk)

    def redriven(self, pk: str) -> None:
        """Have it due on the machine's clock: people act on the real one."""
        OutboxRow.objects.filter(pk=pk).update(due_at=self.now)
        self.rows[pk].due = self.now

    def _done(self, claim: OutboxRow, step: Any) -> bool:
        """Take a step of a holder; tells whether it held. Who does not is told so."""
        row = self.rows[claim.pk]
        holds = row.state == "pending" and row.lease == claim.lease
        try:
            step()
        except HubError as refusal:
            assert (refusal.details["reason"], holds) == ("lease_lost", False)
            return False
        assert holds
        return True

    @invariant()
    def all_is_as_expected(self) -> None:
        rows = OutboxRow.objects.order_by("pk")
        stands = {row.pk: (row.state, row.attempts, row.lease) for row in rows}
        assert stands == {pk: (row.state, row.attempts, row.lease) for pk, row in self.rows.items()}
        for row in rows:
            if row.state == "pending":
                assert row.due_at == self.rows[row.pk].due
            assert bool(row.items) == (row.state in {"pending", "dead"})
            assert row.attempts <= ATTEMPTS


@pytest.mark.django_db
def test_mem_08_in_any_order_each_row_is_where_it_must_be() -> None:
    Deliveries.kim = make_person("kim").actor
    run_state_machine_as_test(
        Deliveries, settings=settings(max_examples=25, stateful_step_count=25, deadline=None, database=None)
    )
