"""GOV-04, GOV-05, GOV-07, GOV-10: versions never change, in the database itself; old ones stay as they were."""

from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from knowledge.models import Document, DocumentVersion, Draft
from tests.governed.desk import SOURCE, accepted, found, publish, published, saved
from tests.inprocess import HttpTools, HumanApi, Json

pytestmark = pytest.mark.django_db
OTHER: Json = {
    "id": 10**6,
    "document_id": "01HZZZZZZZZZZZZZZZZZZZZZZZ",
    "number": 7,
    "title": "Other",
    "body": "Other.",
    "sources": [],
    "revision": 7,
    "editorial": True,
    "verified_commit": "f" * 40,
    "published_by": "nobody",
    "created_at": "2001-01-01T00:00:00Z",
}
"""Another value for each column that never changes; what a version's state is, and why it failed, may change."""


def columns() -> dict[str, Any]:
    return {**DocumentVersion.objects.values().get()}


@pytest.mark.parametrize("column", OTHER)
def test_gov_04_the_database_refuses_to_change_a_version(tools: HttpTools, human_api: HumanApi, column: str) -> None:
    published(tools, human_api)
    before = columns()
    with pytest.raises(DatabaseError, match="a version never changes"), transaction.atomic():
        DocumentVersion.objects.update(**{column: OTHER[column]})
    if column not in {"id", "sources"}:
        sql = f"UPDATE knowledge_documentversion SET {column} = %s"  # noqa: S608 - our columns
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql, [OTHER[column]])
    assert columns() == before


def test_gov_04_every_column_is_fixed_or_says_how_it_stands() -> None:
    every = {field.attname for field in DocumentVersion._meta.concrete_fields}
    assert every == OTHER.keys() | {"state", "error"}


def test_gov_04_no_other_way_into_a_version(tools: HttpTools, human_api: HumanApi) -> None:
    published(tools, human_api)
    before = columns()
    row = DocumentVersion.objects.get()
    row.body = "Other."
    with pytest.raises(DatabaseError), transaction.atomic():
        row.save()
    with pytest.raises(DatabaseError), transaction.atomic():
        DocumentVersion.objects.bulk_update([row], ["body"])
    with pytest.raises(DatabaseError), transaction.atomic():
        DocumentVersion.objects.bulk_create([row], update_conflicts=True, unique_fields=["id"], update_fields=["body"])
    if connection.vendor == "sqlite":
        names = ", ".join(before)
        values = ", ".join("'Other.'" if name == "body" else name for name in before)
        sql = (
            f"INSERT OR REPLACE INTO knowledge_documentversion ({names}) SELECT {values} FROM knowledge_documentversion"  # noqa: S608 - our columns
        )
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql)
    assert columns() == before


def test_gov_04_a_version_says_what_its_draft_said_when_it_was_published(
    tools: HttpTools, human_api: HumanApi, reader: HttpTools
) -> None:
    document = published(tools, human_api, "One", "First.")
    revision = saved(tools, document, 1, title="Two", body="Second.", sources=[SOURCE, SOURCE | {"title": "why"}])
    assert publish(human_api, document, revision).done() == {
        "document": document,
        "version": 2,
        "state": "published",
        "error": None,
    }
    first, second = (reader("document_get", document=document, version=number).done() for number in (1, 2))
    assert (first["title"], first["body"], len(first["sources"])) == ("One", "First.", 1)
    assert (second["title"], second["body"], len(second["sources"])) == ("Two", "Second.", 2)
    assert (first["published_by"], first["version"], second["version"]) == ("human:kim", 1, 2)
    lines = human_api.get(f"/documents/{document}/versions")["versions"]
    assert [(line["version"], line["title"]) for line in lines] == [(2, "Two"), (1, "One")]
    page = human_api.get(f"/documents/{document}/versions", limit=1).done()
    rest = human_api.get(f"/documents/{document}/versions", limit=1, cursor=page["next_cursor"])
    assert [line["version"] for line in rest["versions"]] == [1]


def test_gov_10_reads_answer_the_version_that_is_effective_now(
    tools: HttpTools, human_api: HumanApi, reader: HttpTools
) -> None:
    document = published(tools, human_api, body="the quagga 1")
    for number in range(2, 5):
        revision = saved(tools, document, number - 1, body=f"the quagga {number}")
        assert reader("document_get", document=document)["version"] == number - 1  # a draft changes nothing
        publish(human_api, document, revision).done()
        shown = reader("document_get", document=document).done()
        assert (shown["version"], shown["body"]) == (number, f"the quagga {number}")
        assert [(hit["version"], hit["snippet"]) for hit in found(reader, "quagga")] == [
            (number, f"the quagga {number}")
        ]
        assert reader("document_list", project="atlas")["documents"][0]["version"] == number


def test_gov_05_restoring_copies_a_version_exactly(tools: HttpTools, human_api: HumanApi) -> None:
    body = "# Ä heading\r\n\n  spaces  \t\n\u2028 \U0001f40e\n\n"
    source = {"kind": "repository", "commit": "a" * 40, "path": "x.py", "blob": "b" * 40, "lines": [1, 2]}
    document = published(tools, human_api, "First  title", body, sources=[source, SOURCE])
    publish(human_api, document, saved(tools, document, 1, title="Two", body="Second.", sources=[SOURCE])).done()
    before = list(DocumentVersion.objects.order_by("number").values())
    restored = human_api.post(f"/documents/{document}/restore", version=1).done()
    assert restored == {"document": document, "revision": 3}
    old, draft = DocumentVersion.objects.get(number=1), Draft.objects.get()
    assert (draft.title, draft.body, draft.sources) == (old.title, old.body, old.sources)
    assert (draft.body, draft.restored_from, draft.base_version) == (body, 1, 2)
    assert list(DocumentVersion.objects.order_by("number").values()) == before
    assert tools("document_get", document=document)["body"] == "Second."
    assert publish(human_api, document, 3)["version"] == 3
    third = DocumentVersion.objects.get(number=3)
    assert (third.title, third.body, third.sources) == (old.title, old.body, old.sources)


