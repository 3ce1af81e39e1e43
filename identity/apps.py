"""Agents, their tokens and grants, and the one access rule."""

from django.apps import AppConfig


class IdentityConfig(AppConfig):
    """The identity app: keeper of the door for writes."""

    name = "identity"

    def ready(self) -> None:
        """Take the keeper's place at the door."""
        from core.operation import keep_with  # noqa: PLC0415 - apps are ready only now
        from identity.keeper import IdentityKeeper  # noqa: PLC0415

        keep_with(IdentityKeeper())
