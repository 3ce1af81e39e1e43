"""``manage.py create_project SLUG [--name N] [--restricted]``."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from core.actor import HUB
from hubsite.management.refusals import told
from projects.operations import create_project


class Command(BaseCommand):
    """Create a project."""

    help = "Create a project."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take what the operation takes."""
        parser.add_argument("slug")
        parser.add_argument("--name", default="", help="display name; the slug when left out")
        parser.add_argument("--restricted", action="store_true", help="agents need a grant, trusted or not")

    def handle(self, *_: Any, slug: str, name: str, restricted: bool, **__: Any) -> None:  # noqa: ANN401 - as Django
        """Create it as the hub."""
        with told():
            project = create_project(HUB, slug=slug, name=name, restricted=restricted)
        self.stdout.write(f"Created project {project.slug} ({project.name}).")
