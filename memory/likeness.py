"""When two texts are the same, and when nearly (MEM-03)."""

import hashlib
import re
import unicodedata
from typing import Final, NamedTuple

from search.analyzer import indexed

NEARLY: Final = 0.85
_NUMBER: Final = re.compile(r"\d+(?:[.,:]\d+)*")
_WORD: Final = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
_NEGATIONS: Final = frozenset(  # words, so that the list reads as one
    """no not non never none nothing nobody nowhere neither nor without cannot nicht nie kein keine keinen keinem ohne
    pas jamais sans nunca jamás sin ninguno mai senza нет не никогда без""".split()  # noqa: SIM905
)
_NEGATING: Final = re.compile("不|没|沒|無|无|非|未|勿|ない|ません|않|못")


class Words(NamedTuple):
    """What is compared of a text: its words, its numbers, and how often it says no."""

    tokens: frozenset[str]
    numbers: tuple[str, ...]
    negations: int


def normalised(text: str) -> str:
    """Answer a text without what makes no difference: letter case, kinds of spaces, compatibility forms."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def content_hash(text: str) -> str:
    """Answer what tells whether two texts are the same."""
    return hashlib.sha256(normalised(text).encode()).hexdigest()


def words_of(text: str) -> Words:
    """Answer what is compared of a text."""
    plain = normalised(text)
    words = _WORD.findall(plain)
    negations = sum(word in _NEGATIONS or word.endswith(("n't", "n\u2019t")) for word in words)
    numbers = tuple(sorted(_NUMBER.findall(plain)))
    return Words(frozenset(indexed(plain).text.split()), numbers, negations + len(_NEGATING.findall(plain)))


def nearly_same(one: Words, other: Words) -> bool:
    """Tell whether two texts share nearly all words, and have the same numbers and negations."""
    if one.numbers != other.numbers or one.negations != other.negations:
        return False
    everything = one.tokens | other.tokens
    return bool(everything) and len(one.tokens & other.tokens) / len(everything) > NEARLY
