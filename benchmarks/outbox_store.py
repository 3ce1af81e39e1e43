"""Four processes deliver 600 contributions to memory while a fifth of all deliveries goes wrong (MEM-08).

Runs in a process of its own, on the databases its environment names; see `benchmarks.outbox`. The clock is made up and
shared: nobody waits, and whoever holds a row too long finds that it is later than they thought.
"""

import json
import logging
import multiprocessing
import multiprocessing.connection
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django.contrib.auth import get_user_model
from django.db import OperationalError, connections
from django.db.models import F, Max, Min, Sum

from core import ids
from core.actor import HUB
from core.operation import write_transaction
from hubsite.startup import migrate
from identity.models import Agent
from identity.operations import create_agent
from memory import consolidation
from projects.models import Project
from projects.operations import create_project
from tasks import outbox
from tasks.models import Status, Task
from tasks.outbox_models import OutboxRow
from tasks.relay import relay_once

BEGAN: Final = datetime(2026, 1, 1, tzinfo=UTC)
FAULTS: Final = ("killed before", "killed after", "slow", "memory down", "memory down after")
_FORK: Final = multiprocessing.get_context("fork")
_apply: Final = consolidation.apply
State = OutboxRow.State


class Clock:
    """The time all workers share, who of them is at work, and what went wrong so far."""

    def __init__(self, workers: int) -> None:
        self._seconds = _FORK.Value("d", 0.0)
        self.busy = _FORK.Array("b", workers, lock=False)
        self.faults = _FORK.Array("i", len(FAULTS))

    def now(self) -> datetime:
        """Answer what time it is."""
        return BEGAN + timedelta(seconds=self._seconds.value)

    def pass_to(self, moment: datetime) -> None:
        """Let it be that late, if it is not later."""
        with self._seconds.get_lock():
            self._seconds.value = max(self._seconds.value, (moment - BEGAN).total_seconds())

    def note(self, fault: str) -> None:
        """Count a fault."""
        with self.faults.get_lock():
            self.faults[FAULTS.index(fault)] += 1


def fill(number: int) -> None:
    """Make completed tasks, each with a contribution that waits."""
    migrate()
    create_project(HUB, slug="bench")
    create_agent(HUB, name="worker")
    people = [get_user_model().objects.create_user(f"person{one}", is_staff=True) for one in range(10)]
    agent, project = Agent.objects.get(name="worker"), Project.objects.get(pk="bench")
    last = ""
    with write_transaction():
        for one in range(number):
            last = ids.after(last)
            subject = people[one % len(people)]
            Task.objects.create(
                id=last,
                project=project,
                subject=subject,
                agent=agent,
                title=f"Task {one}",
                text="Words.",
                lifetime=60,
                status=Status.COMPLETED,
                created_by="worker",
                created_at=BEGAN,
                updated_at=BEGAN,
                ended_at=BEGAN,
            )
            outbox.enqueue(last, 1, subject.pk, [{"kind": "observation", "text": f"It was seen that {one} of {last}."}])
    OutboxRow.objects.update(due_at=BEGAN)


def work(worker: int, clock: Clock, seed: int, share: float) -> None:
    """Deliver until nothing waits any more."""
    draw = random.Random(seed)  # noqa: S311 - the same at every run
    consolidation.apply = _faulty(clock, draw, share)
    while True:
        clock.busy[worker] = 1
        done = relay_once(clock.now(), draw=draw.uniform)
        clock.busy[worker] = 0
        if done:
            continue
        soonest = OutboxRow.objects.filter(state=State.PENDING).aggregate(soonest=Min("due_at"))["soonest"]
        if soonest is None:
            return
        if any(clock.busy):  # who is at work has a real moment for it
            os.sched_yield()
        else:
            clock.pass_to(soonest)


def _faulty(clock: Clock, draw: random.Random, share: float) -> Callable[..., bool]:
    def apply(*args: Any, **named: Any) -> bool:  # noqa: ANN401 - as the one it stands for
        fault = draw.choice(FAULTS) if draw.random() < share else ""
        if fault:
            clock.note(fault)
        if fault == "killed before":
            os.kill(os.getpid(), signal.SIGKILL)
        if fault == "memory down":
            raise OperationalError("down")
        if fault == "slow":  # past its lease; others take the row, perhaps this very worker
            clock.pass_to(clock.now() + timedelta(seconds=61))
            relay_once(clock.now(), draw=draw.uniform)
        applied = _apply(*args, **named)
        if fault == "killed after":
            os.kill(os.getpid(), signal.SIGKILL)
        if fault == "memory down after":
            raise OperationalError("down")
        return applied

    return apply


def run(workers: int, share: float) -> tuple[Clock, int]:
    """Run the workers until all are done, each that is killed replaced; answers the clock and how many were."""
    connections.close_all()
    clock, killed, seeds = Clock(workers), 0, iter(range(10**6))

    def begun(worker: int) -> Any:  # noqa: ANN401 - a process of the fork context
        process = _FORK.Process(target=work, args=(worker, clock, next(seeds), share))
        process.start()
        return process

    running = [begun(worker) for worker in range(workers)]
    while any(process is not None for process in running):
        multiprocessing.connection.wait([process.sentinel for process in running if process is not None])
        for worker, process in enumerate(running):
            if process is None or process.is_alive():
                continue
            process.join()
            clock.busy[worker] = 0
            if process.exitcode == -signal.SIGKILL:
                killed += 1
                running[worker] = begun(worker)
            elif process.exitcode == 0:
                running[worker] = None
            else:
                sys.exit(f"a worker ended with {process.exitcode}")
    return clock, killed


def main(number: int = 600, workers: int = 4, share: float = 0.2) -> None:
    """Do it all, and print what came of it."""
    logging.disable(logging.WARNING)
    fill(number)
    began = time.perf_counter()
    clock, killed = run(workers, share)
    took = time.perf_counter() - began
    rows = OutboxRow.objects.aggregate(total=Sum("attempts"), most=Max("attempts"))
    with connections["memory"].cursor() as cursor:
        cursor.execute("SELECT (SELECT count(*) FROM memory_receipt), count(*), max(seen_count) FROM memory_entry")
        receipts, entries, seen = cursor.fetchone()
    told = {
        "rows": number,
        "workers": workers,
        "seconds": round(took, 1),
        "faults": dict(zip(FAULTS, clock.faults[:], strict=True)),
        "killed": killed,
        "attempts": rows["total"],
        "most_attempts": rows["most"],
        "states": {str(state): OutboxRow.objects.filter(state=state).count() for state in State},
        "receipts": receipts,
        "entries": entries,
        "most_seen": seen,
        "tasks_completed": Task.objects.filter(status=Status.COMPLETED, revision=1, ended_at=F("created_at")).count(),
        "items_left": OutboxRow.objects.exclude(items=[]).count(),
    }
    print(json.dumps(told))
