"""SRC-02, SES-05, SES-08, KNB-07: what was written and answered is found by the next search, after any crash."""

from typing import Any

import pytest
from django.test import Client

import agentfs
from knowledge.files import knowledge_of
from projects.models import Project
from search import following
from search.index import follow
from search.jobs import follow_files
from search.models import SearchDocument, SearchFile
from search.operations import store_news
from sessions_app.jobs import close_due_prunes
from sessions_app.operations import prune_session
from tests.brains import begin, brain_file, write
from tests.inprocess import HttpTools, HumanApi, McpTools
from tests.killing import dies
from tests.racing import Meanwhile, together
from tests.search.finding import hits, page, paths, titles
from tests.world import AgentWithToken, Person

BIG = 300 * 1024


def entries(family: str) -> set[tuple[str, str]]:
    return set(SearchDocument.objects.filter(family=family).values_list("project", "ref"))


def test_src_02_every_write_is_found_by_the_next_search(
    project: Project, ada: AgentWithToken, ada_tools: HttpTools
) -> None:
    """Also when writes follow each other faster than the file system's clock ticks."""
    session, mcp = begin(ada_tools, "main"), McpTools(ada.token)
    for number in range(40):
        write(ada_tools, session, "/fs/notes.md", f"zebra{number}")
        page(ada_tools, "/fs/page.md", f"zebra{number}")
        assert paths(mcp, f"zebra{number}") == ["/fs/notes.md", "/fs/page.md"]
        if number:
            assert paths(ada_tools, f'"zebra{number - 1}"') == []


def test_src_02_what_was_appended_replaced_and_deleted(project: Project, ada_tools: HttpTools) -> None:
    session = begin(ada_tools, "main", a="zebra", b="zebra")
    assert paths(ada_tools, "zebra") == ["/fs/a.md", "/fs/b.md"]
    ada_tools("brain_delete", session=session, store="session", path="/fs/a.md").done()
    write(ada_tools, session, "/fs/b.md", "quagga")
    assert paths(ada_tools, "zebra") == []
    assert paths(ada_tools, "quagga") == ["/fs/b.md"]
    assert entries("brain") == {("atlas", f"{session}:/fs/b.md")}


def test_src_02_what_is_no_text_is_passed_over(project: Project, ada: AgentWithToken, ada_tools: HttpTools) -> None:
    session = begin(ada_tools, "main", text="zebra")
    for name, content in {"a": "emVicmEA", "b": "//76YnJh", "c": "emVicmE="}.items():
        given = {"session": session, "store": "session", "path": f"/fs/{name}.bin", "content": content}
        ada_tools("brain_put", **given, encoding="base64").done()
    assert paths(ada_tools, "zebra") == ["/fs/c.bin", "/fs/text.md"]
    ada_tools(
        "brain_put", session=session, store="session", path="/fs/text.md", content="AP8=", encoding="base64"
    ).done()
    assert paths(ada_tools, "zebra") == ["/fs/c.bin"]


def test_src_02_a_long_text_is_indexed_as_far_as_there_is_room(project: Project, ada_tools: HttpTools) -> None:
    page(ada_tools, "/fs/a.md", "zebra " + "字" * BIG + " quagga")
    page(ada_tools, "/fs/b.md", "zebra " + " ".join(f"w{number}" for number in range(60_000)))
    assert paths(ada_tools, "zebra") == ["/fs/a.md", "/fs/b.md"]
    assert paths(ada_tools, "quagga") == []


def test_src_02_more_than_one_batch(project: Project, ada_tools: HttpTools, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "ROWS", 7)
    monkeypatch.setattr(following, "CHARS", 30)
    session = begin(ada_tools, "main", **{f"n{number}": f"zebra and more {number}" for number in range(20)})
    page(ada_tools, "/fs/page.md", "zebra")
    for number in range(20):
        write(ada_tools, session, "/fs/n0.md", f"zebra again {number}")
    assert len(paths(ada_tools, "zebra", limit=100)) == 21
    assert SearchFile.objects.get(key=session).last == 40


