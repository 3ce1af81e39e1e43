"""TSK-07, SRC-03: what is not current takes nobody's place, and recall finds at least what search finds."""

from collections.abc import Sequence
from typing import Any

import pytest
from django.utils import timezone

from knowledge.models import Chunk, Decision, Document, DocumentVersion, Space
from knowledge.retrieval import planes, recall, relational
from knowledge.retrieval.base import Published, Ref
from knowledge.retrieval.upkeep import _findable, _published
from projects.models import Project
from search import index
from search.families import Document as Indexed
from search.queries import Asked, search
from tests.governed.desk import publish, published, repository, saved
from tests.inprocess import HttpTools, HumanApi
from tests.retrieval.outage import built
from tests.search.known_items import PAIRS, Item, items
from tests.world import AgentWithToken

NOW = timezone.now()


def spaces() -> list[Space]:
    return list(Space.objects.all())


def shelve(project: Project, made: Sequence[Item], *, space: Space | None = None) -> dict[str, Item]:
    """Publish documents straight into the tables and the index: ranking is what is tried."""
    space = space or Space.objects.create(
        id="01J00000000000000000000000", project=project, kind="project", name="project", created_at=NOW
    )
    ids = {f"01J0000000000000000000{number:04}": item for number, item in enumerate(made, 1)}
    said = {"created_by": "kim", "created_at": NOW, "updated_at": NOW}
    Document.objects.bulk_create(Document(id=pk, space=space, project=project, kind="guide", **said) for pk in ids)
    text = {"sources": [], "revision": 1, "published_by": "kim", "created_at": NOW, "state": "published"}
    versions = DocumentVersion.objects.bulk_create(
        DocumentVersion(document_id=pk, number=1, title=item.title, body=item.body, **text) for pk, item in ids.items()
    )
    Chunk.objects.bulk_create(Chunk(version=version, number=0, text=version.body) for version in versions)
    for version in versions:
        Document.objects.filter(pk=version.document_id).update(state="published", current=version)
    rows = [Indexed(project.pk, f"{pk}.1.0", item.title, item.body, NOW, share=space.pk) for pk, item in ids.items()]
    index.put_all("document", rows)
    return ids


def die(project: Project, document: str, numbers: Sequence[int], text: str = "zebra zebra zebra") -> None:
    """Leave rows of versions that are not current in the index, with words that rank before all others."""
    space = Document.objects.get(pk=document).space_id
    rows = [Indexed(project.pk, f"{document}.{number}.0", text, text, NOW, share=space) for number in numbers]
    index.put_all("document", rows)


@pytest.mark.parametrize("plane", ["", "tantivy"])
def test_tsk_07_dead_rows_ahead_take_nobodys_place(project: Project, settings: Any, plane: str) -> None:
    settings.HUB_RETRIEVAL_PLANE = plane
    live = shelve(project, [Item("", "", "the zebra is one of many words here", "") for _ in range(3)])
    die(project, next(iter(live)), range(2, 32))
    configured = planes.plane()
    if configured is not None:
        dead = [(Published(f"{number:026}", 1, spaces()[0].pk, "zebra"), ["zebra zebra"]) for number in range(30)]
        configured.rebuild([*_published(_findable()), *dead])
    answer = recall(spaces(), "zebra", 3, mode="running")
    assert sorted(hit.document for hit in answer.hits) == sorted(live)
    assert [hit.version for hit in answer.hits] == [1, 1, 1]
    assert answer.stale_dropped == (30 if plane else 0)
    if plane:
        assert all(set(hit.ranks) == {"relational", "tantivy"} for hit in answer.hits)


def test_tsk_07_the_ranking_query_itself_leaves_the_dead_out(project: Project) -> None:
    # More of them than a term gives: were they left out after, nothing would be left.
    live = shelve(project, [Item("", "", "the zebra is one of many words here", "") for _ in range(3)])
    die(project, next(iter(live)), range(2, 1202))
    assert sorted(relational.search("zebra", spaces(), 3)) == [Ref(document, 1, 0) for document in sorted(live)]


