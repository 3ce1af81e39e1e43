"""``manage.py demo``: what ``make demo`` runs."""

import urllib.request
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from core.actor import HUB
from hubsite.demo import story
from hubsite.demo.client import DemoAgent, RefusedError
from hubsite.demo.handing import first_admin
from hubsite.management.refusals import told
from identity.models import Agent
from identity.operations import create_agent, issue_token
from projects.models import Project
from projects.operations import create_project

AGENTS = ("demo-iris", "demo-wei")


class Command(BaseCommand):
    """Fill a running hub with a week of two agents' work."""

    help = "Fill a running hub with a believable week of two agents' work, through MCP. Again, it adds nothing."

    def handle(self, *_: Any, **__: Any) -> None:  # noqa: ANN401 - Django's own signature
        """Make projects and agents where they are missing, then let the agents tell."""
        url = settings.HUB_URL or f"http://{settings.HUB_HOST}:{settings.HUB_PORT}"
        _check_runs(url)
        with told():
            for slug, name in story.PROJECTS.items():
                if not Project.objects.filter(slug=slug).exists():
                    create_project(HUB, slug=slug, name=name)
            iris, wei = (DemoAgent(url, name, _token(name)) for name in AGENTS)
        try:
            if story.told(iris):
                self.stdout.write(f"The demo's week is in {url} already.")
                return
            with told():
                story.tell(iris, wei, first_admin())
        except RefusedError as refusal:
            raise CommandError(str(refusal)) from None
        self.stdout.write(
            f"Done: see {url}/inbox/ and {', '.join(f'{url}/project/{slug}/' for slug in story.PROJECTS)}"
        )


def _check_runs(url: str) -> None:
    try:
        with urllib.request.urlopen(f"{url}/healthz", timeout=10):  # noqa: S310 - the hub's own address
            return
    except OSError as error:
        raise CommandError(f"No hub answers at {url} ({error}). Start it with make run, then make demo.") from None


def _token(name: str) -> str:
    """Answer a new token, as the one before was shown once."""
    if not Agent.objects.filter(name=name).exists():
        create_agent(HUB, name=name)
    return issue_token(HUB, name=name).secret
