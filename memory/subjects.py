"""Reading memory begins with whose it is. There is no other way in, and no default that means everyone (MEM-03)."""

from datetime import datetime
from typing import Any, NoReturn

from django.apps import apps
from django.db import models

from core.operation import MEMORY, check_subject


class SubjectManager[M: models.Model](models.Manager[M]):
    """Rows of one person. Asking for rows without saying whose is a mistake in the code, and raises."""

    def of(self, subject: int) -> models.QuerySet[M]:
        """Answer the rows of one person."""
        return super().get_queryset().filter(subject=check_subject(subject))

    def get_queryset(self) -> NoReturn:
        """Refuse to answer rows of nobody in particular."""
        raise TypeError("a subject is missing: use .of(subject)")

    def add(self, subject: int, **columns: Any) -> M:  # noqa: ANN401 - the columns of a row
        """Store a row of one person."""
        return super().get_queryset().create(subject=check_subject(subject), **columns)

    def add_all(self, subject: int, rows: list[M]) -> None:
        """Store rows of one person."""
        for row in rows:
            row.subject = check_subject(subject)  # type: ignore[attr-defined]
        super().get_queryset().bulk_create(rows)


def managers() -> "list[SubjectManager[Any]]":
    """Answer the managers of everything that is kept of people."""
    models_here = apps.get_app_config(MEMORY).get_models()
    return [model._default_manager for model in models_here]  # type: ignore[misc]  # noqa: SLF001 - Django's own way


class EntryManager[M: models.Model](SubjectManager[M]):
    """Entries, of which the clock needs to know whose are due."""

    def subjects_with_due(self, now: datetime) -> list[int]:
        """Answer the people of whom an entry has expired and is not settled: keys alone, never what is in it."""
        due = models.Manager.get_queryset(self).filter(state="active", expires_at__lte=now)
        return sorted(set(due.values_list("subject", flat=True)))


class ProposalManager[M: models.Model](SubjectManager[M]):
    """Proposals, of which the hub needs to know whose are not in the inbox yet."""

    def unannounced(self) -> list[tuple[int, str, str]]:
        """Answer subject, project and id of open proposals that belong in the inbox and are not there."""
        rows = models.Manager.get_queryset(self).filter(state="open", item="").exclude(project="")
        return list(rows.order_by("pk").values_list("subject", "project", "pk")[:200])
