"""What approving an inbox item means for memory; the inbox names these functions (see `inbox.operations.answers`)."""

from typing import Any

from core.actor import Actor
from memory.operations import decide_proposal
from projects.models import Project


def hold(project: Project, asked: dict[str, Any]) -> None:
    """Hold nothing: memory is a database of its own, and its operation holds the person's memory."""


def decide(actor: Actor, project: Project, asked: dict[str, Any], *, approved: bool) -> None:  # noqa: ARG001
    """Decide as the person it is about; `forbidden` for anybody else, and then the item stays open."""
    decide_proposal(actor, asked["subject"], proposal=asked["proposal"], approved=approved)