def test_gov_05_restoring_over_a_draft_that_was_seen(tools: HttpTools, human_api: HumanApi) -> None:
    document = published(tools, human_api)
    saved(tools, document, 1, body="Hers.")
    at = f"/documents/{document}/restore"
    assert human_api.post(at, version=1, replace=True, expected_revision=2)["revision"] == 3
    assert human_api.get(f"/documents/{document}/draft")["restored_from"] == 1


def test_gov_03_the_counter_never_restarts_and_the_same_text_does_not_move_it(
    tools: HttpTools, human_api: HumanApi
) -> None:
    document = published(tools, human_api)
    assert saved(tools, document, 1, body="Words.") == 1  # what is published is no change, and begins no draft
    assert not Draft.objects.exists()
    assert saved(tools, document, 1, body="Two.") == 2
    for same in ({"body": "Two."}, {"title": " One "}, {"sources": [SOURCE]}, {}):
        assert saved(tools, document, 2, **same) == 2
    assert publish(human_api, document, 2)["version"] == 2
    assert saved(tools, document, 2, body="Three.") == 3
    assert human_api.delete(f"/documents/{document}/draft", expected_revision=3)["revision"] == 4
    assert saved(tools, document, 4, body="Three.") == 5
    publish(human_api, document, 5).done()
    assert human_api.post(f"/documents/{document}/restore", version=1)["revision"] == 6
    assert Document.objects.get().revision == 6
    # Words that differ by how a letter is composed are the same words.
    assert saved(tools, document, 6, body="\u00e9") == saved(tools, document, 7, body="e\u0301") == 7


def test_gov_03_who_maintains_and_who_reads_moves_no_revision(
    tools: HttpTools, human_api: HumanApi, lee: HumanApi
) -> None:
    document = published(tools, human_api)
    saved(tools, document, 1, body="Two.")
    human_api.post("/projects/atlas/spaces/project/shares", agent="ada").done()
    human_api.delete("/projects/atlas/spaces/project/maintainers", user="lee").done()
    assert publish(human_api, document, 2)["version"] == 2


def test_gov_04_an_archived_document_is_out_of_search_and_back_as_it_was(
    tools: HttpTools, human_api: HumanApi, reader: HttpTools
) -> None:
    document = published(tools, human_api, body="# Zebra\n\nstripes\n\n# Gnu\n\nbeard")
    before = found(reader, "zebra gnu")
    human_api.post(f"/documents/{document}/archive").done()
    assert found(reader, "zebra gnu") == []
    assert reader("document_list", project="atlas")["documents"] == []
    listed = reader("document_list", project="atlas", state="archived")["documents"]
    assert [row["id"] for row in listed] == [document]
    assert reader("document_get", document=document)["state"] == "archived"
    human_api.delete(f"/documents/{document}/archive").done()
    assert found(reader, "zebra gnu") == before


def test_gov_07_a_source_that_is_gone_stays_and_says_so(tools: HttpTools, human_api: HumanApi) -> None:
    at = {"project": "atlas", "store": "project", "path": "/fs/how.md"}
    version = tools("brain_put", content="So.", **at)["version"]
    shown = {"project": "atlas", "title": "x", "kind": "text", "content": "x"}
    artifact = tools("artifact_publish", **shown)["artifact"]
    page = {"kind": "page", "path": "/fs//how.md", "version": version}
    cited = [page, {"kind": "artifact", "artifact": artifact.lower(), "version": 1}, SOURCE]
    document = published(tools, human_api, sources=cited)
    stored = DocumentVersion.objects.get().sources
    assert [source.get("path") or source.get("artifact") for source in stored[:2]] == ["/fs/how.md", artifact]

    def states() -> list[str]:
        return [source["state"] for source in tools("document_get", document=document)["sources"]]

    assert states() == ["ok", "ok", "ok"]
    tools("brain_put", content="Otherwise.", **at).done()
    tools("artifact_delete", artifact=artifact).done()
    assert states() == ["drifted", "gone", "ok"]
    tools("brain_delete", **at).done()
    assert states() == ["gone", "gone", "ok"]
    assert DocumentVersion.objects.get().sources == stored
    revision = saved(tools, document, 1, body="Still so.")  # what it rested on may stay
    assert publish(human_api, document, revision)["version"] == 2


def test_gov_08_the_register_shows_what_stands_and_what_took_its_place(
    tools: HttpTools, human_api: HumanApi, reader: HttpTools
) -> None:
    one, two = (accepted(tools, human_api, title, "the ibex") for title in ("One", "Two"))
    three = accepted(tools, human_api, "Three", "the ibex", supersedes=[one, two])
    human_api.post(f"/documents/{three}/revoke", reason="Neither.").done()
    rows = {
        row["id"]: row["decision"] for row in reader("document_list", project="atlas", kind="decision")["documents"]
    }
    assert [rows[key]["number"] for key in (one, two, three)] == [1, 2, 3]
    # Whoever took their place is revoked, and they stay where they are.
    assert [rows[key]["status"] for key in (one, two, three)] == ["superseded", "superseded", "revoked"]
    assert (rows[one]["superseded_by"], rows[three]["supersedes"]) == (three, sorted([one, two]))
    assert (rows[three]["reason"], rows[three]["decided_by"]) == ("Neither.", "human:kim")
    assert found(reader, "ibex") == []
    assert [row["id"] for row in reader("document_list", project="atlas", status="revoked")["documents"]] == [three]
