"""SRC-03: nothing anybody types is an error, nor reaches a query language."""

import random

import pytest

from projects.models import Project
from search.analyzer import TERMS, terms_of
from search.queries import Asked, search
from tests.inprocess import FACES, HumanApi
from tests.search.finding import hits, page
from tests.world import AgentWithToken

LISTED = {
    "empty": "",
    "blank": " \t\n ",
    "punctuation": "!?.,;:-_/\\|()[]{}<>'`~@#$%^&*+=",
    "stop words": "what is the of",
    "long": "wordy " * 1700,
    "one long word": "w" * 10_000,
    "unbalanced": 'a "quick brown',
    "quotes": '"" """ " "',
    "near": "NEAR(fox brown, 5)",
    "star": "*",
    "prefix": "qui*",
    "or": 'a" OR "b',
    "column": "title : fox ^brown -fox {title body}: x",
    "tsquery": "fox & !brown | ( <-> :*A 'it''s'",
    "sql": "'; DROP TABLE search_docs; --",
    "percent": "%s %(x)s %% {0} \\' \\0",
    "nul": "fo\0x",
    "right to left": "\u202eabc \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627",
    "combining": "e\u0301\u0302\u0303 \u0301\u0301 Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A",
    "emoji": "🎉 👩‍👩‍👧 🏳️‍🌈",
    "wide": "ﬁ ½ ﷺ Å ﾊﾟ",
}
PIECES = [
    *('"', "'", "*", "(", ")", "AND", "OR", "NOT", "NEAR(", "NEAR/2", ":", "^", "-", "+", "~", "<->", "&", "|", "!"),
    *(
        "title:",
        "{",
        "}",
        "\\",
        "\0",
        "%",
        "%s",
        ";",
        "--",
        "/*",
        "0pdf6fb8ef90e5aac5",
        "fox",
        "brown",
        "漢字",
        "é",
        "🎉",
    ),
    *("\u200d", "\u202e", "a.b", "x@y", "\ud7ff", "\uffff", "\U0010ffff", " ", " ", " "),
]


def queries(number: int = 500) -> list[str]:
    """Make hostile queries, the same at every run."""
    draw = random.Random(5)  # noqa: S311 - the same at every run
    return ["".join(draw.choices(PIECES, k=draw.randint(1, 12))) for _ in range(number)]


@pytest.mark.parametrize("query", LISTED.values(), ids=LISTED.keys())
def test_src_03_every_face_answers_whatever_is_typed(
    project: Project, ada: AgentWithToken, human_api: HumanApi, query: str
) -> None:
    page(FACES["http"](ada.token), "/fs/fox.md", "the quick brown fox is about what we are")
    answers = [face(ada.token)("search", query=query).done() for face in FACES.values()]
    answers.append(human_api.get("/search", query=query).done())
    found = [[hit["path"] for hit in hits(answer)] for answer in answers]
    wanted = ["/fs/fox.md"] if any(word in query for word in ("quick", "fox", "qui", "what is")) else []
    assert found == [wanted] * 3


def test_src_03_five_hundred_hostile_queries_are_answered(project: Project, ada: AgentWithToken) -> None:
    page(FACES["http"](ada.token), "/fs/fox.md", "the quick brown fox")
    for query in queries():
        found = search(ada.actor, Asked(query))
        terms = terms_of(query)
        assert len(terms) <= TERMS
        assert all(token.isascii() and token.isalnum() for term in terms for token in term.text.split())
        if "fox" in query.split() or "brown" in query.split():
            assert found.count == 1, query


def test_src_03_a_scope_cannot_be_typed(project: Project, ada: AgentWithToken) -> None:
    page(FACES["http"](ada.token), "/fs/fox.md", "fox")
    for typed in ("0pdf6fb8ef90e5aac5", "0f7b6cb64f09f2bf0e", '"0pdf6fb8ef90e5aac5"'):
        assert search(ada.actor, Asked(typed)).count == 0


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"families": ["page", "nothing"]}, "families"),
        ({"cursor": "x"}, "cursor"),
        ({"cursor": "1.-5"}, "cursor"),
        ({"cursor": "9" * 40 + ".1"}, "cursor"),
        ({"limit": 0}, "limit"),
        ({"limit": 101}, "limit"),
        ({"session": "x"}, "session"),
        ({"after": "yesterday"}, "after"),
        ({"nothing": "x"}, "nothing"),
    ],
)
def test_src_01_what_is_asked_wrongly_is_named(
    project: Project, ada: AgentWithToken, human_api: HumanApi, given: dict[str, object], field: str
) -> None:
    for refusal in (
        *(face(ada.token)("search", query="fox", **given) for face in FACES.values()),
        human_api.get("/search", query="fox", **given),
    ):
        assert refusal.code == "invalid_argument"
        named = refusal.details.get("field") or refusal.details["errors"][0]["field"]
        assert named == field


def test_src_01_an_unknown_family_is_told_which_there_are(project: Project, ada: AgentWithToken) -> None:
    refusal = FACES["mcp"](ada.token)("search", query="fox", families=["nothing"])
    assert {"event", "brain", "page"} <= set(refusal.body["message"].replace(".", "").replace(",", "").split())
