"""``manage.py create_agent NAME [--grant SLUG:read|write]... [--untrusted]``."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.actor import HUB
from hubsite.management.refusals import told
from identity.models import Grant
from identity.operations import create_agent, issue_token, set_grant
from projects.models import Project


class Command(BaseCommand):
    """Create an agent with its grants and its token."""

    help = "Create an agent. The last line printed is its token, alone; it is shown this once."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take a name, grants and trust."""
        parser.add_argument("name")
        parser.add_argument(
            "--grant", action="append", default=[], metavar="SLUG:read|write", type=_grant, dest="grants"
        )
        parser.add_argument("--untrusted", action="store_true", help="open projects need a grant too")

    def handle(  # noqa: D102 - see help
        self,
        *_: Any,  # noqa: ANN401 - Django's own signature
        name: str,
        grants: list[tuple[str, Grant.Level]],
        untrusted: bool,
        **__: Any,  # noqa: ANN401 - Django's own signature
    ) -> None:
        for slug, _level in grants:
            if not Project.objects.filter(slug=slug, personal=False).exists():
                raise CommandError(f"There is no project {slug} to grant.")
        with told():
            agent = create_agent(HUB, name=name, trusted=not untrusted)
            for slug, level in grants:
                set_grant(HUB, slug, agent=name, level=level)
            issued = issue_token(HUB, name=name)
        self.stdout.write(f"Created agent {agent.name}, {'trusted' if agent.trusted else 'not trusted'}. Its token:")
        self.stdout.write(issued.secret)


def _grant(text: str) -> tuple[str, Grant.Level]:
    slug, _, level = text.rpartition(":")
    if not slug or level not in Grant.Level.values:
        raise ValueError(text)
    return slug, Grant.Level(level)
