"""``manage.py rebuild_plane``: the retrieval plane made anew out of the documents it is derived from."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from knowledge.retrieval.base import REASONS, PlaneUnavailable
from knowledge.retrieval.planes import plane
from knowledge.retrieval.upkeep import rebuild


class Command(BaseCommand):
    """Make the plane anew."""

    help = (
        "Make the retrieval plane anew, beside a serving hub or without one. Recalls use the hub's own index meanwhile."
    )

    def handle(self, *_: Any, **__: Any) -> None:  # noqa: ANN401 - Django's own signature
        """Rebuild it, and say what it holds."""
        configured = plane()
        if configured is None:
            raise CommandError("No retrieval plane is configured: set HUB_RETRIEVAL_PLANE.")
        try:
            number = rebuild()
        except PlaneUnavailable as refusal:
            reason = REASONS.get(refusal.reason, refusal.reason)
            raise CommandError(f"The retrieval plane {configured.name} is unavailable: {reason}.") from refusal
        self.stdout.write(f"{configured.name} holds {number} documents.")