PLACES = (
    "after agentfs.handle.Handle.commit",  # the page is in its file, and nobody was told
    "before search.following.store_news",
    "after search.index.put_all",  # in the transaction
    "after search.following.store_news",
)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("place", PLACES)
def test_src_02_after_a_crash_the_next_search_finds_the_page(
    project: Project, ada: AgentWithToken, ada_tools: HttpTools, place: str
) -> None:
    page(ada_tools, "/fs/first.md", "quagga")
    if place == PLACES[0]:
        dies(place, "tests.search.writing.write_page", ada.actor, "atlas", path="/fs/page.md", text="zebra")
    else:
        page(ada_tools, "/fs/page.md", "zebra")
        dies(place, "search.jobs.follow_files")
    assert paths(ada_tools, "zebra") == ["/fs/page.md"]
    assert entries("page") == {("atlas", "/fs/first.md"), ("atlas", "/fs/page.md")}
    follow_files()
    assert paths(ada_tools, "zebra") == ["/fs/page.md"]


def test_src_02_a_file_that_cannot_be_read_fails_no_search(project: Project, ada_tools: HttpTools) -> None:
    session = begin(ada_tools, "main", notes="zebra")
    page(ada_tools, "/fs/page.md", "zebra")
    agentfs.close_all()
    brain_file(session).write_bytes(b"no database" * 1000)
    assert paths(ada_tools, "zebra") == ["/fs/page.md"]
    follow_files()
    assert SearchFile.objects.get(key=session).open


def test_src_02_a_file_put_back_from_before_is_read_anew(project: Project, ada_tools: HttpTools) -> None:
    page(ada_tools, "/fs/a.md", "zebra")
    page(ada_tools, "/fs/b.md", "zebra")
    assert paths(ada_tools, "zebra") == ["/fs/a.md", "/fs/b.md"]
    knowledge_of(project).remove()
    assert paths(ada_tools, "zebra") == []
    page(ada_tools, "/fs/c.md", "zebra")
    assert paths(ada_tools, "zebra") == ["/fs/c.md"]
    assert entries("page") == {("atlas", "/fs/c.md")}


@pytest.mark.django_db(transaction=True)
def test_src_02_many_searches_at_once_index_a_write_once(project: Project, ada: AgentWithToken) -> None:
    session = begin(HttpTools(ada.token), "main", **{f"n{number}": "zebra" for number in range(10)})
    page(HttpTools(ada.token), "/fs/page.md", "zebra")
    found = together([lambda: len(paths(HttpTools(ada.token), "zebra"))] * 4)
    assert found == [11] * 4
    assert SearchFile.objects.get(key=session).last == 10
    assert len(entries("brain")) == 10


def test_src_02_a_file_at_rest_is_looked_at_no_more(project: Project, ada_tools: HttpTools) -> None:
    session = begin(ada_tools, "main", notes="zebra")
    follow_files()
    assert SearchFile.objects.get(key=session).open
    write(ada_tools, session, "/fs/last.md", "zebra at last")
    ada_tools("session_end", session=session).done()
    assert paths(ada_tools, "last") == ["/fs/last.md"]
    assert follow_files() == 1
    assert not SearchFile.objects.get(key=session).open
    begin(ada_tools, "main", again="zebra again")
    assert paths(ada_tools, "again") == ["/fs/again.md"]


