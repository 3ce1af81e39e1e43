"""KNB-03, KNB-05, KNB-08: two writers of one version, writers of one file, writers of several."""

import threading

import pytest

from core.errors import HubError
from knowledge.files import knowledge_of
from knowledge.operations import append_page, put_page
from knowledge.queries import get_page, page_log
from projects.models import Project
from tests.inprocess import together
from tests.world import make_agent, make_project

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = 100


def test_knb_03_of_two_agents_with_one_version_exactly_one_wins() -> None:
    project = make_project("atlas")
    agents = [make_agent(name).actor for name in ("ada", "ben")]
    start = put_page(agents[0], "atlas", path="/fs/a.md", content=b"start")["version"]
    outcomes: list[list[str]] = [[], []]
    barrier = threading.Barrier(2, timeout=60)

    def write(which: int) -> None:
        held = start
        for number in range(ROUNDS):
            barrier.wait()
            try:
                content = f"{agents[which].name} {number}".encode()
                held = put_page(agents[which], "atlas", path="/fs/a.md", content=content, if_version=held)["version"]
                outcomes[which].append("won")
            except HubError as refusal:
                assert refusal.code == "version_mismatch"
                held = refusal.details["current"]
                outcomes[which].append("lost")
            barrier.wait()  # the next round begins with both holding the version that won

    together(lambda: write(0), lambda: write(1))
    assert all({mine, his} == {"won", "lost"} for mine, his in zip(*outcomes, strict=True))
    log = page_log(project, path="/fs/a.md", limit=500).rows
    assert len(log) == ROUNDS + 1  # a row per write and none per conflict
    assert get_page(project, "/fs/a.md").version == log[0].version
    winners = ["ada" if mine == "won" else "ben" for mine in outcomes[0]]
    assert [row.actor for row in log][::-1] == ["ada", *winners]


def test_knb_08_writers_of_one_file_come_one_after_the_other() -> None:
    project = make_project("atlas")
    agents = [make_agent(name).actor for name in ("ada", "ben", "cleo")]

    def write(which: int) -> None:
        for _ in range(15):
            append_page(agents[which], "atlas", path="/fs/a.md", content=f"{which}".encode())

    assert together(*(lambda n=n: write(n) for n in range(3))) == [None] * 3
    assert sorted(get_page(project, "/fs/a.md").content) == sorted(b"012" * 15)
    assert len(page_log(project, limit=500).rows) == 45


def test_knb_08_writers_of_distinct_files_never_block_each_other() -> None:
    held, free = make_project("held"), make_project("free")
    ada, ben = make_agent("ada").actor, make_agent("ben").actor
    for slug in ("held", "free"):
        put_page(ada, slug, path="/fs/a.md", content=b"x")
    waited = threading.Event()

    def blocked() -> None:
        put_page(ada, "held", path="/fs/a.md", content=b"late")
        waited.set()

    def elsewhere() -> bool:
        with knowledge_of(held).writing():  # another writer is in the middle of its write
            thread = threading.Thread(target=together, args=(blocked,))
            thread.start()
            for number in range(20):
                put_page(ben, "free", path="/fs/a.md", content=str(number).encode())
            went_through = not waited.is_set()
        thread.join(30)
        return went_through

    assert together(elsewhere) == [True]
    assert waited.is_set()
    assert get_page(free, "/fs/a.md").content == b"19"
    assert get_page(Project.objects.get(pk="held"), "/fs/a.md").content == b"late"
