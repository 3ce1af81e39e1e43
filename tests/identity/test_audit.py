"""IDN-05: who may do what is on the record, in the same transaction as the change itself."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from core.actor import HUB
from identity.models import Agent, Grant
from identity.operations import create_agent, issue_token, remove_grant, revoke_token, set_grant, set_trusted
from projects.models import Event, Kind, Project
from tests.inprocess import HumanApi, nothing_stored
from tests.world import AgentWithToken, Person


def audit(slug: str) -> list[dict[str, Any]]:
    rows = Event.objects.filter(project=slug, kind=Kind.SYSTEM).order_by("pk")
    return [{"actor": row.actor, **row.payload} for row in rows]


def test_idn_05_an_agents_life_is_on_the_record_of_its_space(human: Person) -> None:
    create_agent(human.actor, name="ada")
    issue_token(human.actor, name="ada")
    issue_token(human.actor, name="ada")
    revoke_token(human.actor, name="ada")
    set_trusted(human.actor, name="ada", trusted=False)
    actions = ["agent_created", "token_issued", "token_issued", "token_revoked", "agent_trusted"]
    assert [row["action"] for row in audit("~ada")] == actions
    assert {row["actor"] for row in audit("~ada")} == {"human:kim"}
    assert {row["agent"] for row in audit("~ada")} == {"ada"}


def test_idn_05_a_grant_is_on_the_record_of_the_project_it_opens(
    human: Person, project: Project, stranger: AgentWithToken
) -> None:
    before = len(audit("atlas"))
    set_grant(human.actor, "atlas", agent="stranger", level=Grant.Level.READ)
    set_grant(human.actor, "atlas", agent="stranger", level=Grant.Level.WRITE)
    remove_grant(human.actor, "atlas", agent="stranger")
    shown = [(row["action"], row["agent"], row.get("level")) for row in audit("atlas")[before:]]
    assert shown == [
        ("grant_added", "stranger", "read"),
        ("grant_added", "stranger", "write"),
        ("grant_removed", "stranger", None),
    ]


def test_idn_05_what_changes_nothing_records_nothing(human: Person, project: Project, ada: AgentWithToken) -> None:
    set_grant(human.actor, "atlas", agent="ada", level=Grant.Level.READ)
    revoke_token(human.actor, name="ada")
    with nothing_stored():
        set_grant(human.actor, "atlas", agent="ada", level=Grant.Level.READ)
        set_trusted(human.actor, name="ada", trusted=True)
        revoke_token(human.actor, name="ada")
        remove_grant(human.actor, "atlas", agent="ben")


CHANGES: dict[str, Callable[[], Any]] = {
    "create": lambda: create_agent(HUB, name="new"),
    "issue": lambda: issue_token(HUB, name="ada"),
    "revoke": lambda: revoke_token(HUB, name="ada"),
    "trust": lambda: set_trusted(HUB, name="ada", trusted=False),
    "grant": lambda: set_grant(HUB, "atlas", agent="ada", level=Grant.Level.WRITE),
    "ungrant": lambda: remove_grant(HUB, "atlas", agent="ada"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_idn_05_without_its_record_nothing_changes(
    project: Project, ada: AgentWithToken, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    set_grant(HUB, "atlas", agent="ada", level=Grant.Level.READ)
    before = [list(model.objects.order_by("pk").values()) for model in (Agent, Grant)]
    tokens = list(Agent.objects.get(name="ada").tokens.values())

    def broken(*_: object, **__: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr("projects.feed.append", broken)
    with nothing_stored(), pytest.raises(OSError, match="disk"):
        CHANGES[change]()
    assert [list(model.objects.order_by("pk").values()) for model in (Agent, Grant)] == before
    assert list(Agent.objects.get(name="ada").tokens.values()) == tokens


def test_idn_05_the_human_reads_the_record_by_its_kind(
    human_client: Client, project: Project, ada: AgentWithToken
) -> None:
    events = HumanApi(human_client).get(f"/projects/{ada.space}/events", kinds=["system"])["events"]
    assert [event["payload"]["action"] for event in events] == ["token_issued", "agent_created"]
    assert "hub_" not in str(events)
