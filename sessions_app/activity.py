"""Last activity: that a session was used, at most once a minute (IDN-07)."""

from datetime import timedelta

from django.db.models import QuerySet
from django.utils import timezone

from core.gate import write_if_free
from core.limits import ACTIVE_WINDOW_SECONDS, TOUCH_SECONDS
from identity.models import Agent
from sessions_app.models import Session, Status


def touch(session: Session) -> None:
    """Note activity. The update is guarded, so many calls at once write one; a busy store skips it."""
    now = timezone.now()
    stale = now - timedelta(seconds=TOUCH_SECONDS)
    if session.last_activity > stale:
        return
    due = Session.objects.filter(pk=session.pk, status=Status.LIVE, last_activity__lte=stale)
    write_if_free(lambda: due.update(last_activity=now))


def active_agents() -> QuerySet[Agent]:
    """Answer the agents that own a live session touched inside the active window; two sessions count once."""
    since = timezone.now() - timedelta(seconds=ACTIVE_WINDOW_SECONDS)
    live = Session.objects.filter(status=Status.LIVE, deleted_at__isnull=True, last_activity__gte=since)
    return Agent.objects.filter(pk__in=live.values("agent"))
