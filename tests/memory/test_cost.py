"""MEM-03, MEM-06: a person's pages and recalls cost as many queries however much is remembered, by indexes."""

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.test import Client
from django.utils import timezone

from core.operation import MEMORY
from memory import queries
from memory.composing import Bounds
from memory.models import Entry, Proposal, Recall
from memory.operations import freeze_memory
from memory.recall import Asked, candidates
from tests.costs import plan, queries_of, seeks
from tests.inprocess import HumanApi
from tests.memory.conftest import Mind

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.django_db


def test_mem_03_what_a_person_reads_is_found_by_indexes(kim: Mind) -> None:
    entry = kim.remember("Lighthouse")["entry"]
    asked = Asked("lighthouse", "", timezone.now())
    looks: list[Callable[[], Any]] = [
        lambda: list(queries.entries_of(kim.key, layer="semantic")[:50]),
        lambda: queries.revisions_of(kim.key, entry),
        lambda: list(Proposal.objects.of(kim.key).filter(state="open").order_by("pk")),
        lambda: list(Recall.objects.of(kim.key).order_by("-pk")[:10]),
        lambda: candidates(kim.key, asked),
        lambda: Entry.objects.subjects_with_due(timezone.now() + timedelta(days=1)),
    ]
    for look in looks:
        (sql,) = queries_of(look, MEMORY)
        told = plan(sql, MEMORY)
        assert seeks(told, MEMORY), (sql, told)


def test_mem_06_pages_and_recalls_take_as_many_queries_for_one_entry_as_for_many(
    kim: Mind, human_api: HumanApi, human_client: Client
) -> None:
    costs = []
    for words in (["Lighthouse 1"], [f"Lighthouse {number}" for number in range(2, 20)]):
        for text in words:
            kim.remember(text)
        looks: list[Callable[[], object]] = [
            lambda: human_api.get("/memory", layer="semantic", limit=50).done(),
            lambda: human_client.get("/memory/?layer=semantic"),
            lambda: freeze_memory(
                kim.person.actor, kim.key, text="Which lighthouse?", defaults={}, scope="", bounds=Bounds()
            ),
        ]
        costs.append([len(queries_of(look, MEMORY)) for look in looks])
    assert costs[0] == costs[1]
