"""The one door for writes.

Every change of the hub's state is a function wrapped here. The wrapper opens one durable transaction, authorizes as
its first statement and runs the body; nothing can be written without it, and no flag skips the rights. An operation
never calls another operation: shared steps are plain functions.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import wraps
from typing import Any, Concatenate, Protocol

from django.db import transaction

from core.actor import Actor
from core.gate import write_gate
from core.idempotency import FileMemory, Memory, MemoWriter, check_key, fingerprint


class Right(StrEnum):
    """What an actor must hold on a project. STAFF is the human's and the hub's alone."""

    READ = "read"
    WRITE = "write"
    STAFF = "staff"


class Keeper(Memory, Protocol):
    """Who decides, and the hub store's memory. The identity app is the keeper (`keep_with`); core knows no tables."""

    def authorize(self, actor: Actor, place: str, right: Right) -> Any:  # noqa: ANN401 - the project row
        """Answer the project named `place`; `not_found` when hidden, `forbidden` when the right is missing."""

    def authorize_staff(self, actor: Actor) -> None:
        """Refuse anyone but active staff and the hub."""


class WritableFile[Writer](Protocol):
    """A file with a writer lock; see `agentfs.AgentFile`."""

    def writing(self) -> AbstractContextManager[Writer]:
        """Hold the writer lock; commit on the way out, roll back on an exception."""


@dataclass(frozen=True, slots=True)
class Registered:
    """One operation, as the safety tests see it."""

    function: Callable[..., Any]
    right: Right
    takes_project: bool


REGISTRY: dict[str, Registered] = {}
_keepers: list[Keeper] = []


def keep_with(keeper: Keeper) -> None:
    """Name the keeper, once, at start-up."""
    _keepers[:] = [keeper]


def keeper() -> Keeper:
    """Answer the keeper."""
    return _keepers[0]


def _register(wrapper: Callable[..., Any], right: Right, *, takes_project: bool) -> None:
    name = f"{wrapper.__module__}.{wrapper.__name__}"
    REGISTRY[name] = Registered(wrapper, right, takes_project)


@contextmanager
def write_transaction() -> Iterator[None]:
    """One durable transaction of the hub store, entered in turn."""
    with write_gate(), transaction.atomic(durable=True):
        yield


def file_operation[Project, Writer: MemoWriter, File: WritableFile[Any], **P, R](
    right: Right,
    locate: Callable[..., File],
    after: Callable[[File], object] | None = None,
) -> Callable[[Callable[Concatenate[Actor, Project, Writer, P], R]], Callable[Concatenate[Actor, str, P], R]]:
    """Make ``verb_noun(actor, project, writer, /, *, ...)`` an operation on one AgentFS file.

    The twin of `operation`: it takes the writer lock of the file that ``locate(project, **arguments)`` names, and
    authorizes (again) under it, so what the body sees cannot change before its write. The file's commit is the truth;
    no hub transaction is held meanwhile, so writers to distinct files never block each other (KNB-08). Lock order is
    always file, then hub store. ``after`` runs on the file once the lock is free.
    """

    def wrap(
        body: Callable[Concatenate[Actor, Project, Writer, P], R],
    ) -> Callable[Concatenate[Actor, str, P], R]:
        @wraps(body)
        def run(actor: Actor, place: str, /, *args: P.args, **kwargs: P.kwargs) -> R:
            file = locate(keeper().authorize(actor, place, right), **kwargs)
            with file.writing() as writer:
                project = keeper().authorize(actor, place, right)
                call = (run.__name__, place, kwargs)
                result = _once(FileMemory(writer), actor, call, lambda: body(actor, project, writer, *args, **kwargs))
            if after is not None:
                after(file)
            return result

        _register(run, right, takes_project=True)
        return run

    return wrap


def operation[Project, **P, R](
    right: Right,
) -> Callable[[Callable[Concatenate[Actor, Project, P], R]], Callable[Concatenate[Actor, str, P], R]]:
    """Make ``verb_noun(actor, project, /, *, ...)`` an operation on one project, called with the project's slug."""

    def wrap(body: Callable[Concatenate[Actor, Project, P], R]) -> Callable[Concatenate[Actor, str, P], R]:
        @wraps(body)
        def run(actor: Actor, place: str, /, *args: P.args, **kwargs: P.kwargs) -> R:
            with write_transaction():
                project = keeper().authorize(actor, place, right)
                call = (run.__name__, place, kwargs)
                return _once(keeper(), actor, call, lambda: body(actor, project, *args, **kwargs))

        _register(run, right, takes_project=True)
        return run

    return wrap


def staff_operation[**P, R](body: Callable[Concatenate[Actor, P], R]) -> Callable[Concatenate[Actor, P], R]:
    """Make ``verb_noun(actor, /, *, ...)`` an operation of the hub as a whole, for staff alone."""

    @wraps(body)
    def run(actor: Actor, /, *args: P.args, **kwargs: P.kwargs) -> R:
        with write_transaction():
            keeper().authorize_staff(actor)
            return body(actor, *args, **kwargs)

    _register(run, Right.STAFF, takes_project=False)
    return run


def _once[R](memory: Memory, actor: Actor, call: tuple[str, str, dict[str, Any]], run: Callable[[], R]) -> R:
    """Run once per idempotency key; the first result answers every retry (AGT-02)."""
    key = call[2].get("idempotency_key")
    if key is None:
        return run()
    check_key(key)
    wanted = fingerprint(*call)
    stored: Any = memory.recall(actor, key, wanted)
    if stored is None:
        stored = run()
        memory.remember(actor, key, wanted, stored)
    return stored  # type: ignore[no-any-return]
