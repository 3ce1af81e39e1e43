"""MEM-10: the breaker, and a plane kept in step."""

import threading
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from knowledge.jobs import tend_plane
from knowledge.retrieval import breaker, planes
from knowledge.retrieval.base import PlaneUnavailable, Published, Ref
from knowledge.retrieval.breaker import Breaker
from tests.governed.desk import published
from tests.inprocess import HttpTools, HumanApi
from tests.retrieval.outage import built, directory, outage


class Plane:
    """A plane that does what it is told, and counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0
        self.does: Any = list

    def search(self, *_: object) -> list[Ref]:
        self.asked += 1
        found: list[Ref] = self.does()
        return found


def fails() -> None:
    raise OSError


def asked(guarded: Breaker) -> str:
    try:
        guarded.search("q", ["s"], 1)
    except PlaneUnavailable as refusal:
        return refusal.reason
    return "answered"


def test_mem_10_after_a_failure_a_plane_is_left_alone_and_then_tried_once() -> None:
    plane, now = Plane(), [0.0]
    guarded = Breaker("fake", lambda: plane, clock=lambda: now[0])  # type: ignore[arg-type, return-value]
    assert (asked(guarded), plane.asked) == ("answered", 1)
    plane.does = fails
    assert (asked(guarded), plane.asked) == ("unreadable", 2)
    now[0] = 29.9
    assert (asked(guarded), plane.asked) == ("unreadable", 2)
    now[0] = 30.0  # half open: one tries, and fails
    assert (asked(guarded), plane.asked) == ("unreadable", 3)
    now[0] = 59.9
    plane.does = list
    assert (asked(guarded), plane.asked) == ("unreadable", 3)
    now[0] = 60.0
    assert [(asked(guarded), plane.asked) for _ in range(2)] == [("answered", 4), ("answered", 5)]


def test_mem_10_a_plane_somebody_writes_still_answers() -> None:
    plane = Plane()
    guarded = Breaker("fake", lambda: plane, clock=lambda: 0.0)  # type: ignore[arg-type, return-value]

    def busy() -> None:
        raise PlaneUnavailable("busy")

    plane.does = busy
    assert asked(guarded) == "busy"
    plane.does = list
    assert asked(guarded) == "answered"


def test_mem_10_while_one_tries_the_others_are_answered_at_once() -> None:
    plane, now = Plane(), [0.0]
    guarded = Breaker("fake", lambda: plane, clock=lambda: now[0])  # type: ignore[arg-type, return-value]
    plane.does = fails
    asked(guarded)
    now[0] = 30.0
    others: list[str] = []

    def asks() -> list[Ref]:
        others.append(asked(guarded))
        return []

    plane.does = asks
    assert asked(guarded) == "answered"
    assert (others, plane.asked) == (["unreadable"], 2)


def test_mem_10_who_takes_too_long_is_not_waited_for() -> None:
    plane, let = Plane(), threading.Event()
    guarded = Breaker("fake", lambda: plane, timeout=0.01)  # type: ignore[arg-type, return-value]
    plane.does = lambda: let.wait(30) and []
    assert asked(guarded) == "timeout"
    let.set()
    assert (breaker.TIMEOUT_SECONDS, breaker.PAUSE_SECONDS) == (2.0, 30.0)


def test_mem_10_the_command_and_the_job_bring_a_plane_in_step(
    tools: HttpTools, human_api: HumanApi, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(CommandError, match="No retrieval plane"):
        call_command("rebuild_plane")
    one, two = (published(tools, human_api, title, f"zebra {title}") for title in ("One", "Two"))
    settings.HUB_RETRIEVAL_PLANE = "tantivy"
    plane = planes.plane()
    assert plane is not None
    assert tend_plane() == 2  # built by itself
    assert (plane.held(), tend_plane()) == ({(one, 1), (two, 1)}, 0)
    plane.delete(one)
    plane.index(Published("01J0000000000000000000GONE", 1, "nowhere", "Gone"), ["zebra"])
    assert tend_plane() == 2
    assert plane.held() == {(one, 1), (two, 1)}
    assert human_api.post(f"/documents/{one}/archive").done()
    tend_plane()
    assert plane.held() == {(two, 1)}
    plane.index(Published(two, 2, "nowhere", "Just being published", 1), ["zebra"])
    assert (tend_plane(), plane.held()) == (0, {(two, 1), (two, 2)})
    (directory() / "meta.json").write_text("damaged")
    assert planes.unavailable() == "unreadable"
    call_command("rebuild_plane")
    assert "holds 1 documents" in capsys.readouterr().out
    assert planes.unavailable() is None
    settings.HUB_RETRIEVAL_PLANE = "nonsense"
    with pytest.raises(CommandError, match="no plane of this name"):
        call_command("rebuild_plane")


@pytest.mark.django_db(transaction=True)
def test_mem_10_what_is_archived_and_taken_out_again_follows_the_commit(
    tools: HttpTools, human_api: HumanApi, tantivy: None
) -> None:
    built()
    document = published(tools, human_api, "One", "zebra")
    plane = planes.plane()
    assert plane is not None
    assert human_api.post(f"/documents/{document}/archive").done()
    assert plane.held() == set()
    assert human_api.delete(f"/documents/{document}/archive").done()
    assert plane.held() == {(document, 1)}
    with outage():  # neither waits for it
        assert human_api.post(f"/documents/{document}/archive").done()
    assert plane.held() == {(document, 1)}
    assert (tend_plane(), plane.held()) == (1, set())
