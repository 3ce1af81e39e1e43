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
from typing import Any, Concatenate, Final, Protocol

from django.db import DEFAULT_DB_ALIAS, IntegrityError, OperationalError, connections, transaction

from core.actor import Actor
from core.errors import HubError
from core.gate import write_gate
from core.idempotency import FileMemory, Memory, MemoWriter, Once


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

    def authorize_subject(self, actor: Actor, subject: int) -> bool:
        """Tell whether `actor` is the hub, or the person `subject` and active staff still."""

    def seen(self, actor: Actor, key: str, fingerprint: str) -> dict[str, Any] | None:
        """Answer what `recall` would, outside a transaction and without claiming the key."""


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
    takes_subject: bool = False


MEMORY: Final = "memory"
"""The database of personal memory. A transaction of it may stand inside one of the hub store, never the reverse."""
# Any number will do, as long as every process of one hub takes the same.
_SUBJECT_LOCK: Final = 7_083_114
REGISTRY: dict[str, Registered] = {}
_keepers: list[Keeper] = []


def keep_with(keeper: Keeper) -> None:
    """Name the keeper, once, at start-up."""
    _keepers[:] = [keeper]


def keeper() -> Keeper:
    """Answer the keeper."""
    return _keepers[0]


def _register(wrapper: Callable[..., Any], right: Right, *, takes_project: bool, takes_subject: bool = False) -> None:
    name = f"{wrapper.__module__}.{wrapper.__name__}"
    REGISTRY[name] = Registered(wrapper, right, takes_project, takes_subject)


@contextmanager
def write_transaction(store: str = DEFAULT_DB_ALIAS) -> Iterator[None]:
    """One durable transaction of a store, the hub's own if not said, entered in turn."""
    with write_gate(store), transaction.atomic(using=store, durable=True):
        yield


@contextmanager
def _project_transaction(authorize: Callable[[], Any]) -> Iterator[Any]:
    """One durable transaction on a project, which answers `not_found` also when it was deleted meanwhile."""
    try:
        with write_transaction():
            yield authorize()
    except (IntegrityError, OperationalError):
        authorize()
        raise


def operation[Project, **P, R](
    right: Right,
    after: Callable[[Any], object] | None = None,
) -> Callable[[Callable[Concatenate[Actor, Project, P], R]], Callable[Concatenate[Actor, str, P], R]]:
    """Make ``verb_noun(actor, project, /, *, ...)`` an operation on one project, called with the project's slug.

    ``after`` takes its result once it has committed and its turn is given away: the place for work on files, since
    whoever holds a file may be waiting for that turn.
    """

    def wrap(body: Callable[Concatenate[Actor, Project, P], R]) -> Callable[Concatenate[Actor, str, P], R]:
        @wraps(body)
        def run(actor: Actor, place: str, /, *args: P.args, **kwargs: P.kwargs) -> R:
            with _project_transaction(lambda: keeper().authorize(actor, place, right)) as project:
                once = Once[R](keeper(), actor, (run.__name__, place, _asked(kwargs)))
                result = once.run(lambda: body(actor, project, *args, **kwargs))
            if after is not None:
                after(result)
            return result

        _register(run, right, takes_project=True)
        return run

    return wrap


def answered_before[R](operation: Callable[..., R], actor: Actor, place: str, /, **kwargs: Any) -> R | None:  # noqa: ANN401
    """Answer what a retry of an operation is answered, for who has work to do before it; None for a first call.

    `conflict` where the key was used for another call.
    """
    return Once[R](keeper(), actor, (operation.__name__, place, _asked(kwargs))).seen(keeper().seen)


