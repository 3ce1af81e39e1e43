"""The commands an operator has: projects and agents for scripts and first use, the jobs alone."""

import signal
import subprocess
import sys
import time
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from core.errors import HubError
from identity.actors import agent_from_token
from identity.models import Agent, Grant
from projects.models import Event, Kind, Project
from tests.running import ROOT, Hub

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> list[str]:
    """Run a command in this process; answers its lines."""
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue().splitlines()


def test_hub_06_create_project_takes_a_name_and_a_restriction() -> None:
    run("create_project", "atlas", "--name", "The Atlas", "--restricted")
    project = Project.objects.get(slug="atlas")
    assert (project.name, project.restricted) == ("The Atlas", True)


@pytest.mark.parametrize("slug", ["Atlas", "-a", "a b", "~ada", "x" * 64])
def test_hub_06_create_project_refuses_a_bad_slug_with_the_hubs_own_words(slug: str) -> None:
    with pytest.raises(CommandError, match="slug must be"):
        call_command("create_project", "--", slug)
    assert not Project.objects.exists()


def test_idn_08_create_agent_prints_a_working_token_alone_on_its_last_line() -> None:
    run("create_project", "atlas", "--restricted")
    run("create_project", "borealis", "--restricted")
    token = run("create_agent", "ada", "--grant", "atlas:write", "--grant", "borealis:read", "--untrusted")[-1]
    actor = agent_from_token(f"Bearer {token}")
    assert (actor.name, actor.trusted) == ("ada", False)
    assert dict(Grant.objects.values_list("project_id", "level")) == {"atlas": "write", "borealis": "read"}
    audit = Event.objects.filter(kind=Kind.SYSTEM, actor="hub")
    assert audit.filter(project="~ada", payload__action="token_issued").exists()
    assert audit.filter(project="borealis", payload__action="grant_added").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("Ada",), "name must be"),
        (("hub",), "taken"),
        (("ada", "--grant", "nowhere:read"), "no project nowhere"),
        (("ada", "--grant", "atlas:admin"), "invalid"),
        (("ada", "--grant", "atlas"), "invalid"),
    ],
)
def test_idn_08_create_agent_refuses_and_leaves_nothing(options: tuple[str, ...], message: str) -> None:
    run("create_project", "atlas")
    with pytest.raises(CommandError, match=message):
        run("create_agent", *options)
    assert not Agent.objects.exists()


def test_idn_02_a_taken_name_keeps_its_agents_token() -> None:
    token = run("create_agent", "ada")[-1]
    with pytest.raises(CommandError, match="taken"):
        run("create_agent", "ada")
    assert agent_from_token(f"Bearer {token}").name == "ada"
    with pytest.raises(HubError):
        agent_from_token(f"Bearer {token}x")


def test_ops_04_work_runs_the_jobs_alone_and_stops_when_told(hub: Hub) -> None:
    with subprocess.Popen(
        [sys.executable, "manage.py", "work"], cwd=ROOT, env=hub.environment, stdout=subprocess.PIPE, text=True
    ) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline().startswith("Running ")
        time.sleep(0.2)
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(timeout=20) == 0
