"""OPS-02, SES-08: kill -9 at any place of the close of a prune: a restart finishes it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from projects.models import Event, Project
from sessions_app.models import Session
from tests.brains import begin, brain_file, content, files_below
from tests.inprocess import HttpTools, HumanApi
from tests.killing import dies, restart

pytestmark = pytest.mark.django_db(transaction=True)

PLACES = (
    "before sessions_app.jobs.close_prune",
    "after sessions_app.operations.pruning._announce",  # in the transaction
    "after sessions_app.jobs.close_prune",
    "after agentfs.file.discard",
    "after sessions_app.jobs.remove_brain",
)


@pytest.mark.parametrize("place", PLACES)
def test_ops_02_a_restart_finishes_the_close(
    project: Project, ada_tools: HttpTools, human_api: HumanApi, place: str
) -> None:
    live, sessions = begin(ada_tools, "live", notes="x"), []
    for name in ("one", "two"):
        sessions.append(begin(ada_tools, name, notes=name))
        ada_tools("signal_append", project="atlas", summary=name, session=sessions[-1]).done()
        ada_tools("session_end", session=sessions[-1]).done()
    assert len(human_api.post("/sessions/prune")["sessions"]) == 2
    Session.objects.filter(pk__in=sessions).update(deleted_at=timezone.now() - timedelta(seconds=31))
    dies(place, "sessions_app.jobs.close_due_prunes")
    # A row that stands has its brain; one that is gone has none, or one the restart removes.
    for session in Session.objects.values_list("pk", flat=True):
        assert brain_file(session).exists()
    restart()
    assert [row.pk for row in Session.objects.all()] == [live]
    assert files_below(brain_file(live).parent) == [f"{live}.db"]
    left = Event.objects.filter(session__in=sessions).order_by("pk")
    assert [(event.kind, event.summary) for event in left] == [("signal", "one"), ("signal", "two")]
    assert content(ada_tools, live, "/fs/notes.md") == "x"
