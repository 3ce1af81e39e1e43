"""A plane behind a breaker: nobody waits long for it, and while it is down nobody waits at all (MEM-10)."""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from knowledge.retrieval.base import Plane, PlaneUnavailable, Published, Ref

TIMEOUT_SECONDS: Final = 2.0
PAUSE_SECONDS: Final = 30.0
logger = logging.getLogger("muster.retrieval")


class Breaker:
    """A plane of which every failure is `PlaneUnavailable`.

    It is made at its first use, so one that cannot be had is just unavailable. After a failure it is left alone for a
    while; then one call tries it, while the others are still answered at once.
    """

    def __init__(
        self,
        name: str,
        make: Callable[[], Plane],
        *,
        timeout: float = TIMEOUT_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = name
        self._make = make
        self._made: Plane | None = None
        self._timeout = timeout
        self._clock = clock
        self._lock = threading.Lock()
        self._reason = ""
        self._until = 0.0

    def index(self, version: Published, chunks: Sequence[str]) -> None:
        """Index a version's parts."""
        self._call(lambda plane: plane.index(version, chunks))

    def delete(self, document: str) -> None:
        """Forget a document."""
        self._call(lambda plane: plane.delete(document))

    def search(self, query: str, spaces: Sequence[str], k: int) -> list[Ref]:
        """Answer at most `k` parts of these spaces, best first."""
        return self._call(lambda plane: plane.search(query, spaces, k))

    def held(self) -> set[tuple[str, int]]:
        """Answer the versions it holds."""
        return self._call(lambda plane: plane.held())

    def health(self) -> None:
        """Answer nothing where a search would be answered."""
        self._call(lambda plane: plane.health())

    def rebuild(self, versions: Iterable[tuple[Published, Sequence[str]]]) -> None:
        """Begin anew with these versions. That takes its time, and mends what was wrong."""
        self._plane().rebuild(versions)
        with self._lock:
            self._reason = ""

    def _plane(self) -> Plane:
        if self._made is None:
            self._made = self._make()
        return self._made

    def _call[R](self, ask: Callable[[Plane], R]) -> R:
        with self._lock:
            if self._reason and self._clock() < self._until:
                raise PlaneUnavailable(self._reason)
            if self._reason:  # this call tries; nobody else does meanwhile
                self._until = self._clock() + self._timeout
        try:
            answer = _within(self._timeout, lambda: ask(self._plane()))
        except Exception as error:
            raise self._failed(error) from error
        with self._lock:
            self._reason = ""
        return answer

    def _failed(self, error: Exception) -> PlaneUnavailable:
        refusal = error if isinstance(error, PlaneUnavailable) else PlaneUnavailable(_reason_of(error))
        if refusal.reason == "busy":  # for who writes; it still answers
            return refusal
        with self._lock:
            if not self._reason:
                logger.warning("the retrieval plane %s is unavailable: %s", self.name, error)
            self._reason, self._until = refusal.reason, self._clock() + PAUSE_SECONDS
        return refusal


def _reason_of(error: Exception) -> str:
    return "unreadable" if isinstance(error, OSError) else "failed"


def _within[R](seconds: float, ask: Callable[[], R]) -> R:
    """Answer what a call does within the time given. One that takes longer is left to itself."""
    answers: list[R] = []
    failures: list[Exception] = []

    def run() -> None:
        try:
            answers.append(ask())
        except Exception as error:  # noqa: BLE001 - raised again by who asked
            failures.append(error)

    thread = threading.Thread(target=run, name="muster-plane", daemon=True)
    thread.start()
    thread.join(seconds)
    if failures:
        raise failures[0]
    if not answers:
        raise PlaneUnavailable("timeout")
    return answers[0]
