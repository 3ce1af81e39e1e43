"""GOV-04, GOV-06, SRC-02: what it costs to list and find documents, how they are cut; a rebuild indexes the same."""

import io
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from knowledge.agent_calls.documents import DocumentGet, DocumentList, document_get, document_list
from knowledge.chunks import MOST_CHARS, parts_of
from knowledge.models import CitedPage, Decision, Document, DocumentVersion, RepositoryFile
from search import index, rebuilding
from search.models import SearchDocument
from search.queries import Asked, search
from tests.governed.desk import accepted, drafted, found, publish, published, repository, saved
from tests.inprocess import HttpTools, HumanApi
from tests.world import AgentWithToken

FILE = {"kind": "repository", "commit": "1" * 40, "path": "x.py", "blob": "a" * 40}


def queries_of(look: Callable[[], object]) -> int:
    with CaptureQueriesContext(connection) as seen:
        look()
    return len(seen)


def test_gov_06_a_list_costs_the_same_however_long(tools: HttpTools, human_api: HumanApi, ada: AgentWithToken) -> None:
    repository(human_api)
    asked = Asked("ibex", families=["document"], limit=100)
    costs = []
    for number in (1, 4):
        for _ in range(number):
            published(tools, human_api, body="ibex", space="code", sources=[FILE])
            saved(tools, published(tools, human_api, body="ibex"), 1, body="x")
            old = accepted(tools, human_api, "x", "ibex")
            accepted(tools, human_api, "x", "ibex", supersedes=[old])
            drafted(tools)
        lists = queries_of(lambda: document_list(ada.actor, DocumentList(limit=100)))
        costs.append((lists, queries_of(lambda: search(ada.actor, asked))))
    assert costs[0] == costs[1]
    assert max(costs[1]) <= 9
    newest = Document.objects.filter(state="published").latest("pk").pk
    assert queries_of(lambda: document_get(ada.actor, DocumentGet(document=newest))) <= 4


def plan(rows: Any) -> str:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:  # a small table is read whole, whatever there is
            cursor.execute("SET LOCAL enable_seqscan = off")
    return str(rows.explain())


@pytest.mark.django_db
def test_gov_06_lists_and_look_ups_use_indexes(tools: HttpTools, human_api: HumanApi) -> None:
    document = published(tools, human_api)
    space = Document.objects.get().space_id
    for rows in (
        Document.objects.filter(space=space).order_by("-pk"),
        Document.objects.filter(project="atlas"),
        DocumentVersion.objects.filter(document=document).order_by("-number"),
        DocumentVersion.objects.filter(document=document, state="published"),
        CitedPage.objects.filter(project="atlas", path="/fs/x.md"),
        RepositoryFile.objects.filter(space=space, path__in=["x.py"]),
        Decision.objects.filter(project="atlas").order_by("-number"),
        SearchDocument.objects.filter(project="atlas", family="document", ref__in=[f"{document}.1.0"]),
    ):
        told = plan(rows)
        assert ("SCAN" not in told) if connection.vendor == "sqlite" else ("Index" in told), told


COLUMNS = ("family", "project", "ref", "session", "title", "body", "scope", "words", "at", "version")


def table() -> list[tuple[Any, ...]]:
    return list(SearchDocument.objects.filter(family="document").order_by("ref").values_list(*COLUMNS))


def reindex() -> None:
    call_command("reindex", stdout=io.StringIO(), stderr=io.StringIO())


def test_src_02_a_rebuild_indexes_documents_as_publishing_did(
    tools: HttpTools, human_api: HumanApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = "intro\n\n" + "\n".join(f"# Part {number}\n\nibex {number}" for number in range(12))
    long = published(tools, human_api, "Long", body)
    publish(human_api, long, saved(tools, long, 1, body=f"{body}\n\n# Last\n\nibex")).done()
    back = published(tools, human_api, "Back", "ibex 记录")
    gone = published(tools, human_api, "Gone", "ibex")
    for document in (back, gone):
        human_api.post(f"/documents/{document}/archive").done()
    human_api.delete(f"/documents/{back}/archive").done()
    ended = [accepted(tools, human_api, title, "ibex") for title in ("Old", "Revoked")]
    accepted(tools, human_api, "New", "ibex", supersedes=ended[:1])
    human_api.post(f"/documents/{ended[1]}/revoke", reason="x").done()
    drafted(tools, "Draft", "ibex")
    before = table()
    assert len(before) == 14 + 1 + 1
    monkeypatch.setattr(rebuilding, "BATCH", 3)
    reindex()
    assert table() == before
    SearchDocument.objects.filter(family="document", ref__contains=".2.").delete()
    SearchDocument.objects.filter(family="document").update(title="wrong", body="wrong")
    for document in (gone, *ended):
        index.put("document", "atlas", f"{document}.1.0", title="left over", at=before[0][-2])
    reindex()
    assert table() == before


def test_gov_04_a_text_is_cut_at_its_headings_as_the_parser_counts_lines() -> None:
    body = "before\u2028still before\r\n# One\r\nwords\x85more\n```\n# no heading\n```\n"
    body += "## Two\n\nx\n\nThree\n=====\ny\n> # quoted\n"
    parts = parts_of(body)
    assert [part.heading for part in parts] == ["", "One", "One / Two", "Three"]
    assert "".join(part.text for part in parts) == body
    assert [part.text.strip().splitlines()[0] for part in parts[1:]] == ["# One", "## Two", "Three"]
    assert parts_of(" \n") == []


def test_gov_04_long_parts_are_cut_and_found_to_their_end(tools: HttpTools, human_api: HumanApi) -> None:
    body = "# Long\n\n" + "word " * 30_000 + "ibex"
    parts = parts_of(body)
    assert "".join(part.text for part in parts) == body
    assert max(len(part.text) for part in parts) <= MOST_CHARS
    published(tools, human_api, "Long", body)
    (hit,) = found(tools, "ibex")
    assert (hit["heading"], hit["chunk"] > 20) == ("Long", True)
    unbroken = "\u8a18" * (3 * MOST_CHARS)
    assert [len(part.text) for part in parts_of(unbroken)] == [MOST_CHARS] * 3


@pytest.mark.parametrize(
    "text", ["[" * 60_000, "*_" * 50_000, "> " * 50_000, "`" * 99_999, "- " * 50_000, "<!--" * 20_000]
)
def test_gov_04_hostile_markdown_is_cut_soon(text: str) -> None:
    assert "".join(part.text for part in parts_of(text)) == text