def test_src_02_what_ended_and_began_again_meanwhile_stays_open(
    project: Project, ada_tools: HttpTools, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The job saw it ended; before it could note that, the session was resumed, written to and ended again."""
    session = begin(ada_tools, "main", notes="zebra")
    ada_tools("session_end", session=session).done()
    meant = store_news

    def meanwhile(*given: Any, **named: Any) -> Any:
        stored = meant(*given, **named)
        begin(ada_tools, "main", late="zebra late")
        ada_tools("session_end", session=session).done()
        return stored

    monkeypatch.setattr("search.following.store_news", meanwhile)
    assert follow_files() == 0
    monkeypatch.undo()
    assert SearchFile.objects.get(key=session).open
    assert paths(ada_tools, "late") == ["/fs/late.md"]


def test_ses_05_a_fork_has_its_own_rows_and_the_source_keeps_its(
    project: Project, ada_tools: HttpTools, ben_tools: HttpTools
) -> None:
    source = begin(ada_tools, "main", notes="zebra", gone="zebra")
    ada_tools("brain_delete", session=source, store="session", path="/fs/gone.md").done()
    assert paths(ada_tools, "zebra") == ["/fs/notes.md"]
    fork = ben_tools("session_start", project="atlas", name="fork", **{"from": {"session": source}})["session"]
    found = hits(ada_tools("search", query="zebra", families=["brain"]))
    assert {(hit["session"], hit["session_name"]) for hit in found} == {(source, "main"), (fork, "fork")}
    write(ben_tools, fork, "/fs/notes.md", "quagga")
    assert [hit["session"] for hit in hits(ada_tools("search", query="zebra", families=["brain"]))] == [source]


def test_ses_05_adopting_moves_no_row(project: Project, ada_tools: HttpTools, ben_tools: HttpTools) -> None:
    session = begin(ada_tools, "main", notes="zebra")
    ada_tools("session_end", session=session).done()
    follow_files()
    before = entries("brain")
    ben_tools("session_start", project="atlas", name="taken", **{"from": {"session": session}}).done()
    assert entries("brain") == before
    write(ben_tools, session, "/fs/more.md", "zebra more")
    assert paths(ada_tools, "zebra") == ["/fs/more.md", "/fs/notes.md"]


@pytest.mark.parametrize("followed", [True, False])
def test_ses_08_a_pruned_session_is_hidden_at_once_and_comes_back(
    project: Project, ada_tools: HttpTools, human_api: HumanApi, *, followed: bool
) -> None:
    session = begin(ada_tools, "main", notes="zebra")
    ada_tools("signal_append", project="atlas", session=session, summary="zebra crossed").done()
    if followed:
        assert len(titles(ada_tools, "zebra")) == 2
    ada_tools("session_end", session=session, handoff="mind the zebra").done()
    human_api.post(f"/sessions/{session}/prune").done()
    answer = ada_tools("search", query="zebra", families=["brain"]).done()
    assert (hits(answer), answer["count"]) == ([], 0)
    human_api.delete(f"/sessions/{session}/prune").done()
    assert paths(ada_tools, "zebra") == ["/fs/notes.md"]


def test_ses_08_the_close_of_a_prune_removes_its_rows_and_no_others(
    project: Project, ada_tools: HttpTools, human: Person, settings: Any
) -> None:
    session = begin(ada_tools, "main", notes="zebra")
    kept = begin(ada_tools, "kept", notes="zebra")
    ada_tools("signal_append", project="atlas", session=session, summary="zebra crossed").done()
    ada_tools("session_end", session=session, handoff="mind the zebra").done()
    assert len(titles(ada_tools, "zebra")) == 4
    prune_session(human.actor, "atlas", session=session)
    settings.HUB_UNDO_SECONDS = -1
    assert close_due_prunes() == 1
    assert entries("brain") == {("atlas", f"{kept}:/fs/notes.md")}
    assert not SearchFile.objects.filter(key=session).exists()
    assert not SearchDocument.objects.filter(family="event", session=session).exclude(title__contains="cross").exists()
    assert sorted(titles(ada_tools, "zebra")) == ["notes.md", "zebra crossed"]


def test_ses_08_a_late_look_brings_nothing_of_a_removed_session_back(
    project: Project, ada_tools: HttpTools, human: Person, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = begin(ada_tools, "main", notes="zebra")
    ada_tools("session_end", session=session).done()
    prune_session(human.actor, "atlas", session=session)
    settings.HUB_UNDO_SECONDS = -1
    meant = store_news

    def meanwhile(*given: Any, **named: Any) -> Any:
        assert close_due_prunes() == 1
        return meant(*given, **named)

    monkeypatch.setattr("search.following.store_news", meanwhile)
    follow_files()
    assert entries("brain") == set()
    assert not SearchFile.objects.filter(key=session).exists()


def test_knb_07_no_prune_reaches_pages_and_deleting_the_project_removes_their_rows(
    project: Project, ada_tools: HttpTools, human_api: HumanApi
) -> None:
    session = begin(ada_tools, "main", notes="zebra")
    page(ada_tools, "/fs/page.md", "zebra")
    page(ada_tools, "/fs/own.md", "zebra", "~ada")
    ada_tools("session_end", session=session).done()
    human_api.post(f"/sessions/{session}/prune").done()
    assert paths(ada_tools, "zebra") == ["/fs/own.md", "/fs/page.md"]
    human_api.call("DELETE", "/projects/atlas", None, confirm="atlas").done()
    assert paths(ada_tools, "zebra") == ["/fs/own.md"]
    assert set(SearchDocument.objects.values_list("project", flat=True)) == {"~ada"}
    assert set(SearchFile.objects.values_list("project", flat=True)) <= {"~ada"}


def test_src_02_a_project_deleted_while_its_file_is_read(
    project: Project, ada_tools: HttpTools, human_api: HumanApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    page(ada_tools, "/fs/page.md", "zebra")
    page(ada_tools, "/fs/own.md", "zebra", "~ada")
    meant = store_news

    def meanwhile(*given: Any, **named: Any) -> Any:
        human_api.call("DELETE", "/projects/atlas", None, confirm="atlas").done()
        return meant(*given, **named)

    monkeypatch.setattr("search.following.store_news", meanwhile)
    assert paths(ada_tools, "zebra") == ["/fs/own.md"]


def test_src_02_what_was_there_before_search_is_followed(project: Project, ada_tools: HttpTools) -> None:
    """As the migration leaves it: named, and not followed yet."""
    session = begin(ada_tools, "main", notes="zebra")
    ada_tools("session_end", session=session).done()
    SearchFile.objects.all().delete()
    assert paths(ada_tools, "zebra") == []
    follow("brain", "atlas", session)
    assert paths(ada_tools, "zebra") == ["/fs/notes.md"]


@pytest.mark.django_db(transaction=True)
def test_src_02_searches_while_a_project_is_written_to_and_deleted(
    project: Project, ada: AgentWithToken, human: Person
) -> None:
    session = begin(HttpTools(ada.token), "main", notes="zebra")
    page(HttpTools(ada.token), "/fs/own.md", "zebra", "~ada")
    client = Client()
    client.force_login(human.user)
    searched: list[list[str]] = []

    def search() -> bool:
        searched.append(paths(HttpTools(ada.token), "zebra", limit=100))
        return True

    def write() -> bool:
        tools = HttpTools(ada.token)
        number = len(searched)
        given = {"project": "atlas", "content": f"zebra {number}", "path": f"/fs/{number}.md"}
        outcomes = [
            tools("brain_put", store="session", session=session, **given),
            tools("brain_put", store="project", **given),
        ]
        return not any(outcome.refused for outcome in outcomes)

    with Meanwhile(search, search, write):
        while len(searched) < 12:
            pass
        HumanApi(client).call("DELETE", "/projects/atlas", None, confirm="atlas").done()
    assert paths(HttpTools(ada.token), "zebra") == ["/fs/own.md"]
    assert all("/fs/own.md" in found for found in searched)
    assert {name for name, _ in entries("page") | entries("brain")} == {"~ada"}
