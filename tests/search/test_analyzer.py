"""SRC-03: what is indexed of a text, and what a query asks for."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.analyzer import INDEXED_BYTES, TERMS, Term, indexed, terms_of

TOKEN = re.compile("[a-z][a-z0-9]*")


def whole(query: str) -> list[str]:
    return [term.text for term in terms_of(query) if not term.prefix]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Deploying deployments", "deploy deploy"),
        ("POL-358", "pol n358 pol358"),
        ("snake_case", "snake case snakecase"),
        ("CamelCase", "camel case camelcase"),
        ("HTTPServer2", "http server2 httpserver2"),
        ("src/main.py", "src main py srcmainpy mainpy"),
        ("--dry-run", "dri run dryrun"),
        ("ENV_VAR", "env var envvar"),
        ("ada@example.org", "ada exampl org adaexampleorg exampleorg"),
        ("app.models.UserProfile", "app model user profil appmodelsuserprofile userprofile"),
        ("don't", "dont"),
        ("1e5", "n1e5"),
        ("01J0000000000000000000000A", "n01j0000000000000000000000a"),
        ("naïve NAÏVE nai\u0308ve", "naiv naiv naiv"),
        ("Straße", "strass"),
        ("漢字", "x6f22x5b57 x5b57"),
        ("漢", "x6f22"),
        ("(foo)[bar]", "foo bar"),
        ("", ""),
        ("\u0301 !? 🎉", ""),
    ],
)
def test_src_03_what_is_indexed_of_a_text(text: str, tokens: str) -> None:
    assert indexed(text).text == tokens


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("what is the plan", ["plan"]),
        ("what is the", ["what", "is", "the"]),
        ("sign.in", ["signin", "sign in", "sign", "in"]),
        ('"what is it" plan', ["what is it", "plan"]),
        ('"unbalanced plan', ["unbalanc", "plan"]),
        ("POL-358", ["pol358", "pol n358", "pol", "n358"]),
        ("plan plan PLAN", ["plan"]),
        ("日本語", ["x65e5x672c x672cx8a9e", "x65e5x672c", "x672cx8a9e"]),
        ('"', []),
        ("", []),
    ],
)
def test_src_03_what_a_query_asks_for(query: str, asked: list[str]) -> None:
    assert whole(query) == asked


@pytest.mark.parametrize(
    ("query", "beginning"),
    [
        ("depl", "depl"),
        ("depl ", None),
        ("d", None),
        ("depl*", "depl"),
        ('"depl"', None),
        ("pol-3", "pol3"),
        ("漢", "x6f22"),
    ],
)
def test_src_03_the_last_word_may_not_be_whole_yet(query: str, beginning: str | None) -> None:
    assert [term for term in terms_of(query) if term.prefix] == ([Term(beginning, prefix=True)] if beginning else [])


@given(st.text())
def test_src_03_any_text_becomes_plain_tokens(text: str) -> None:
    assert all(TOKEN.fullmatch(token) for token in indexed(text).text.split())
    terms = terms_of(text)
    assert len(terms) <= TERMS
    assert all(TOKEN.fullmatch(token) for term in terms for token in term.text.split())
    assert all(term.text for term in terms)


@given(st.text(min_size=1, max_size=40))
def test_src_03_a_text_holds_what_it_is_asked_for_with(text: str) -> None:
    """Whatever one writes is found by writing it again."""
    kept = f" {indexed(text).text} "
    asked = terms_of(text.replace('"', " "))
    assert all(f" {term.text} " in kept for term in asked if not term.prefix)


def test_src_03_a_long_text_is_cut_between_tokens() -> None:
    for text in ("字" * INDEXED_BYTES, " ".join(f"word{number}" for number in range(INDEXED_BYTES // 4))):
        kept = indexed(text).text
        assert len(kept) <= INDEXED_BYTES
        assert len(kept) > INDEXED_BYTES - 100
        assert all(TOKEN.fullmatch(token) for token in kept.split()[-3:])
