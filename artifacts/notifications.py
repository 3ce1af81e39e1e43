"""Telling the publishing agent, on whatever it calls next, what was said about its artifacts: each comment once."""

from typing import Any, Final

from django.db import connection
from django.utils import timezone

from artifacts.models import Comment
from core.actor import Actor
from core.gate import write_if_free
from core.times import rfc3339
from identity.access import visible_projects

MOST: Final = 10
# Every call of every agent asks this: written out, as inbox.notifications does.
_ANY_UNTOLD: Final = (
    "SELECT 1 FROM artifacts_comment WHERE addressee = %s AND told_at IS NULL AND resolved_at IS NULL LIMIT 1"
)


def take_comments(actor: Actor) -> list[dict[str, Any]]:
    """Answer the open comments the caller has not been told of yet, oldest first, and note that it was told."""
    with connection.cursor() as cursor:
        cursor.execute(_ANY_UNTOLD, [str(actor)])
        if cursor.fetchone() is None:  # nearly always
            return []
    untold = Comment.objects.filter(addressee=str(actor), told_at__isnull=True, resolved_at__isnull=True)
    rows = untold.select_related("artifact").filter(project__in=visible_projects(actor)).order_by("pk")[:MOST]
    return [_json(row) for row in rows if _tell(row)]


def _tell(comment: Comment) -> bool:
    """Note that the addressee has been told; answers whether this call was the first to."""
    first: list[int] = []
    untold = Comment.objects.filter(pk=comment.pk, told_at__isnull=True)
    write_if_free(lambda: first.append(untold.update(told_at=timezone.now())))
    return first == [1]


def _json(comment: Comment) -> dict[str, Any]:
    return {
        "kind": "comment",
        "id": comment.pk,
        "project": comment.project_id,
        "title": comment.artifact.title,
        "artifact": comment.artifact_id,
        "at": rfc3339(comment.created_at),
    }
