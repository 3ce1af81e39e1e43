"""HUB-03: the kinds are a closed set, and the database itself keeps it closed."""

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from core import ids
from projects.models import Event, Kind, Project
from tests.inprocess import HttpTools
from tests.world import AgentWithToken


def test_hub_03_the_kinds_are_these() -> None:
    named = {"signal", "finished", "question", "answer", "approval", "artifact", "session", "system"}
    assert set(Kind.values) == named


@pytest.mark.parametrize("kind", Kind.values)
def test_hub_03_the_database_takes_every_kind(project: Project, kind: str) -> None:
    event = Event.objects.create(
        id=str(ids.fresh()), project=project, kind=kind, actor="ada", summary="x", created_at=timezone.now()
    )
    assert Event.objects.get(pk=event.pk).kind == kind


@pytest.mark.parametrize("kind", ["start", "SIGNAL", "", "comment"])
def test_hub_03_the_database_refuses_any_other_kind(project: Project, kind: str) -> None:
    row = Event(id=str(ids.fresh()), project=project, kind=kind, actor="ada", summary="x", created_at=timezone.now())
    with pytest.raises(IntegrityError), transaction.atomic():
        row.save(force_insert=True)


def test_hub_03_the_database_refuses_to_change_a_kind_to_an_unknown_one(project: Project) -> None:
    events = Event.objects.filter(project=project)
    assert events.exists()
    with pytest.raises(IntegrityError), transaction.atomic():
        events.update(kind="other")


def test_hub_03_what_was_done_rides_in_the_payload(ada: AgentWithToken, project: Project) -> None:
    tools = HttpTools(ada.token)
    session = tools("session_start", project="atlas", name="one")["session"]
    tools("session_end", session=session, handoff="go on")
    tools("session_start", project="atlas", name="one")
    events = tools("feed_read", project="atlas", kinds="session")["events"]
    assert [event["payload"]["action"] for event in events] == ["resume", "end", "start"]
    assert {event["kind"] for event in events} == {"session"}
