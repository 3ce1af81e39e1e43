"""Who agents are and what they may open (IDN-01..04)."""

from django.db import models
from django.db.models.functions import Now

from projects.models import Project


class Agent(models.Model):
    """A program that reports to the hub. Its token is its identity; its personal space is a project it alone writes."""

    name = models.CharField(max_length=63, unique=True)
    trusted = models.BooleanField(default=True, help_text="May use open projects without a grant.")
    space = models.OneToOneField(Project, models.PROTECT, related_name="agent")
    created_at = models.DateTimeField(db_default=Now())
    last_seen_at = models.DateTimeField(null=True, blank=True, editable=False)

    def __str__(self) -> str:
        """Answer the name."""
        return self.name


class Token(models.Model):
    """An agent's bearer token, kept as a digest only. At most one is live (IDN-02)."""

    agent = models.ForeignKey(Agent, models.CASCADE, related_name="tokens")
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(db_default=Now())
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        """One live token per agent."""

        constraints = [
            models.UniqueConstraint(
                fields=["agent"], condition=models.Q(revoked_at__isnull=True), name="token_one_live_per_agent"
            ),
        ]

    def __str__(self) -> str:
        """Answer whose token it is."""
        return f"token of {self.agent_id}"


class Grant(models.Model):
    """A right of one agent on one project."""

    class Level(models.TextChoices):
        """What a grant opens; write includes read."""

        READ = "read"
        WRITE = "write"

    agent = models.ForeignKey(Agent, models.CASCADE, related_name="grants")
    project = models.ForeignKey(Project, models.CASCADE, related_name="grants")
    level = models.CharField(max_length=5, choices=Level.choices, default=Level.READ)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        """One grant per agent and project."""

        constraints = [
            models.UniqueConstraint(fields=["agent", "project"], name="grant_one_per_agent_and_project"),
            models.CheckConstraint(condition=models.Q(level__in=["read", "write"]), name="grant_level_known"),
        ]

    def __str__(self) -> str:
        """Answer the grant in words."""
        return f"{self.agent_id} may {self.level} {self.project_id}"


class IdempotencyKey(models.Model):
    """The first result of a call, kept for a day for its retries (AGT-02)."""

    actor = models.CharField(max_length=200)
    key = models.CharField(max_length=128)
    fingerprint = models.CharField(max_length=64)
    result = models.JSONField()
    created_at = models.DateTimeField(db_default=Now(), db_index=True)

    class Meta:
        """A key belongs to its actor."""

        constraints = [models.UniqueConstraint(fields=["actor", "key"], name="idempotency_key_of_actor")]

    def __str__(self) -> str:
        """Answer the key."""
        return self.key
