"""``manage.py migrate``: Django's own, of both databases unless one is named."""

from typing import Any

from django.core.management.base import CommandParser
from django.core.management.commands import migrate
from django.db import DEFAULT_DB_ALIAS

from core.operation import MEMORY
from hubsite.startup import keep_memory_private

STORES = {DEFAULT_DB_ALIAS: None, MEMORY: MEMORY}


class Command(migrate.Command):
    """Migrate the hub store and the database of memory."""

    def add_arguments(self, parser: CommandParser) -> None:
        """Let the database be left out."""
        super().add_arguments(parser)
        parser.set_defaults(database=None)

    def get_check_kwargs(self, options: dict[str, Any]) -> Any:  # noqa: ANN401 - Django's own
        """Check the databases that are migrated."""
        kwargs: Any = super().get_check_kwargs({**options, "database": DEFAULT_DB_ALIAS})
        return kwargs | {"databases": [options["database"]] if options["database"] else list(STORES)}

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ANN401 - Django's own signature
        """Migrate the database that is named, or each with what belongs in it."""
        if options["database"]:
            super().handle(*args, **options)
            return
        keep_memory_private()
        label = options["app_label"]
        for store, app in STORES.items():
            if label is None or (label == MEMORY) == (store == MEMORY):
                super().handle(*args, **{**options, "database": store, "app_label": label or app})