def test_tsk_07_what_is_archived_undecided_or_of_another_space_is_not_there(project: Project, settings: Any) -> None:
    settings.HUB_RETRIEVAL_PLANE = "tantivy"
    made = shelve(project, [Item("", "", f"zebra {number}", "") for number in range(5)])
    built()
    *rest, archived, proposed, moved = made  # the newest, which come first
    other = Space.objects.create(
        id="01J00000000000000000000001", project=project, kind="repository", name="code", created_at=NOW
    )
    asked = list(Space.objects.exclude(pk=other.pk))
    assert len(recall(asked, "zebra", 9, mode="running").hits) == 5
    # Behind the indexes' back, which still hold them all.
    Document.objects.filter(pk=archived).update(state="archived")
    Decision.objects.create(document_id=proposed, project=project, number=1)
    Document.objects.filter(pk=moved).update(space=other)
    answer = recall(asked, "zebra", 9, mode="running")
    assert sorted(hit.document for hit in answer.hits) == rest
    assert sorted(ref.document for ref in relational.search("zebra", asked, 2)) == rest
    assert recall([], "zebra", 9, mode="running").hits == []
    assert recall(asked, "", 9, mode="running").hits == []
    for nonsense in ('"', "*", "NEAR(", 'a" OR "b', "zebra) OR (1", "'; DROP TABLE x; --", "\x00%_"):
        recall(asked, nonsense, 9, mode="running")


def test_tsk_07_scopes_hold_in_every_leg(
    tools: HttpTools, human_api: HumanApi, tantivy: None, ada: AgentWithToken
) -> None:
    built()
    first = published(tools, human_api, "First", "zebra one")
    code = repository(human_api)
    second = published(tools, human_api, "Second", "zebra two", space="code") if code else ""
    for space in Space.objects.all():
        refs = [relational.search("zebra", [space], 9), planes.plane().search("zebra", [space.pk], 9)]  # type: ignore[union-attr]
        want = second if space.pk == code else first
        assert [[ref.document for ref in leg] for leg in refs] == [[want], [want]]


def test_tsk_07_a_new_version_is_recalled_and_the_old_one_is_not(
    tools: HttpTools, human_api: HumanApi, tantivy: None
) -> None:
    built()
    document = published(tools, human_api, "One", "zebra")
    for number in range(2, 4):
        body = f"zebra {number}"
        assert publish(human_api, document, saved(tools, document, number - 1, body=body))["version"] == number
        answer = recall(spaces(), "zebra", 3, mode="running")
        assert [(hit.version, hit.text) for hit in answer.hits] == [(number, body)]
    plane = planes.plane()
    assert plane is not None
    assert plane.held() == {(document, 2), (document, 3)}
    assert Ref(document, 1, 0) not in plane.search("zebra", [space.pk for space in spaces()], 9)


@pytest.mark.parametrize("plane", ["", "tantivy"])
def test_src_03_recall_finds_by_identifiers_at_least_what_search_finds(
    project: Project, ada: AgentWithToken, settings: Any, plane: str
) -> None:
    settings.HUB_RETRIEVAL_PLANE = plane
    _compare(shelve(project, list(items())), ada, plane, step=2 if plane else 6)


@pytest.mark.parametrize("plane", ["", "tantivy"])
def test_src_03_recall_finds_chinese_japanese_and_korean_at_least_as_search_does(
    project: Project, ada: AgentWithToken, settings: Any, plane: str
) -> None:
    settings.HUB_RETRIEVAL_PLANE = plane
    noise = [Item("", "", text[::-1] + text[::2] + text[1::2], "") for text, _ in PAIRS]
    _compare(shelve(project, [*(Item("", "", text, query) for text, query in PAIRS), *noise]), ada, plane)


def _compare(rows: dict[str, Item], ada: AgentWithToken, plane: str, step: int = 1) -> None:
    if plane:
        built()
    asked = [(pk, item.query) for pk, item in rows.items() if item.query][::step]
    within = spaces()
    recalled = [pk in [hit.document for hit in recall(within, query, 5, mode="running").hits] for pk, query in asked]
    searched = [
        pk in [hit.hit.shows["document"] for hit in search(ada.actor, Asked(query, limit=5)).hits]
        for pk, query in asked
    ]
    assert sum(recalled) >= sum(searched) >= 0.95 * len(asked)
