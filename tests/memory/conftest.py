"""One person's memory, and the steps tests take in it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.db import connections, models
from django.utils import timezone

from core.operation import MEMORY
from memory import operations, queries
from memory.models import Entry
from tests.world import Person, make_person

type Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Mind:
    """A person and their memory."""

    person: Person

    @property
    def key(self) -> int:
        return int(self.person.user.pk)

    def remember(self, text: str, kind: str = "fact", **more: Any) -> Json:
        return operations.remember(self.person.actor, self.key, kind=kind, text=text, **more)

    def edit(self, entry: str, text: str, expected: int | None = 1) -> Json:
        return operations.edit_entry(self.person.actor, self.key, entry=entry, text=text, expected_revision=expected)

    def forget(self, entry: str) -> Json:
        return operations.forget_entry(self.person.actor, self.key, entry=entry)

    def working(self, text: str, scope: str = "task:1", kind: str = "observation") -> str:
        return str(self.remember(text, kind, scope=scope, source_ref="note 1")["entry"])

    def texts(self) -> list[str]:
        """Answer what is remembered now, oldest first."""
        rows = queries.entries_of(self.key).order_by("pk")
        page = queries.page_of(self.key, rows, cursor=None, limit=500)
        return [revision.text for _, revision in page.rows if revision]

    def pass_expiry(self, entry: str) -> None:
        """Let an entry's end be a moment ago."""
        past = timezone.now() - timedelta(seconds=1)
        Entry.objects.of(self.key).filter(pk=entry).update(expires_at=past)


@pytest.fixture
def kim(human: Person) -> Mind:
    """Answer Kim's memory."""
    return Mind(human)


@pytest.fixture
def lou(db: None) -> Mind:
    """Answer the memory of another person."""
    return Mind(make_person("lou"))


def words_stored(store: str, word: str) -> list[str]:
    """Answer the tables of a database that hold a word anywhere."""
    found = []
    with connections[store].cursor() as cursor:
        for table in connections[store].introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')  # noqa: S608 - our own tables
            if any(word in _shown(value) for row in cursor.fetchall() for value in row):
                found.append(table)
    return found


def _shown(value: object) -> str:
    return bytes(value).decode(errors="replace") if isinstance(value, bytes | memoryview) else str(value)


@pytest.fixture
def memory_holds() -> Callable[[str], list[str]]:
    """Answer what tells which tables of memory hold a word."""
    return lambda word: words_stored(MEMORY, word)


@pytest.fixture
def hub_holds() -> Callable[[str], list[str]]:
    """Answer what tells which tables of the hub hold a word."""
    return lambda word: words_stored("default", word)


def models_of_memory() -> Iterator[type[models.Model]]:
    """Answer every model of memory."""
    yield from apps.get_app_config(MEMORY).get_models()
