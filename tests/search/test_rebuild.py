"""SRC-02: the index made anew is the same; another analyzer's rows are made anew in the background, and answer."""

import io
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from django.core.management import call_command

from core.jobs import JOBS
from projects.models import Event, Project
from search import analyzer, index, operations, rebuilding
from search.jobs import follow_files, index_outdated
from search.models import SearchDocument, SearchFile
from tests.brains import begin, write
from tests.inprocess import HttpTools, HumanApi
from tests.killing import dies
from tests.search.finding import page, paths, titles

COLUMNS = ("family", "project", "ref", "session", "title", "body", "scope", "words", "at", "version")


def table() -> list[tuple[Any, ...]]:
    """Answer the index, without the rows' own numbers."""
    return list(SearchDocument.objects.order_by("project", "family", "ref").values_list(*COLUMNS))


def reindex(**given: Any) -> str:
    """Run the command; answers what it showed on the way."""
    progress = io.StringIO()
    call_command("reindex", stdout=io.StringIO(), stderr=progress, **given)
    return progress.getvalue()


@pytest.fixture
def filled(project: Project, ada_tools: HttpTools, human_api: HumanApi) -> list[tuple[Any, ...]]:
    """Leave something of everything that is indexed, changed and deleted; answer the index."""
    session = begin(ada_tools, "main", notes="zebra", gone="zebra", again="zebra")
    ada_tools("brain_delete", session=session, store="session", path="/fs/gone.md").done()
    write(ada_tools, session, "/fs/again.md", "zebra again")
    write(ada_tools, session, "/kv/settings", {"colour": "zebra"})
    page(ada_tools, "/fs/docs/zebra.md", "# All about it\nPOL-358")
    page(ada_tools, "/fs/own.md", "zebra", "~ada")
    ada_tools("question_post", project="atlas", session=session, subject="zebra?", body="why 斑马").done()
    for number in range(12):
        ada_tools("signal_append", project="atlas", session=session, summary=f"zebra {number}").done()
    pruned = begin(ada_tools, "pruned", notes="zebra pruned")
    ada_tools("session_end", session=pruned, handoff="zebra").done()
    human_api.post(f"/sessions/{pruned}/prune").done()
    follow_files()
    rows = table()
    assert {row[0] for row in rows} >= {"event", "brain", "page"}
    return rows


def test_src_02_a_rebuild_gives_the_same(filled: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rebuilding, "BATCH", 5)
    progress = reindex()
    assert table() == filled
    assert "  0 %" in progress
    assert progress.endswith("100 %\n")


def test_src_02_a_rebuild_mends_what_is_missing_wrong_or_left_over(
    filled: list[tuple[Any, ...]], ada_tools: HttpTools
) -> None:
    event = Event.objects.filter(kind="signal").earliest("pk")
    SearchDocument.objects.filter(ref=event.pk).delete()
    SearchDocument.objects.filter(family="page", ref="/fs/own.md").delete()
    SearchDocument.objects.filter(ref__endswith=":/fs/notes.md").update(title="wrong", body="wrong")
    for family, ref in (("event", "01J00000000000000000000000"), ("page", "/fs/never.md")):
        index.put(family, "atlas", ref, title="left over", at=event.created_at)
    assert titles(ada_tools, "left over") == []
    reindex()
    assert table() == filled


def test_src_02_a_rebuild_that_was_stopped_goes_on(
    filled: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rebuilding, "BATCH", 5)
    with pytest.raises(KeyboardInterrupt):
        rebuilding.rebuild(stop_after(9))
    left = rebuilding.outdated()
    assert 0 < left < len(filled)
    folded: list[int] = []
    monkeypatch.setattr(index, "put_all", counting(index.put_all, folded))
    reindex(resume=True)
    assert table() == filled
    assert len(folded) < len(filled)


def stop_after(steps: int) -> Callable[[], None]:
    left = [steps]

    def told() -> None:
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt

    return told


def counting(put_all: Callable[[str, Iterable[Any]], None], seen: list[int]) -> Callable[[str, Iterable[Any]], None]:
    def put(family: str, documents: Iterable[Any]) -> None:
        given = list(documents)
        seen.extend(range(len(given)))
        put_all(family, given)

    return put


@pytest.mark.django_db(transaction=True)
def test_src_02_a_rebuild_that_was_killed_is_finished_by_the_hub(
    filled: list[tuple[Any, ...]], ada_tools: HttpTools
) -> None:
    before = len(titles(ada_tools, "zebra", limit=100))
    dies("before search.rebuilding.index_again", "django.core.management.call_command", None, "reindex")
    assert rebuilding.outdated()
    assert len(titles(ada_tools, "zebra", limit=100)) == before
    while index_outdated():
        pass
    assert table() == filled


def test_src_02_another_version_of_the_analyzer_is_applied_in_the_background(
    filled: list[tuple[Any, ...]], ada_tools: HttpTools, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = len(titles(ada_tools, "zebra", limit=100))
    for module in (analyzer, index, operations, rebuilding):
        if hasattr(module, "VERSION"):
            monkeypatch.setattr(module, "VERSION", 2)
    monkeypatch.setattr(rebuilding, "BATCH", 3)
    monkeypatch.setattr("search.jobs._BATCHES", 2)
    assert rebuilding.outdated() == len(filled)
    batches = 0
    while index_outdated():
        batches += 1
        assert len(titles(ada_tools, "zebra", limit=100)) == before
    assert batches > 2
    assert table() == [(*row[:-1], 2) for row in filled]


def test_src_02_what_changed_meanwhile_is_not_overwritten(
    filled: list[tuple[Any, ...]], ada_tools: HttpTools, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page is written, and found, between its being read for the rebuild and its being stored."""
    SearchDocument.objects.update(version=0)
    meant = operations.store_news

    def meanwhile(*given: Any, **named: Any) -> Any:
        page(ada_tools, "/fs/docs/zebra.md", "quagga")
        assert paths(ada_tools, "quagga") == ["/fs/docs/zebra.md"]
        return meant(*given, **named)

    monkeypatch.setattr("search.rebuilding.store_news", meanwhile)
    list(rebuilding.refresh())
    monkeypatch.undo()
    assert paths(ada_tools, "quagga") == ["/fs/docs/zebra.md"]
    list(rebuilding.refresh())
    assert rebuilding.outdated() == 0
    assert paths(ada_tools, "quagga") == ["/fs/docs/zebra.md"]


def test_src_02_both_jobs_run_by_themselves() -> None:
    assert {"search.jobs.follow_files", "search.jobs.index_outdated"} <= {job.name for job in JOBS}


def test_src_02_events_of_before_are_indexed_by_the_job(project: Project, ada_tools: HttpTools) -> None:
    """As the migration leaves them: listed, and not folded yet."""
    begin(ada_tools, "main")
    ada_tools("signal_append", project="atlas", summary="zebra").done()
    before = table()
    SearchDocument.objects.update(title="", body="", scope="", words=0, version=0)
    SearchFile.objects.update(last=0)
    assert titles(ada_tools, "zebra") == []
    assert index_outdated() == len(before)
    assert titles(ada_tools, "zebra") == ["zebra"]
    assert table() == before
