"""MEM-01, MEM-02: memory's own database, and what that database itself refuses."""

import stat
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as configured
from django.db import DatabaseError, IntegrityError, connections, transaction
from django.utils import timezone

from core.ids import fresh
from core.operation import MEMORY
from hubsite import startup
from memory.kinds import KINDS, LAYER_OF
from memory.models import Conversation, Entry
from memory.operations import start_conversation
from tests.memory.conftest import Mind, models_of_memory

pytestmark = pytest.mark.django_db


def test_mem_01_memory_has_a_database_of_its_own_and_no_key_leads_out_of_it() -> None:
    with connections["default"].cursor() as cursor:
        of_hub = set(connections["default"].introspection.table_names(cursor))
    with connections[MEMORY].cursor() as cursor:
        of_memory = set(connections[MEMORY].introspection.table_names(cursor))
    ours = {model._meta.db_table for model in models_of_memory()}
    assert ours <= of_memory
    assert of_hub.isdisjoint(ours)
    assert of_memory - ours == {"django_migrations"}
    for model in models_of_memory():
        assert "subject" in {field.name for field in model._meta.fields}
        for field in model._meta.fields:
            assert field.related_model is None or field.related_model._meta.app_label == MEMORY


def test_mem_01_nobody_else_reads_the_file(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "memory.sqlite3"
    store = {**configured.DATABASES[MEMORY], "ENGINE": "django.db.backends.sqlite3", "NAME": path}
    monkeypatch.setitem(settings.DATABASES, MEMORY, store)
    startup.keep_memory_private()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def row(kim: Mind, **more: Any) -> dict[str, Any]:
    now = timezone.now()
    given = {"id": str(fresh()), "layer": "semantic", "kind": "fact", "content_hash": str(fresh())}
    return {**given, "created_at": now, "updated_at": now, **more}


def refused(kim: Mind, **more: Any) -> None:
    with pytest.raises(IntegrityError), transaction.atomic(MEMORY):
        Entry.objects.add(kim.key, **row(kim, **more))


def test_mem_02_the_database_knows_which_kinds_a_layer_has(kim: Mind) -> None:
    bounds = {"scope": "task:1", "source_ref": "s", "expires_at": timezone.now()}
    for layer in KINDS:
        for kind, own in LAYER_OF.items():
            more = {"layer": layer, "kind": kind, **(bounds if layer == "working" else {})}
            if own == layer:
                Entry.objects.add(kim.key, **row(kim, **more))
            else:
                refused(kim, **more)
    refused(kim, layer="other")
    refused(kim, state="other")


def test_mem_02_the_database_bounds_working_memory_and_nothing_else(kim: Mind) -> None:
    whole = {"layer": "working", "kind": "decision", "scope": "s", "source_ref": "s", "expires_at": timezone.now()}
    for missing, value in (("scope", ""), ("source_ref", ""), ("expires_at", None)):
        refused(kim, **{**whole, missing: value})
    refused(kim, scope="task:1")
    Entry.objects.add(kim.key, **row(kim, content_hash="h"))
    refused(kim, content_hash="h")
    Entry.objects.add(kim.key, **row(kim, content_hash="h", state="forgotten"))


def test_mem_04_the_database_keeps_what_a_conversation_was_given(kim: Mind) -> None:
    started = start_conversation(kim.person.actor, kim.key, text="the plan")["conversation"]
    rows = Conversation.objects.of(kim.key).filter(pk=started)
    for change in ({"content": b"{}"}, {"sha256": "0"}, {"markdown": ""}, {"title": "x"}):
        with pytest.raises(DatabaseError), transaction.atomic(MEMORY):
            rows.update(**change)
    assert rows.update(ended_at=timezone.now()) == 1


def test_mem_02_what_does_not_fit_is_refused_by_name(kim: Mind, memory_holds: Callable[[str], list[str]]) -> None:
    later = timezone.now() + timedelta(days=31)
    refusals: dict[str, dict[str, Any]] = {
        "kind": {"kind": "secret"},
        "text": {"text": "quagmire" * 300},
        "scope": {"scope": "task:1"},
        "source_ref": {"kind": "decision", "scope": "task:1"},
        "confidence": {"confidence": 1.5},
        "expires_at": {"kind": "decision", "scope": "s", "source_ref": "s", "expires_at": later},
    }
    for field, given in refusals.items():
        with pytest.raises(Exception) as refusal:  # noqa: PT011 - its code is looked at
            kim.remember(**{"text": "quagmire", "kind": "fact", **given})
        assert (refusal.value.code, refusal.value.details["field"]) == ("invalid_argument", field)  # type: ignore[attr-defined]
    assert memory_holds("quagmire") == []
