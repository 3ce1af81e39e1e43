"""MEM-01, MEM-03: memory goes with its person, and on PostgreSQL nobody but its own account reaches it."""

import os
import re
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from psycopg import sql

from memory.models import Entry
from memory.operations import allow_agent, start_conversation
from tests.memory.conftest import Mind, models_of_memory
from tests.running import ROOT
from tests.world import AgentWithToken

SERVER = os.environ.get("DATABASE_URL", "")


@pytest.mark.django_db
def test_mem_03_with_an_account_all_of_its_memory_goes(
    kim: Mind,
    lou: Mind,
    ada: AgentWithToken,
    memory_holds: Callable[[str], list[str]],
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:
    for mind, word in ((kim, "ostrich"), (lou, "pelican")):
        mind.remember(f"The {word} is blue")
        mind.remember(f"The {word} is  blue indeed and large and loud and likes sand and grass and people")
        mind.remember(f"The {word} is  blue indeed and large and loud and likes sand and grass and people.")
        mind.working(f"A {word} today")
        mind.forget(mind.remember(f"The {word} bites")["entry"])
        allow_agent(mind.person.actor, mind.key, agent="ada")
        start_conversation(mind.person.actor, mind.key, text=f"Which {word}?")
    before = {model: model._default_manager.of(lou.key).count() for model in models_of_memory()}  # type: ignore[attr-defined]
    key = kim.key
    with django_capture_on_commit_callbacks(execute=True):
        kim.person.user.delete()
    assert memory_holds("ostrich") == []
    for model in models_of_memory():
        assert model._default_manager.of(key).count() == 0, model  # type: ignore[attr-defined]
        assert model._default_manager.of(lou.key).count() == before[model], model  # type: ignore[attr-defined]
    assert Entry.objects.of(lou.key).filter(state="active").count() == 4


@pytest.fixture
def accounts() -> Iterator[dict[str, str]]:
    """Do as docs/memory.md says, under other names; answers each account's address of each database."""
    mark = uuid.uuid4().hex[:8]
    hub, memory = f"hub_{mark}", f"memory_{mark}"
    text = re.search(r"```sql\n(.*?)```", (ROOT / "docs" / "memory.md").read_text(), re.DOTALL)
    assert text is not None
    asked = re.sub(r"\bmuster\b", hub, text[1].replace("muster_memory", memory))
    here, _, inside = re.sub(r"--.*", "", asked).partition(f"\\connect {memory}")
    with psycopg.connect(SERVER, autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE ROLE {0} LOGIN").format(sql.Identifier(hub)))
        admin.execute(sql.SQL("CREATE DATABASE {0} OWNER {0}").format(sql.Identifier(hub)))
        try:
            for statement in filter(str.strip, here.split(";")):
                admin.execute(statement.encode())
            with psycopg.connect(SERVER, dbname=memory, autocommit=True) as owner:
                for statement in filter(str.strip, inside.split(";")):
                    owner.execute(statement.encode())
            yield {"hub": hub, "memory": memory}
        finally:
            for name in (hub, memory):
                admin.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))
                admin.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(sql.Identifier(name)))


@pytest.mark.skipif(not SERVER, reason="accounts are PostgreSQL's")
def test_mem_01_the_sql_an_operator_runs_parts_the_two_accounts(accounts: dict[str, str]) -> None:
    hub, memory = accounts["hub"], accounts["memory"]
    for account, database in ((hub, hub), (memory, memory)):
        with psycopg.connect(SERVER, user=account, dbname=database) as own:
            own.execute("CREATE TABLE kept (word text)")
            own.execute("INSERT INTO kept VALUES ('heron')")
    for account, database in ((hub, memory), (memory, hub)):
        with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
            psycopg.connect(SERVER, user=account, dbname=database)
