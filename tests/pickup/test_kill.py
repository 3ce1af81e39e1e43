"""OPS-02, SES-05: kill -9 at any place of a fork leaves the whole fork or nothing of it, after a restart."""

import pytest

import agentfs
from projects.models import Event, Project
from sessions_app.models import Session
from tests.brains import begin, brain_file, content, files_below, write
from tests.inprocess import HttpTools
from tests.killing import dies, restart
from tests.world import AgentWithToken

pytestmark = pytest.mark.django_db(transaction=True)

BEFORE_THE_COMMIT = (
    "before agentfs.file.AgentFile.copy_to",
    "before agentfs.drafts.publish",
    "after agentfs.drafts.publish",
    "after sessions_app.operations.pickup._forked",
)
AFTER_THE_COMMIT = ("after core.operation.HubStep.commit",)


@pytest.mark.parametrize("place", BEFORE_THE_COMMIT + AFTER_THE_COMMIT)
def test_ops_02_a_fork_is_whole_or_was_not(
    project: Project, ada_tools: HttpTools, ben: AgentWithToken, place: str
) -> None:
    source = begin(ada_tools, "main", notes="x", plan="y")
    events = Event.objects.count()
    dies(
        place,
        "sessions_app.operations.pick_up_session",
        ben.actor,
        "atlas",
        source={"session": source},
        name="fork",
    )
    restart()
    rows = set(Session.objects.values_list("pk", flat=True))
    assert files_below(brain_file(source).parent) == sorted(f"{session}.db" for session in rows)
    assert len(rows) == (2 if place in AFTER_THE_COMMIT else 1)
    assert Event.objects.count() == events + len(rows) - 1
    for session in rows:
        assert content(ada_tools, session, "/fs/plan.md") == "y"
        with agentfs.open_file(brain_file(session)).reading() as brain:
            assert brain.last_log_id() == 2
    # Nothing stands in the way of doing it again, and the source goes on.
    write(ada_tools, source, "/fs/notes.md", "z")
    given = {"project": "atlas", "name": "again", "from": {"session": source}}
    assert HttpTools(ben.token)("session_start", **given).done()["pickup"]["mode"] == "fork"
