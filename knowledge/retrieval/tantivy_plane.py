"""Tantivy as a plane: an index in the data directory, fed with the text the analyzer folded (extra ``tantivy``).

Its directory is read again at every call, so what another process wrote is found, and one that cannot be read is
noticed at once. It is derived: ``manage.py rebuild_plane`` makes it anew.
"""

import shutil
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import tantivy

from knowledge.retrieval.base import PlaneUnavailable, Published, Ref
from search.analyzer import INDEXED_BYTES, VERSION, Term, indexed, terms_of
from search.index import TITLE_BYTES
from search.ranking import TITLE_COUNTS

# The least it takes, for its one thread.
_HEAP_BYTES: Final = 15_000_000
# Below the breaker's: who finds it busy says so.
_WAIT_SECONDS: Final = 1.5
# Of the file that says that what is there is whole: written last, with the analyzer's version.
_BUILT: Final = "built"
_WORDS: Final = "words"


def _schema() -> Any:  # noqa: ANN401 - tantivy.Schema
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("ref", stored=True, tokenizer_name="raw", index_option="basic")
    for name in ("document", "version", "space"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    for name in ("title", "body"):
        builder.add_text_field(name, tokenizer_name=_WORDS, index_option="position")
    return builder.build()


class TantivyPlane:
    """One index directory. Several processes may read it; one at a time writes."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._index: Any = None
        self._opening = threading.Lock()
        self._writing = threading.Lock()

    def index(self, version: Published, chunks: Sequence[str]) -> None:
        """Index a version's parts, in order; of its document only these and what it replaces stay."""
        with self._writer() as writer:
            kept = [] if version.replaces is None else [_version(version.document, version.replaces)]
            writer.delete_documents_by_query(self._other_versions(version.document, kept))
            _add(writer, version, chunks)

    def delete(self, document: str) -> None:
        """Forget a document."""
        with self._writer() as writer:
            writer.delete_documents_by_term("document", document)

    def search(self, query: str, spaces: Sequence[str], k: int) -> list[Ref]:
        """Answer at most `k` parts of these spaces, best first: BM25, the title counted three times."""
        index, terms = self._read(), [term for term in terms_of(query) if not term.prefix]
        if not terms or not spaces:
            return []
        schema, must, should = index.schema, tantivy.Occur.Must, tantivy.Occur.Should
        within = tantivy.Query.term_set_query(schema, "space", list(spaces))
        holding = [
            (should, tantivy.Query.boost_query(_asked(schema, field, term), boost))
            for term in terms
            for field, boost in (("title", float(TITLE_COUNTS)), ("body", 1.0))
        ]
        wanted = tantivy.Query.boolean_query(
            [(must, tantivy.Query.const_score_query(within, 0.0)), (must, tantivy.Query.boolean_query(holding))]
        )
        searcher = index.searcher()
        found = searcher.search(wanted, limit=k, count=False).hits
        return [Ref.of(searcher.doc(address)["ref"][0]) for _, address in found]

    def health(self) -> None:
        """Read the directory."""
        self._read()

    def held(self) -> set[tuple[str, int]]:
        """Answer the versions it holds."""
        searcher = self._read().searcher()
        held = searcher.terms_with_prefix("version", "", filter_query=tantivy.Query.all_query())
        split = (version.split(".") for version, _ in held)
        return {(document, int(number)) for document, number in split}

    def rebuild(self, versions: Iterable[tuple[Published, Sequence[str]]]) -> None:
        """Begin anew, whatever was there, with these versions and their parts."""
        with self._writing, self._opening:
            if self._directory.is_dir() and not self._directory.is_symlink():
                shutil.rmtree(self._directory)
            else:
                self._directory.unlink(missing_ok=True)
            self._directory.mkdir(parents=True, mode=0o700)
            self._index = self._opened()
            writer = self._alone(self._index)
            try:
                for version, chunks in versions:
                    _add(writer, version, chunks)
                writer.commit()
            finally:
                writer.wait_merging_threads()
            (self._directory / _BUILT).write_text(str(VERSION))

    def _read(self) -> Any:  # noqa: ANN401 - tantivy.Index
        """Answer the index as it lies on the disk now."""
        try:
            built = (self._directory / _BUILT).read_text()
        except FileNotFoundError:
            raise PlaneUnavailable("not_built") from None
        if built != str(VERSION):
            raise PlaneUnavailable("not_built")
        with self._opening:
            try:
                if self._index is None:
                    self._index = self._opened()
                self._index.reload()
            except ValueError as error:  # what tantivy makes of every error of the disk
                self._index = None
                raise PlaneUnavailable("unreadable") from error
            return self._index

    def _opened(self) -> Any:  # noqa: ANN401 - tantivy.Index
        index = tantivy.Index(_schema(), path=str(self._directory))
        index.register_tokenizer(_WORDS, tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())
        index.config_reader("manual")
        return index

    @contextmanager
    def _writer(self) -> Iterator[Any]:
        """Write in turn, and commit; what fails leaves the index as it was."""
        if not self._writing.acquire(timeout=_WAIT_SECONDS):
            raise PlaneUnavailable("busy")
        try:
            writer = self._alone(self._read())
            try:
                yield writer
                writer.commit()
            finally:
                writer.wait_merging_threads()
        finally:
            self._writing.release()

    def _alone(self, index: Any) -> Any:  # noqa: ANN401 - tantivy.Index and tantivy.IndexWriter
        """Answer the one writer, once no other process has it."""
        give_up = time.monotonic() + _WAIT_SECONDS
        while True:
            try:
                return index.writer(_HEAP_BYTES, 1)
            except ValueError as error:
                if "LockBusy" not in str(error):
                    raise PlaneUnavailable("unreadable") from error
                if time.monotonic() > give_up:
                    raise PlaneUnavailable("busy") from error
            time.sleep(0.02)

    def _other_versions(self, document: str, kept: Sequence[str]) -> Any:  # noqa: ANN401 - tantivy.Query
        schema = self._index.schema
        every = tantivy.Query.term_query(schema, "document", document, "basic")
        return every.and_must_not_match(*[tantivy.Query.term_query(schema, "version", one, "basic") for one in kept])


def _add(writer: Any, version: Published, chunks: Sequence[str]) -> None:  # noqa: ANN401 - tantivy.IndexWriter
    title = indexed(version.title, TITLE_BYTES).text
    for number, text in enumerate(chunks):
        document = tantivy.Document()
        document.add_text("ref", str(Ref(version.document, version.number, number)))
        document.add_text("document", version.document)
        document.add_text("version", _version(version.document, version.number))
        document.add_text("space", version.space)
        document.add_text("title", title)
        document.add_text("body", indexed(text, INDEXED_BYTES - TITLE_BYTES).text)
        writer.add_document(document)


def _version(document: str, number: int) -> str:
    return f"{document}.{number}"


def _asked(schema: Any, field: str, term: Term) -> Any:  # noqa: ANN401 - tantivy's
    words = term.text.split()
    if len(words) == 1:
        return tantivy.Query.term_query(schema, field, words[0])
    return tantivy.Query.phrase_query(schema, field, [*words])
