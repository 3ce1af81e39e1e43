"""The world tests live in, built by the operations themselves.

Ada and Ben are trusted agents, the stranger is an agent without rights, Kim is the human.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.contrib.auth import get_user_model

from core.actor import HUB, Actor
from identity.actors import agent_from_token
from identity.models import Grant
from identity.operations import create_agent, issue_token, set_grant
from projects.models import Project
from projects.operations import create_project

if TYPE_CHECKING:
    from django.contrib.auth.models import User

PASSWORD = "correct horse battery staple"


@dataclass(frozen=True, slots=True)
class AgentWithToken:
    """An agent: its actor for operations, its token for the faces."""

    actor: Actor
    token: str

    @property
    def name(self) -> str:
        """The agent's name."""
        return self.actor.name

    @property
    def space(self) -> str:
        """The slug of its personal space."""
        return f"~{self.name}"


@dataclass(frozen=True, slots=True)
class Person:
    """A person who may sign in: the user for a client, the actor for operations."""

    user: "User"
    actor: Actor


def make_agent(name: str, *, trusted: bool = True, **grants: str) -> AgentWithToken:
    """Create an agent with a token, and grants as ``slug="read"``."""
    create_agent(HUB, name=name, trusted=trusted)
    for slug, level in grants.items():
        set_grant(HUB, slug, agent=name, level=Grant.Level(level))
    token = issue_token(HUB, name=name).secret
    return AgentWithToken(agent_from_token(f"Bearer {token}"), token)


def make_project(slug: str, *, name: str = "", restricted: bool = False) -> Project:
    """Create a project."""
    return create_project(HUB, slug=slug, name=name, restricted=restricted)


def make_person(name: str, *, staff: bool = True) -> Person:
    """Create a person with `PASSWORD`; staff may do everything."""
    user = get_user_model().objects.create_user(name, password=PASSWORD, is_staff=staff, is_superuser=staff)
    return Person(user, Actor("human", name, user.pk, trusted=True))
