"""The hub store's ground: projects, the events of their feeds, and how far the human has looked (HUB-01..08)."""

from django.db import models
from django.db.models.functions import Now

from core.ids import UlidField


class Kind(models.TextChoices):
    """The closed set of event kinds (HUB-03)."""

    SIGNAL = "signal"
    FINISHED = "finished"
    QUESTION = "question"
    ANSWER = "answer"
    APPROVAL = "approval"
    ARTIFACT = "artifact"
    SESSION = "session"
    SYSTEM = "system"


class ArtifactPolicy(models.TextChoices):
    """Whether artifacts of a project must be protected by a password (HUB-06)."""

    OFF = "off"
    OPTIONAL = "optional"
    REQUIRED = "required"


class Project(models.Model):
    """A project, or an agent's personal space. Other tables, calls and paths name it by its slug alone (HUB-06)."""

    slug = models.CharField(primary_key=True, max_length=64)
    name = models.CharField("display name", max_length=200)
    restricted = models.BooleanField(default=False, help_text="Agents need a grant, trusted or not.")
    personal = models.BooleanField(default=False, editable=False)
    artifact_policy = models.CharField(
        max_length=8,
        choices=ArtifactPolicy.choices,
        default=ArtifactPolicy.OPTIONAL,
        db_default=ArtifactPolicy.OPTIONAL,
    )
    settings = models.JSONField(default=dict, blank=True, help_text="Reserved.")
    created_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        """Answer the slug."""
        return self.slug


class Event(models.Model):
    """One entry of a project's feed. Written by `projects.feed.append` alone, never changed.

    ``session`` and ``thread`` are plain ids: a session may be pruned while its events stay (SES-08).
    """

    id = UlidField(primary_key=True)
    project = models.ForeignKey(Project, models.CASCADE, related_name="events", db_index=False)
    kind = models.CharField(max_length=8, choices=Kind.choices)
    actor = models.CharField(max_length=200)
    session = UlidField(null=True, blank=True)
    thread = UlidField(null=True, blank=True)
    summary = models.CharField(max_length=1024)
    payload = models.JSONField(default=dict)
    created_at = models.DateTimeField()

    class Meta:
        """Each way the feed is read has its index (HUB-04, HUB-05)."""

        constraints = [
            models.CheckConstraint(condition=models.Q(kind__in=Kind.values), name="event_kind_known"),
        ]
        indexes = [
            models.Index(fields=["project", "id"], name="event_feed"),
            models.Index(fields=["project", "kind", "id"], name="event_feed_kind"),
            models.Index(fields=["project", "actor", "id"], name="event_feed_actor"),
            models.Index(fields=["session", "id"], name="event_session"),
            models.Index(fields=["session", "kind"], name="event_session_kind"),
            models.Index(fields=["thread", "id"], name="event_thread"),
        ]

    def __str__(self) -> str:
        """Answer kind and summary."""
        return f"{self.kind}: {self.summary}"


class EventClock(models.Model):
    """The last event id minted. Locking its one row orders the commits of all events (HUB-02)."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    last = UlidField()

    def __str__(self) -> str:
        """Answer the last id."""
        return str(self.last)


class FeedCursor(models.Model):
    """How far the human has looked into a project's feed; only ever moves forward (HUB-07)."""

    project = models.OneToOneField(Project, models.CASCADE, primary_key=True, related_name="cursor")
    event = UlidField()

    def __str__(self) -> str:
        """Answer project and event."""
        return f"{self.project_id} at {self.event}"
