"""SRC-03: what is looked for by an identifier, or in a script without spaces, is among the first five."""

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime

from projects.models import Event, Kind, Project
from search import index
from search.families import Document
from search.queries import Asked, search
from tests.search.known_items import PAIRS, Item, items
from tests.world import AgentWithToken

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def fill(project: Project, made: Iterable[Item]) -> dict[str, Item]:
    """Index documents as events; answers each by its id. Straight into the tables: ranking is what is tried."""
    rows = {f"01J0000000000000000000{number:04}": item for number, item in enumerate(made)}
    Event.objects.bulk_create(
        Event(id=pk, project=project, kind=Kind.SIGNAL, actor="ada", summary=item.title, created_at=NOW)
        for pk, item in rows.items()
    )
    index.put_all("event", [Document(project.pk, pk, item.title, item.body, NOW) for pk, item in rows.items()])
    return rows


def missed(ada: AgentWithToken, rows: dict[str, Item]) -> list[str]:
    """Answer the queries whose document is not among the first five."""
    missing = []
    for pk, item in rows.items():
        found = search(ada.actor, Asked(item.query, limit=5)).hits
        if pk not in [hit.hit.shows["event"] for hit in found]:
            missing.append(item.query)
    return missing


def test_src_03_identifiers_are_found_by_how_they_are_written(project: Project, ada: AgentWithToken) -> None:
    rows = fill(project, items())
    missing = missed(ada, rows)
    assert len(rows) == 540
    assert len(missing) <= 0.05 * len(rows), missing


def respelt(query: str) -> str:
    """Answer an identifier as somebody else writes it: its words in one case, joined another way."""
    return re.sub(r"[-_./@]+|(?<=[a-z])(?=[A-Z])", "_" if "_" not in query else "-", query.lstrip("-")).lower()


def test_src_03_identifiers_are_found_by_another_spelling(project: Project, ada: AgentWithToken) -> None:
    rows = fill(project, items())
    again = {pk: replace(item, query=respelt(item.query)) for pk, item in list(rows.items())[::4]}
    missing = missed(ada, again)
    assert len(missing) <= 0.05 * len(again), missing


def test_src_03_chinese_japanese_and_korean_are_found(project: Project, ada: AgentWithToken) -> None:
    # Beside the pairs, as many texts of the same characters in another order.
    noise = [Item("", "", text[::-1] + text[::2] + text[1::2], "") for text, _ in PAIRS]
    rows = fill(project, [*(Item("", "", text, query) for text, query in PAIRS), *noise])
    missing = missed(ada, {pk: item for pk, item in rows.items() if item.query})
    assert len([query for _, query in PAIRS if len(query) == 2]) >= 10
    assert len(missing) <= 0.02 * len(PAIRS), missing
