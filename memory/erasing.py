"""What a person leaves behind when their account is deleted: nothing (MEM-03)."""

from typing import Any

from django.db import transaction

from core.actor import HUB
from memory.operations import erase_person


def erase_later(instance: Any, using: str, **_: object) -> None:  # noqa: ANN401 - Django's user
    """Erase a person's memory once their account is gone; no key of one database reaches into the other."""
    subject = int(instance.pk)
    transaction.on_commit(lambda: erase_person(HUB, subject), using=using)
