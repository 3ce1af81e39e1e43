"""What agents can call. One registration serves both faces: an MCP tool and an HTTP route answer the same object.

A call takes the actor and its validated arguments (a pydantic model) and answers a JSON object. ``session`` says how
its ``session`` argument is resolved before it runs (see ``hubsite/agent_calls.py``).
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from core.actor import Actor

type Json = dict[str, Any]
type Listing = Literal["always", "in_task", "outside_tasks"]
type SessionRule = Literal["own", "readable"]


class Arguments(BaseModel):
    """Arguments of a call: unknown names are refused."""

    model_config = ConfigDict(extra="forbid")
    # Texts that are looked for and never stored: they may hold what no database takes.
    sought: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def stored(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Leave out what is only looked for."""
        return {name: value for name, value in given.items() if name not in cls.sought}

    def place(self, actor: Actor) -> str | None:  # noqa: ARG002 - who names a thing looks it up as the actor
        """Answer the project a call works in, None for any: its ``project``, unless it names a thing in one."""
        slug: str | None = getattr(self, "project", None)
        return slug


@dataclass(frozen=True, slots=True)
class Call:
    """One thing an agent can call.

    ``http`` is the method and path below ``/api/v1``; names in braces come from the path.
    """

    name: str
    title: str
    description: str
    http: tuple[Literal["GET", "POST", "PUT", "DELETE"], str]
    arguments: type[Arguments]
    run: Callable[..., Json | Awaitable[Json]]
    session: SessionRule | None
    read_only: bool
    destructive: bool
    idempotent: bool
    is_tool: bool = True
    listing: Listing = "always"

    def is_listed(self, *, in_task: bool) -> bool:
        """Tell whether ``tools/list`` shows it to who runs a task, or to who does not; anyone may call it."""
        return self.is_tool and self.listing != ("outside_tasks" if in_task else "in_task")


CALLS: dict[str, Call] = {}


def agent_call[A: Arguments](  # noqa: PLR0913 - one keyword per fact of the registration
    name: str,
    *,
    title: str,
    http: tuple[Literal["GET", "POST", "PUT", "DELETE"], str],
    arguments: type[A],
    session: SessionRule | None = None,
    read_only: bool = False,
    destructive: bool = False,
    idempotent: bool = False,
    is_tool: bool = True,
    listing: Listing = "always",
) -> Callable[[Callable[[Actor, A], Any]], Callable[[Actor, A], Any]]:
    """Register ``function(actor, arguments)`` as an HTTP route and, unless machines alone call it, as an MCP tool.

    Its docstring is the description.
    """

    def register(function: Callable[[Actor, A], Any]) -> Callable[[Actor, A], Any]:
        description = " ".join((function.__doc__ or "").split())
        CALLS[name] = Call(
            name,
            title,
            description,
            http,
            arguments,
            function,
            session,
            read_only,
            destructive,
            idempotent=idempotent or read_only,
            is_tool=is_tool,
            listing=listing,
        )
        return function

    return register
