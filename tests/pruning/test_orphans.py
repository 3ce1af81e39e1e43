"""OPS-02, SES-08: files without a row are removed at the start; never a live file, never a fork underway."""

from pathlib import Path

import pytest

import agentfs
from core.ids import fresh
from projects.models import Project
from sessions_app.forks import underway
from sessions_app.jobs import remove_orphans
from sessions_app.models import Session
from tests.agentfs import child
from tests.brains import begin, brain_file, content, files_below
from tests.inprocess import HttpTools
from tests.racing import Meanwhile
from tests.world import AgentWithToken

LEFT_BY_A_KILL = ("{}.db", "{}.db-wal", "{}.db.new", "{}.db.claim", "{}.fork.claim", "{}.partial")

HOLD = """
    import os, sys
    os.environ |= {"DJANGO_SETTINGS_MODULE": "hubsite.settings", "HUB_DATA_DIR": sys.argv[1]}
    import django
    django.setup()
    from sessions_app.forks import underway
    with underway("atlas", sys.argv[2]):
        print("held", flush=True)
        sys.stdin.read()
"""


def make_brain(path: Path) -> None:
    with agentfs.open_file(path).writing() as brain:
        brain.put("/fs/a.md", b"x", actor="ada")
    agentfs.close_all()


def test_ops_02_what_a_kill_leaves_is_removed(project: Project, ada_tools: HttpTools, data_dir: Path) -> None:
    live, silent = begin(ada_tools, "main", notes="x"), begin(ada_tools, "silent")
    gone = [str(fresh()) for _ in LEFT_BY_A_KILL]
    make_brain(brain_file(gone[0]))
    for session, name in list(zip(gone, LEFT_BY_A_KILL, strict=True))[1:]:
        brain_file(live).with_name(name.format(session)).write_bytes(b"junk")
    of_no_project = brain_file(str(fresh()), "gone")
    make_brain(of_no_project)
    assert remove_orphans() == len(gone)  # a mark that nobody holds goes too, and is nothing by itself
    agentfs.close_all()
    assert files_below(data_dir / "sessions") == [f"atlas/{live}.db"]
    assert not of_no_project.parent.exists()
    assert content(ada_tools, live, "/fs/notes.md") == "x"
    assert ada_tools("brain_list", session=silent)["entries"] == []
    assert remove_orphans() == 0


def test_ops_02_a_fork_underway_is_no_orphan(project: Project) -> None:
    session = str(fresh())
    with underway("atlas", session):
        make_brain(brain_file(session))
        assert remove_orphans() == 0
        assert brain_file(session).exists()
    assert remove_orphans() == 1


def test_ops_02_a_fork_underway_in_another_process_is_no_orphan(project: Project, data_dir: Path) -> None:
    session = str(fresh())
    make_brain(brain_file(session))
    holder = child.start(HOLD, data_dir, session)
    try:
        assert child.hear(holder) == "held"
        assert remove_orphans() == 0
    finally:
        holder.kill()  # without a chance to clean up
        holder.communicate()
    assert remove_orphans() == 1
    assert files_below(data_dir / "sessions") == []


@pytest.mark.django_db(transaction=True)
def test_ops_02_looking_for_orphans_never_meets_a_fork(
    project: Project, ada_tools: HttpTools, ben: AgentWithToken
) -> None:
    source, forks = begin(ada_tools, "main", notes="x"), list[str]()

    def fork() -> bool:
        given = {"project": "atlas", "name": f"f{len(forks)}", "from": {"session": source}}
        forks.append(HttpTools(ben.token)("session_start", **given)["session"])
        return True

    with Meanwhile(fork):
        while len(forks) < 15:
            assert remove_orphans() == 0
    for session in Session.objects.values_list("pk", flat=True):
        assert content(ada_tools, session, "/fs/notes.md") == "x"
