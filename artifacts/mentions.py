"""What events say of artifacts, for whoever lists events: is the artifact still there, and what was the comment."""

from collections.abc import Iterable

from artifacts.models import Artifact, Comment
from projects.models import Event, Kind


def add_mentions(events: Iterable[Event]) -> None:
    """Add to each event of an artifact ``artifact``, the id if it is still there, and ``comment``: two queries in all.

    Whoever may read an event may read what it speaks of: both belong to its project.
    """
    about = {event.pk: event for event in events if event.kind == Kind.ARTIFACT}
    named = {event.payload.get("artifact") for event in about.values()}
    there = set(Artifact.objects.filter(pk__in=named - {None}).values_list("pk", flat=True)) if named else set()
    said = [key for key, event in about.items() if event.payload.get("action") == "comment"]
    comments = Comment.objects.in_bulk(said) if said else {}
    for key, event in about.items():
        artifact = event.payload.get("artifact")
        vars(event).update(artifact=artifact if artifact in there else None, comment=comments.get(key))
