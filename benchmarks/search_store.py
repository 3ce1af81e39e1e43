"""A hub's store filled with documents, in a process of its own; prints as JSON what it measured without a hub.

The words follow Zipf's law, so that a few of them stand almost everywhere.
"""

import json
import random
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Final

from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from core import ids
from core.actor import HUB
from core.operation import write_transaction
from identity.models import Grant
from identity.operations import create_agent, issue_token, set_grant
from projects import feed
from projects.models import Event, Kind, Project
from search import index
from search.analyzer import terms_of
from search.families import Document
from search.matching import Place, holding
from search.ranking import COUNTED, Row, ranked

if TYPE_CHECKING:
    from collections.abc import Sequence

PROJECTS: Final = 50
READABLE: Final = 5
WORDS: Final = 65
TITLE: Final = 7
VOCABULARY: Final = 60_000
SYLLABLES: Final = ("ka lo mi ter son bra ve du sti gro pan qui zel for nex ty al ri mo cha ").split()  # noqa: SIM905 - so that it reads as a list
ROUNDS: Final = 60
WRITES: Final = 400


def vocabulary(draw: random.Random) -> "Sequence[str]":
    """Make up words, the most common one first."""
    words: dict[str, None] = {}
    while len(words) < VOCABULARY:
        words["".join(draw.choices(SYLLABLES, k=draw.randint(2, 5)))] = None
    return list(words)


def fill(number: int, draw: random.Random, words: "Sequence[str]") -> None:
    """Put events into the feeds of all projects, and index them."""
    slugs = [f"p{n}" for n in range(PROJECTS)]
    Project.objects.bulk_create(Project(slug=slug, name=slug) for slug in slugs)
    weights = list(accumulate(1 / (rank + 3) for rank in range(VOCABULARY)))
    last, left = None, number
    while left > 0:
        events = []
        for _ in range(min(left, 1000)):
            last = ids.after(last)
            text = draw.choices(words, cum_weights=weights, k=WORDS)
            title, body = " ".join(text[:TITLE]), " ".join(text[TITLE:])
            place = {"project_id": draw.choice(slugs), "kind": Kind.SIGNAL, "actor": "bench"}
            events.append(Event(id=last, summary=title, payload={"text": body}, created_at=timezone.now(), **place))
        with write_transaction():
            Event.objects.bulk_create(events)
            index.put_all("event", map(_document, events))
        left -= len(events)


def _document(event: Event) -> Document:
    return Document(event.project_id, event.pk, event.summary, event.payload["text"], event.created_at)


def median_ms(look: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Answer the median time something takes."""
    took = []
    for _ in range(rounds):
        began = time.perf_counter()
        look()
        took.append(time.perf_counter() - began)
    return statistics.median(took) * 1000


def queries(words: "Sequence[str]", number: int) -> Iterator[tuple[str, str, int]]:
    """Answer what is searched for, and in how many documents it stands: by how common its words are."""
    ranks = {"very common": 0, "medium": 300, "rare": 20_000}
    for name, rank in ranks.items():
        yield name, words[rank], _held(words[rank])
    yield "three of them", " ".join(words[rank] for rank in ranks.values()), number


def _held(word: str) -> int:
    term = terms_of(f"{word} ")[0].text
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {_MATCHES[connection.vendor]}", [term])  # noqa: S608 - constants
        return int(cursor.fetchone()[0])


_MATCHES: Final = {
    "sqlite": "search_index WHERE search_index MATCH %s",
    "postgresql": "search_docs WHERE tokens @@ %s::tsquery",
}


def searches(words: "Sequence[str]", number: int) -> list[dict[str, object]]:
    """Measure the bare SQL, and the ranking of a page, without a hub."""
    place = Place([f"p{n}" for n in range(READABLE)])
    rows: list[dict[str, object]] = []
    for name, query, held in queries(words, number):
        terms = [term for term in terms_of(query) if not term.prefix]
        sql = median_ms(partial(holding, [[term] for term in terms], place, COUNTED + 1))
        page = median_ms(partial(_ranked, query, place))
        rows.append({"name": name, "query": query, "held": held, "sql": sql, "ranked": page})
    return rows


def _ranked(query: str, place: Place) -> list[Row]:
    return list(islice(ranked(terms_of(query), place).rows, 20))


def writes(words: "Sequence[str]", draw: random.Random) -> dict[str, float]:
    """Measure appending events, with and without the index."""
    project = Project.objects.get(pk="p0")

    def append() -> None:
        text = draw.choices(words, k=WORDS)
        with write_transaction():
            feed.append(project, Kind.SIGNAL, HUB, " ".join(text[:TITLE]), payload={"text": " ".join(text[TITLE:])})

    indexed = median_ms(append, WRITES)
    feed.INDEX = "benchmarks.search_store.nothing"  # type: ignore[misc]
    feed._index.cache_clear()  # noqa: SLF001 - as a hub without search would
    return {"indexed": indexed, "bare": median_ms(append, WRITES)}


def nothing(_: Event) -> None:
    """Index nothing."""


def bytes_each(number: int) -> float:
    """Answer how many bytes of the store a document takes, index included."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT sum(pgsize) FROM dbstat WHERE name GLOB 'search_docs*' OR name GLOB 'search_index*'")
        else:
            cursor.execute("SELECT pg_total_relation_size('search_docs')")
        return float(cursor.fetchone()[0]) / number


def main(number: int) -> None:
    """Fill, measure and print."""
    call_command("migrate", verbosity=0)
    draw = random.Random(5)  # noqa: S311 - the same at every run
    words = vocabulary(draw)
    began = time.perf_counter()
    fill(number, draw, words)
    filled = time.perf_counter() - began
    create_agent(HUB, name="reader", trusted=False)
    for slug in range(READABLE):
        set_grant(HUB, f"p{slug}", agent="reader", level=Grant.Level.READ)
    told = {"token": issue_token(HUB, name="reader").secret, "bytes": bytes_each(number), "fill": filled}
    print(json.dumps(told | {"searches": searches(words, number), "writes": writes(words, draw)}))