def _asked(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Leave out during which session it was asked: a retry may come in the agent's next one."""
    return {name: value for name, value in kwargs.items() if name != "session"}


def staff_operation[**P, R](body: Callable[Concatenate[Actor, P], R]) -> Callable[Concatenate[Actor, P], R]:
    """Make ``verb_noun(actor, /, *, ...)`` an operation of the hub as a whole, for staff alone."""

    @wraps(body)
    def run(actor: Actor, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            with write_transaction():
                keeper().authorize_staff(actor)
                return body(actor, *args, **kwargs)
        except IntegrityError as error:  # of two who take one name at once, PostgreSQL lets the body of both begin
            raise HubError("conflict", "Somebody did this at the same moment. Look again.") from error

    _register(run, Right.STAFF, takes_project=False)
    return run


def subject_operation[**P, R](
    lent: Callable[[Actor, int], bool] | None = None,
) -> Callable[[Callable[Concatenate[Actor, int, P], R]], Callable[Concatenate[Actor, int, P], R]]:
    """Make ``verb_noun(actor, subject, /, *, ...)`` an operation on one person's memory (MEM-03).

    The subject is the person's key and has no default: without one nothing begins. That person may act, and the hub;
    an agent only in what ``lent`` says the person lets it do. One writer of a person's memory at a time, so what the
    body reads stays as it is until its commit.
    """

    def wrap(body: Callable[Concatenate[Actor, int, P], R]) -> Callable[Concatenate[Actor, int, P], R]:
        @wraps(body)
        def run(actor: Actor, subject: int, /, *args: P.args, **kwargs: P.kwargs) -> R:
            check_subject(subject)
            if not keeper().authorize_subject(actor, subject) and not (lent and lent(actor, subject)):
                raise HubError("forbidden", "Only the person whose memory it is may do this.")
            with write_transaction(MEMORY):
                _hold_subject(subject)
                return body(actor, subject, *args, **kwargs)

        _register(run, Right.STAFF, takes_project=False, takes_subject=True)
        return run

    return wrap


def check_subject(subject: int) -> int:
    """Answer the key of a person; anything else is a mistake in the code, and never everyone (MEM-03)."""
    if type(subject) is not int or subject < 1:
        raise TypeError("a subject is missing")
    return subject


def _hold_subject(subject: int) -> None:
    """On PostgreSQL, where no gate queues the writers, let one at a time write a person's memory."""
    if connections[MEMORY].vendor == "postgresql":
        with connections[MEMORY].cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_SUBJECT_LOCK, subject])


def file_operation[Project, Writer: MemoWriter, File: WritableFile[Any], **P, R](
    right: Right,
    locate: Callable[..., File],
) -> Callable[[Callable[Concatenate[Actor, Project, Writer, P], R]], Callable[Concatenate[Actor, str, P], R]]:
    """Make ``verb_noun(actor, project, writer, /, *, ...)`` an operation on one AgentFS file.

    The twin of `operation`: it takes the writer lock of the file that ``locate(project, **arguments)`` names, and
    authorizes (again) under it, so what the body sees cannot change before its write. The file's commit is the truth;
    no hub transaction is held meanwhile, so writers to distinct files never block each other (KNB-08). Lock order is
    always file, then hub store.
    """

    def wrap(
        body: Callable[Concatenate[Actor, Project, Writer, P], R],
    ) -> Callable[Concatenate[Actor, str, P], R]:
        @wraps(body)
        def run(actor: Actor, place: str, /, *args: P.args, **kwargs: P.kwargs) -> R:
            with locate(keeper().authorize(actor, place, right), **kwargs).writing() as writer:
                project = keeper().authorize(actor, place, right)
                once = Once[R](FileMemory(writer), actor, (run.__name__, place, kwargs))
                return once.run(lambda: body(actor, project, writer, *args, **kwargs))

        _register(run, right, takes_project=True)
        return run

    return wrap


class HubStep[File, R]:
    """The hub half of a `held_operation`: the file that is held, and one transaction with its result remembered."""

    def __init__(self, file: File, once: Once[R], authorize: Callable[[], Any]) -> None:
        self.file = file
        self._once = once
        self._authorize = authorize

    def commit(self, change: Callable[[], R]) -> R:
        """Change the hub store and commit. Authorizes again: nothing holds the project still but the transaction."""
        with _project_transaction(self._authorize):
            return self._once.run(change)


def held_operation[Project, File: WritableFile[Any], **P, R](
    right: Right,
    locate: Callable[..., File],
    after: Callable[[File], object] | None = None,
) -> Callable[[Callable[Concatenate[Actor, Project, HubStep[File, R], P], R]], Callable[Concatenate[Actor, str, P], R]]:
    """Make ``verb_noun(actor, project, hub, /, *, ...)`` an operation on the hub store with a file held still.

    The writer lock keeps every write of the file either before it or, refused, after it. The body ends with
    ``hub.commit(change)``; ``after`` then runs on the file, once the lock is free. A retry is answered before the file
    is looked for: what the first call did may have moved it.
    """

    def wrap(
        body: Callable[Concatenate[Actor, Project, HubStep[File, R], P], R],
    ) -> Callable[Concatenate[Actor, str, P], R]:
        @wraps(body)
        def run(actor: Actor, place: str, /, *args: P.args, **kwargs: P.kwargs) -> R:
            def authorize() -> Any:  # noqa: ANN401 - the project row
                return keeper().authorize(actor, place, right)

            project = authorize()
            once = Once[R](keeper(), actor, (run.__name__, place, kwargs))
            stored = once.seen(keeper().seen)
            if stored is not None:
                return stored
            file = locate(project, **kwargs)
            with file.writing():
                project, stored = authorize(), once.seen(keeper().seen)
                if stored is not None:
                    return stored
                result = body(actor, project, HubStep(file, once, authorize), *args, **kwargs)
            if after is not None:
                after(file)
            return result

        _register(run, right, takes_project=True)
        return run

    return wrap
