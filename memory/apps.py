"""Personal memory, in a database of its own."""

from django.apps import AppConfig


class MemoryConfig(AppConfig):
    """The memory app."""

    name = "memory"

    def ready(self) -> None:
        """Let memory go with its person."""
        from django.contrib.auth import get_user_model  # noqa: PLC0415 - apps are ready only now
        from django.db.models.signals import post_delete  # noqa: PLC0415

        from memory.erasing import erase_later  # noqa: PLC0415

        post_delete.connect(erase_later, sender=get_user_model(), dispatch_uid="memory")
