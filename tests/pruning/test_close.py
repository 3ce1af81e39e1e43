"""SES-08: when the window closes the row, the brain and the lifecycle events go; the work stays."""

from datetime import timedelta

import pytest
from django.utils import timezone

from inbox.models import InboxItem
from projects.models import Event, Project
from sessions_app.jobs import close_due_prunes
from sessions_app.models import Session
from tests.brains import begin, brain_file, files_below, write
from tests.inprocess import HttpTools, HumanApi
from tests.killing import restart


def marked(tools: HttpTools, human_api: HumanApi, name: str) -> str:
    """Answer a session with work and a brain whose window has closed."""
    session = begin(tools, name, notes="x")
    tools("signal_append", project="atlas", summary=f"signal of {name}", session=session).done()
    tools("question_post", project="atlas", subject=f"question of {name}", session=session).done()
    tools("session_end", session=session).done()
    human_api.post(f"/sessions/{session}/prune").done()
    Session.objects.filter(pk=session).update(deleted_at=timezone.now() - timedelta(seconds=31))
    return session


def test_ses_08_the_close_removes_its_own_events_and_brain_and_nothing_else(
    project: Project, ada_tools: HttpTools, ben_tools: HttpTools, human_api: HumanApi
) -> None:
    other = begin(ben_tools, "other", notes="y")
    fork = ben_tools("session_start", project="atlas", name="f", **{"from": {"session": other}})["session"]
    session = marked(ada_tools, human_api, "main")
    others = set(Event.objects.exclude(session=session).values_list("pk", flat=True))
    assert close_due_prunes() == 1
    assert set(Session.objects.values_list("pk", flat=True)) == {other, fork}
    assert sorted(path.name for path in brain_file(other).parent.glob("*.db")) == sorted([f"{other}.db", f"{fork}.db"])
    left = Event.objects.filter(session=session)
    assert [(event.kind, event.summary) for event in left.order_by("pk")] == [
        ("signal", "signal of main"),
        ("question", "question of main"),
    ]
    assert set(Event.objects.exclude(session=session).values_list("pk", flat=True)) == others
    assert InboxItem.objects.filter(event__in=left).count() == 1
    assert close_due_prunes() == 0


def test_ses_08_a_question_of_a_pruned_session_can_still_be_answered(
    project: Project, ada_tools: HttpTools, human_api: HumanApi
) -> None:
    session = marked(ada_tools, human_api, "main")
    close_due_prunes()
    question = Event.objects.get(session=session, kind="question").pk
    human_api.post(f"/inbox/{question}/answer", body="because").done()
    assert ada_tools("answer_wait", question=question, timeout_s=0)["status"] == "answered"


def test_ses_08_the_job_closes_only_what_is_due(project: Project, ada_tools: HttpTools, human_api: HumanApi) -> None:
    open_still = marked(ada_tools, human_api, "open")
    Session.objects.filter(pk=open_still).update(deleted_at=timezone.now())
    due = marked(ada_tools, human_api, "due")
    assert close_due_prunes() == 1
    assert not Session.objects.filter(pk=due).exists()
    assert brain_file(open_still).exists()


@pytest.mark.django_db(transaction=True)
def test_ses_08_a_restart_finishes_what_was_marked(project: Project, ada_tools: HttpTools, human_api: HumanApi) -> None:
    live, sessions = begin(ada_tools, "live", notes="x"), []
    for name in ("one", "two", "three"):
        sessions.append(marked(ada_tools, human_api, name))
        Session.objects.filter(pk=sessions[-1]).update(deleted_at=timezone.now())
    Session.objects.filter(pk__in=sessions).update(deleted_at=timezone.now() - timedelta(seconds=31))
    restart()
    assert [row.pk for row in Session.objects.all()] == [live]
    assert files_below(brain_file(live).parent) == [f"{live}.db"]
    assert not Event.objects.filter(session__in=sessions, kind="session").exists()
    write(ada_tools, live, "/fs/more.md", "x")
