"""Writes by name, for a process of its own (`tests.killing`)."""

from core.actor import Actor
from knowledge.operations import put_page


def write_page(actor: Actor, project: str, path: str, text: str) -> None:
    """Store a page."""
    put_page(actor, project, path=path, content=text.encode())
