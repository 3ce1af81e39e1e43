"""Who acts. The hub sets the actor from a token or a login, never from a request field (IDN-01)."""

from dataclasses import dataclass, field
from typing import Final, Literal


@dataclass(frozen=True, slots=True)
class Actor:
    """An authenticated agent, a signed-in person, or the hub itself.

    ``name`` is the agent's name or the person's user name; ``key`` the primary key of its row (None for the hub);
    ``token`` that of the token an agent came with.
    """

    kind: Literal["agent", "human", "hub"]
    name: str
    key: int | None = None
    trusted: bool = False
    token: int | None = field(default=None, compare=False)

    def __str__(self) -> str:
        """Answer the label events carry: ``ada``, ``human:kim``, ``hub``."""
        return f"human:{self.name}" if self.kind == "human" else self.name

    @property
    def is_agent(self) -> bool:
        """Whether a token, not a person, stands behind it."""
        return self.kind == "agent"


HUB: Final = Actor("hub", "hub", trusted=True)
