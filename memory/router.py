"""Personal memory lives in the database ``memory`` and nowhere else; everything else never goes there (MEM-01)."""

from typing import Any

from django.db.models import Model

from core.operation import MEMORY


class MemoryRouter:
    """Sends the app ``memory`` to the database ``memory``."""

    def db_for_read(self, model: type[Model], **_: Any) -> str | None:  # noqa: ANN401 - Django's hints
        """Answer where a model is read."""
        return MEMORY if model._meta.app_label == MEMORY else None  # noqa: SLF001 - documented, in spite of its name

    def db_for_write(self, model: type[Model], **hints: Any) -> str | None:  # noqa: ANN401
        """Answer where a model is written."""
        return self.db_for_read(model, **hints)

    def allow_relation(self, one: Model, other: Model, **_: Any) -> bool | None:  # noqa: ANN401
        """Let no key lead out of memory, nor into it."""
        labels = {one._meta.app_label, other._meta.app_label}  # noqa: SLF001
        return labels == {MEMORY} if MEMORY in labels else None

    def allow_migrate(self, db: str, app_label: str, **_: Any) -> bool:  # noqa: ANN401
        """Keep each table in its own database."""
        return (db == MEMORY) == (app_label == MEMORY)
