"""What the index sees of a text, and what a query asks it: one analysis, in Python, for both databases.

Every token is a lower-case ASCII letter followed by letters and digits: neither database's parser has anything left to
decide, and no operator of a query language can be written with them.

- Words are folded (compatibility forms, case, accents) and stemmed as English.
- Scripts without spaces become overlapping pairs of characters; the last character of a run also stands alone.
- An identifier (``POL-358``, ``snake_case``, ``CamelCase``, ``a/b.py``, ``x@y.org``) stands as its parts in order; its
  joined form (``pol358``) follows after the text, so each spelling of it is found by every other.
"""

import re
import threading
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, pairwise
from typing import Final, NamedTuple

import Stemmer

VERSION: Final = 1
"""Raise it when `indexed` answers otherwise for any text: what is stored is then indexed anew, in the background."""

TERMS: Final = 32
QUERY_CHARS: Final = 2_000
# PostgreSQL takes at most a mebibyte of words and positions: less than three bytes for each byte of this.
INDEXED_BYTES: Final = 256 * 1024
TOKEN_CHARS: Final = 64
PREFIX_CHARS: Final = 2

_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3031-\u3035\u3040-\u30ff\u3130-\u318f"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_IS_UNSPACED: Final = re.compile(f"[{_UNSPACED}]")
# Letters, digits and marks: Python's \w leaves out the marks, which many scripts write their vowels with.
_WRITTEN: Final = "".join(
    letter if unicodedata.category(letter)[0] in "LNM" else " " for letter in map(chr, range(0x80, 0x20000))
)
_LETTERS: Final = "a-zA-Z0-9" + "".join(
    f"{run[0]}-{run[-1]}" for run in _IS_UNSPACED.sub(" ", _WRITTEN).split(" ") if run
)
# Signs that hold an identifier together. Brackets, commas and quotes end it.
_APOSTROPHES: Final = "'\u2019"
_JOINTS: Final = rf"[-_./:@\\{_APOSTROPHES}]{{1,3}}"
_ASCII: Final = re.compile(f"[a-zA-Z0-9]+(?:{_JOINTS}[a-zA-Z0-9]+)*")
_CHUNK: Final = re.compile(f"[{_UNSPACED}]+|[{_LETTERS}]+(?:{_JOINTS}[{_LETTERS}]+)*")
_SEGMENT: Final = re.compile(r"[^/:@\\]+")
_WORD: Final = re.compile(r"[^-_./:@\\]+")
_HUMP: Final = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+")
# Accents, and the points of Hebrew and Arabic: written or not, it is the same word. Other scripts' marks are letters.
_ACCENTS: Final = re.compile("[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u0652\u0670]+")
_SPELT: Final = str.maketrans({"ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "\u0131": "i"})
_UNQUOTED: Final = str.maketrans("", "", _APOSTROPHES)
_FOREIGN: Final = re.compile("[^a-z0-9]")
_QUOTED: Final = re.compile('"([^"]*)"')
_STOP: Final = frozenset(  # words, so that the list reads as one
    """a about after all also am an and any are as at be been before but by can could did do does for from had has have
    he her here his how i if in into is it its just me more most my no not now of on only or other our out over please
    she should so some such than that the their them then there these they this those through to too under up us very
    was we were what when where which while who whom whose why will with would you your""".split()  # noqa: SIM905
)


class Term(NamedTuple):
    """One thing a query asks for: a token, or several in a row; ``prefix`` takes every token that begins so."""

    text: str
    prefix: bool = False


class Indexed(NamedTuple):
    """A text as the index sees it, and how many words it has."""

    text: str
    words: int


class Chunk(NamedTuple):
    """A word, an identifier or a run without spaces.

    ``parts`` are its tokens in order; ``whole`` the joined form of several; ``also`` what the index keeps besides;
    ``typed`` its end, not stemmed.
    """

    parts: tuple[str, ...]
    whole: str
    also: tuple[str, ...]
    typed: str


def indexed(text: str, most: int = INDEXED_BYTES) -> Indexed:
    """Answer the tokens of a text in order, then what the index keeps besides; not more than `most` bytes."""
    chunks = [analyzed(chunk.group()) for chunk in chunks_of(text[:most])]
    parts = [part for chunk in chunks for part in chunk.parts]
    also = dict.fromkeys(form for chunk in chunks for form in chunk.also)
    tokens = " ".join(chain(parts, also))
    if len(tokens) > most:
        tokens = tokens[:most].rpartition(" ")[0]
    return Indexed(tokens, len(parts))


def terms_of(query: str) -> list[Term]:
    """Answer what a query asks for. Balanced quotes make phrases; nothing typed is an error, empty means nothing."""
    query = query[:QUERY_CHARS]
    phrases = [
        [part for chunk in chunks_of(quoted) for part in analyzed(chunk.group()).parts]
        for quoted in _QUOTED.findall(query)
    ]
    loose = _QUOTED.sub(" ", query).rstrip("*")
    chunks = [(analyzed(chunk.group()), chunk.end() == len(loose)) for chunk in chunks_of(loose)]
    meant = [chunk for chunk, _ in chunks if chunk.whole or chunk.typed not in _STOP]
    found = [Term(" ".join(phrase)) for phrase in phrases if phrase]
    if not found and not meant:  # nothing but stop words: they are what is looked for
        meant = [chunk for chunk, _ in chunks]
    found += chain.from_iterable(map(_asked, meant))
    beginnings = [Term(_beginning(chunk), prefix=True) for chunk, is_last in chunks if is_last and _beginning(chunk)]
    return [*list(dict.fromkeys(found))[: TERMS - len(beginnings)], *beginnings]


def meant_by(text: str) -> frozenset[str]:
    """Answer the tokens of a text that say what it is about: all but those of stop words."""
    chunks = (analyzed(chunk.group()) for chunk in chunks_of(text))
    return frozenset(token for chunk in chunks if chunk.whole or chunk.typed not in _STOP for token in chunk.parts)


def chunks_of(text: str) -> Iterator[re.Match[str]]:
    """Find the words, identifiers and runs of a text."""
    return (_ASCII if text.isascii() else _CHUNK).finditer(text)


def words_of(chunk: str) -> Iterator[tuple[int, str]]:
    """Answer the words of an identifier, each with its place in it."""
    return ((word.start(), word.group()) for word in _WORD.finditer(chunk))


def pairs_of(run: str) -> Iterator[tuple[int, str]]:
    """Answer each character of a run without spaces, and each pair, with its place in it."""
    for place in range(len(run)):
        yield place, run[place]
        if place + 1 < len(run):
            yield place, run[place : place + 2]


def is_run(chunk: str) -> bool:
    """Tell whether a chunk is of a script without spaces."""
    return bool(_IS_UNSPACED.match(chunk))


def analyzed(chunk: str) -> Chunk:
    """Analyze what `chunks_of` found; short ones are remembered."""
    return _known(chunk) if len(chunk) <= TOKEN_CHARS else _analyzed(chunk)


def _asked(chunk: Chunk) -> Iterator[Term]:
    """Ask for an identifier as a whole, its parts in a row, and each of them."""
    if chunk.whole:
        yield Term(chunk.whole)
    if len(chunk.parts) > 1:
        yield Term(" ".join(chunk.parts))
    yield from map(Term, chunk.parts)


def _beginning(chunk: Chunk) -> str:
    """Answer what a longer word could begin with, for who is still typing; '' where that would be anything."""
    typed = chunk.whole or chunk.typed
    return "" if len(typed) < PREFIX_CHARS or typed in _STOP else typed


def _analyzed(chunk: str) -> Chunk:
    if is_run(chunk):
        return _run(_folded(chunk))
    chunk = chunk.translate(_UNQUOTED)
    segments = [[_humps(word) for word in _WORD.findall(segment)] for segment in _SEGMENT.findall(chunk)]
    words = [word for segment in segments for word in segment]
    # Joined are the identifier, and what of it may be looked for alone: a file's name, a class in a module.
    forms = [words, *segments, *([word] for word in words)]
    joined = [_ascii("".join(chain.from_iterable(form))) for form in forms if len(list(chain.from_iterable(form))) > 1]
    also = tuple(dict.fromkeys(form for form in joined if len(form) <= TOKEN_CHARS))
    parts = [part for word in words for part in word]
    return Chunk(
        tuple(_token(part) for part in parts), also[0] if also else "", also, _ascii(parts[-1]) if parts else ""
    )


_known: Final = lru_cache(maxsize=1 << 16)(_analyzed)


def _run(run: str) -> Chunk:
    """Analyze a run of a script without spaces."""
    pairs = tuple(_ascii(first + second) for first, second in pairwise(run)) or (_ascii(run),)
    last = (_ascii(run[-1]),) if len(run) > 1 else ()
    return Chunk(pairs, "", last, pairs[-1])


def _humps(word: str) -> list[str]:
    """Split a word where its case does, and fold it."""
    humps = _HUMP.findall(word) if word.isascii() and not word.islower() and not word.isupper() else [word]
    # A word of accents alone folds to nothing.
    return [folded[:TOKEN_CHARS] for folded in map(_folded, humps) if folded]


def _folded(word: str) -> str:
    if word.isascii():
        return word.lower()
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", word)).casefold().translate(_SPELT)
    return unicodedata.normalize("NFC", bare)


def _token(word: str) -> str:
    return _stem(word) if word.isascii() and word.isalpha() else _ascii(word)


def _ascii(word: str) -> str:
    """Write a word with ASCII letters and digits, a letter first."""
    if not word.isascii() or not word.isalnum():
        word = _FOREIGN.sub(lambda found: f"x{ord(found.group()):x}", word)
    return f"n{word}" if word[:1].isdigit() else word


_stemmer: Final = Stemmer.Stemmer("english", 0)
_stemming: Final = threading.Lock()  # the stemmer is not for several threads at once


@lru_cache(maxsize=1 << 16)
def _stem(word: str) -> str:
    with _stemming:
        stem: str = _stemmer.stemWord(word)
    return stem
