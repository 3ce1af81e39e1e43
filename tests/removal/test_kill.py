"""OPS-02, HUB-08: kill -9 at any place of a project's deletion leaves all of it or, after a restart, nothing."""

from pathlib import Path

import pytest

from projects.models import Event, Project
from sessions_app.models import Session
from tests.brains import begin, content, files_below
from tests.inprocess import HttpTools, stored
from tests.killing import dies, restart
from tests.world import Person

pytestmark = pytest.mark.django_db(transaction=True)

BEFORE_THE_COMMIT = ("before projects.removal.remove_rows", "after projects.removal.remove_rows")
AFTER_THE_COMMIT = (
    "before projects.removal.import_string",
    "after agentfs.file.discard",
    "after sessions_app.removal.remove_files",
)


@pytest.mark.parametrize("place", BEFORE_THE_COMMIT + AFTER_THE_COMMIT)
def test_ops_02_a_deletion_is_finished_or_did_not_happen(
    project: Project, ada_tools: HttpTools, human: Person, data_dir: Path, place: str
) -> None:
    sessions = [begin(ada_tools, name, notes=name) for name in ("one", "two")]
    ada_tools("brain_put", project="atlas", store="project", path="/fs/page.md", content="page").done()
    other = begin(ada_tools, "other", project="~ada", notes="mine")
    restart()  # so that the index has followed the files
    before = stored()[0]
    dies(place, "projects.operations.delete_project", human.actor, "atlas", confirm="atlas")
    restart()
    files = files_below(data_dir)
    if place in BEFORE_THE_COMMIT:
        assert stored()[0] == before
        assert files == [
            "kb/atlas.db",
            *sorted(f"sessions/atlas/{name}.db" for name in sessions),
            f"sessions/~ada/{other}.db",
        ]
        assert [content(ada_tools, session, "/fs/notes.md") for session in sessions] == ["one", "two"]
    else:
        assert not Project.objects.filter(pk="atlas").exists()
        assert not Event.objects.filter(project="atlas").exists()
        assert [row.pk for row in Session.objects.all()] == [other]
        assert files == [f"sessions/~ada/{other}.db"]
        assert ada_tools("session_brief", project="atlas").code == "not_found"
    assert content(ada_tools, other, "/fs/notes.md") == "mine"
