"""Artifacts: versioned snapshots for the human's eyes, and the comments on them (ART-01, INB-07)."""

from typing import Final

from django.db import models

from core import limits
from core.ids import UlidField
from projects.models import Project


class Kind(models.TextChoices):
    """What an artifact's bytes are, and so how it is shown (ART-04)."""

    HTML = "html"
    MARKDOWN = "markdown"
    TEXT = "text"
    CODE = "code"
    IMAGE = "image"
    PDF = "pdf"
    JSON = "json"
    OTHER = "other"


TEXTUAL: Final = frozenset({Kind.HTML, Kind.MARKDOWN, Kind.TEXT, Kind.CODE, Kind.JSON})
"""Kinds whose bytes are UTF-8 text: compared, quoted and searched, unless they are protected."""


class Artifact(models.Model):
    """What an agent shows its human. ``actor`` and ``session`` are those of publishing; no update touches them.

    ``version`` is the number of the newest version. ``session`` is a plain id: a session may be pruned (SES-08).
    """

    id = UlidField(primary_key=True)
    project = models.ForeignKey(Project, models.CASCADE, related_name="artifacts", db_index=False)
    title = models.CharField(max_length=limits.TITLE_CHARS)
    description = models.CharField(max_length=limits.DESCRIPTION_CHARS, blank=True, default="")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    label = models.CharField(max_length=limits.LABEL_CHARS, blank=True, default="")
    actor = models.CharField(max_length=200)
    session = UlidField(null=True, blank=True)
    version = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        """Listed per project, newest first; found by session."""

        constraints = [
            models.CheckConstraint(condition=models.Q(kind__in=Kind.values), name="artifact_kind_known"),
        ]
        indexes = [
            models.Index(fields=["project", "id"], name="artifact_project"),
            models.Index(fields=["session", "id"], name="artifact_session"),
        ]

    def __str__(self) -> str:
        """Answer the title."""
        return self.title


class ArtifactVersion(models.Model):
    """One snapshot: never changed. ``blob`` names its bytes in ``STORAGES["artifacts"]``.

    ``envelope`` says how a protected version was encrypted; ``size`` and ``sha256`` are then the ciphertext's (ART-03).
    """

    artifact = models.ForeignKey(Artifact, models.CASCADE, related_name="versions", db_index=False)
    project = models.ForeignKey(Project, models.CASCADE, related_name="artifact_versions")
    number = models.PositiveIntegerField()
    blob = models.CharField(max_length=120, unique=True)
    size = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    media_type = models.CharField(max_length=100)
    language = models.CharField(max_length=40, blank=True, default="")
    envelope = models.JSONField(null=True, blank=True)
    actor = models.CharField(max_length=200)
    session = UlidField(null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        """A version is named by its artifact and number."""

        constraints = [
            models.UniqueConstraint(fields=["artifact", "number"], name="artifact_version_once"),
        ]

    def __str__(self) -> str:
        """Answer artifact and number."""
        return f"{self.artifact_id} v{self.number}"

    @property
    def protected(self) -> bool:
        """Whether only a browser with the password can read it."""
        return self.envelope is not None


class Comment(models.Model):
    """A remark on an artifact, or on one version of it. Its id is that of its event, so comments are in commit order.

    ``addressee`` is the publishing agent, until ``told_at``; empty when it wrote the comment itself (INB-07).
    """

    id = UlidField(primary_key=True)
    project = models.ForeignKey(Project, models.CASCADE, related_name="comments")
    artifact = models.ForeignKey(Artifact, models.CASCADE, related_name="comments", db_index=False)
    version = models.PositiveIntegerField(null=True, blank=True)
    anchor = models.JSONField(null=True, blank=True)
    body = models.TextField()
    actor = models.CharField(max_length=200)
    addressee = models.CharField(max_length=200, blank=True, default="")
    created_at = models.DateTimeField()
    told_at = models.DateTimeField(null=True, blank=True)
    resolved_at = models.DateTimeField(null=True, blank=True)
    resolved_by = models.CharField(max_length=200, blank=True, default="")

    class Meta:
        """Listed per artifact; what an agent has not been told is one seek."""

        indexes = [
            models.Index(fields=["artifact", "id"], name="comment_artifact"),
            models.Index(
                fields=["addressee", "id"],
                condition=models.Q(told_at__isnull=True, resolved_at__isnull=True),
                name="comment_untold",
            ),
        ]

    def __str__(self) -> str:
        """Answer who commented on what."""
        return f"{self.actor} on {self.artifact_id}"
