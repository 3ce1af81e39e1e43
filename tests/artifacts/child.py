"""What a process of its own does to artifacts, called by name (see tests/killing.py)."""

import base64

from core.actor import Actor
from core.calls import CALLS


def call(actor: Actor, name: str, **given: object) -> None:
    """Make an agent's call, without the way there."""
    CALLS[name].run(actor, CALLS[name].arguments.model_validate(given))


def half_an_upload(actor: Actor, content: str) -> None:
    """Take bytes in, as an upload does before the last of them has come."""
    from artifacts.blobs import receiving  # noqa: PLC0415 - once Django is set up

    with receiving() as incoming:
        incoming.write(base64.b64decode(content))
        raise AssertionError(actor)  # killed before
