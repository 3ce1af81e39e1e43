"""``manage.py reindex [--resume]``: the index made anew out of what it is derived from."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from search.models import SearchDocument
from search.rebuilding import outdated, rebuild


class Command(BaseCommand):
    """Index everything anew."""

    help = "Index everything anew, beside a serving hub or without one. Searches find meanwhile what they found before."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take whether to go on with one that was stopped."""
        parser.add_argument("--resume", action="store_true", help="go on with one that was stopped")

    def handle(self, *_: Any, resume: bool, **__: Any) -> None:  # noqa: ANN401 - Django's own signature
        """Rebuild, telling how far it is."""
        self._told = -1
        rebuild(self._tell, resume=resume)
        self.stderr.write("\r100 %")
        self.stdout.write(f"{SearchDocument.objects.count()} documents indexed.")

    def _tell(self) -> None:
        total = SearchDocument.objects.count()
        percent = 100 * (total - outdated()) // max(total, 1)
        if percent != self._told:
            self._told = percent
            self.stderr.write(f"\r{percent:3} %", ending="")
            self.stderr.flush()
