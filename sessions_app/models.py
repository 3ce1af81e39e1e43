"""One row per session of an agent; its working state is its brain file (SES-01..08)."""

from django.db import models
from django.db.models.functions import Now

from core.ids import UlidField
from identity.models import Agent
from projects.models import Project


class Status(models.TextChoices):
    """Live until it ends; pruning is `deleted_at`, so that it can be undone."""

    LIVE = "live"
    ENDED = "ended"


class Session(models.Model):
    """A stretch of an agent's work in a project.

    ``source`` is the session it was forked from: a plain id that stays when the source is gone (SES-05).
    ``task`` is the task it runs, a plain id: adopting keeps it, a fork has none (TSK-01).
    ``adopted_from`` is the agent that owned it before the one that adopted it.
    ``retention``, ``archived_at`` and ``version`` are reserved (SES-08).
    """

    id = UlidField(primary_key=True)
    project = models.ForeignKey(Project, models.CASCADE, related_name="sessions")
    agent = models.ForeignKey(Agent, models.PROTECT, related_name="sessions")
    name = models.CharField(max_length=63)
    status = models.CharField(max_length=5, choices=Status.choices, default=Status.LIVE)
    handoff = models.TextField(blank=True, default="")
    source = UlidField(null=True, blank=True)
    source_mode = models.CharField(max_length=5, blank=True, default="", choices=[("adopt", "adopt"), ("fork", "fork")])
    source_agent = models.CharField(max_length=63, blank=True, default="")
    adopted_from = models.CharField(max_length=63, blank=True, default="", db_default="")
    task = UlidField(null=True, blank=True)
    created_at = models.DateTimeField(db_default=Now())
    last_activity = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    deleted_at = models.DateTimeField(null=True, blank=True)
    retention = models.CharField(max_length=32, blank=True, default="", db_default="")
    archived_at = models.DateTimeField(null=True, blank=True)
    version = models.PositiveIntegerField(default=1, db_default=1)

    class Meta:
        """A name means one session to its owner in a project."""

        constraints = [
            models.UniqueConstraint(fields=["project", "agent", "name"], name="session_name_of_agent_in_project"),
            models.CheckConstraint(condition=models.Q(status__in=Status.values), name="session_status_known"),
        ]
        indexes = [
            models.Index(fields=["project", "id"], name="session_project"),
            models.Index(fields=["agent", "status", "last_activity"], name="session_active"),
        ]

    def __str__(self) -> str:
        """Answer the name."""
        return self.name
