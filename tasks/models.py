"""Tasks: what an agent does for a person, what it may recall meanwhile, and what it recalled (TSK-01..07).

A task's row moves by guarded transitions (`tasks.transitions`) and stays once it ended. Beside it stand rows that the
database itself keeps as they were written (see the first migration): snapshots, delegations but for their revocation,
and the evidence of every recall. They go with their task, by a trigger of the database,
and never before it.
"""

from typing import Final

from django.conf import settings
from django.db import models

from core import limits
from core.ids import UlidField
from identity.models import Agent
from projects.models import Project
from tasks.outbox_models import OutboxRow  # noqa: F401 - a table of this app, too


class Organization(models.Model):
    """Who this hub is: one row, made when it is first asked for. A delegation holds on the hub that issued it."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    key = UlidField()

    def __str__(self) -> str:
        """Answer the key."""
        return str(self.key)


class SubjectSetting(models.Model):
    """What a person allows agents to do in their name; nothing, without a row."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="task_setting")
    agents_may_create = models.BooleanField(default=False)

    def __str__(self) -> str:
        """Answer whose it is."""
        return f"setting of {self.user_id}"


class Status(models.TextChoices):
    """Where a task stands; completed, failed and cancelled are ends."""

    CREATED = "created"
    READY = "ready"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    PREFLIGHT_FAILED = "preflight_failed"


ENDED: Final = (Status.COMPLETED, Status.FAILED, Status.CANCELLED)
MAY_PREPARE: Final = (Status.CREATED, Status.PREFLIGHT_FAILED)


class Scope(models.TextChoices):
    """What a delegation opens."""

    RECALL = "knowledge.recall"
    READ = "knowledge.read"


class Task(models.Model):
    """Work an agent does for a person. ``revision`` counts transitions, ``generation`` rebuilds.

    ``spaces`` are the ids asked for, none for the project's own. ``begun`` is the revision its generation began with.
    """

    id = UlidField(primary_key=True)
    project = models.ForeignKey(Project, models.CASCADE, related_name="tasks", db_index=False)
    subject = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="tasks")
    agent = models.ForeignKey(Agent, models.PROTECT, related_name="tasks")
    title = models.CharField(max_length=limits.TITLE_CHARS)
    text = models.TextField()
    spaces = models.JSONField(default=list)
    scopes = models.JSONField(default=list)
    lifetime = models.PositiveIntegerField(help_text="How long its delegation holds, in seconds.")
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.CREATED)
    generation = models.PositiveIntegerField(default=1)
    revision = models.PositiveIntegerField(default=1)
    begun = models.PositiveIntegerField(default=1)
    problem = models.CharField(max_length=64, blank=True, default="", help_text="The code a preflight failed with.")
    created_by = models.CharField(max_length=200)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        """Listed per project, and per agent to find what it runs."""

        constraints = [
            models.CheckConstraint(condition=models.Q(status__in=Status.values), name="task_status_known"),
            models.CheckConstraint(
                condition=models.Q(status__in=ENDED, ended_at__isnull=False)
                | (~models.Q(status__in=ENDED) & models.Q(ended_at__isnull=True)),
                name="task_ended_at_its_end",
            ),
        ]
        indexes = [models.Index(fields=["project", "id"], name="task_project")]

    def __str__(self) -> str:
        """Answer the title."""
        return self.title


class TaskNode(models.Model):
    """A step of a task: a kind of the library (`tasks.library`), a title, and the skills chosen for it.

    The system recall skill is in no row: it is added whenever a node is served (TSK-06).
    """

    task = models.ForeignKey(Task, models.DO_NOTHING, related_name="nodes", db_index=False)
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=limits.LABEL_CHARS)
    title = models.CharField(max_length=limits.TITLE_CHARS)
    skills = models.JSONField(default=list)

    class Meta:
        """In order within their task."""

        constraints = [models.UniqueConstraint(fields=["task", "number"], name="task_node_once")]

    def __str__(self) -> str:
        """Answer number and title."""
        return f"{self.number}. {self.title}"


class TaskChange(models.Model):
    """One transition of a task: its timeline."""

    task = models.ForeignKey(Task, models.DO_NOTHING, related_name="changes", db_index=False)
    revision = models.PositiveIntegerField()
    generation = models.PositiveIntegerField()
    action = models.CharField(max_length=32)
    status = models.CharField(max_length=16, choices=Status.choices)
    actor = models.CharField(max_length=200)
    note = models.CharField(max_length=limits.REASON_CHARS, blank=True, default="")
    at = models.DateTimeField()

    class Meta:
        """In order within their task."""

        indexes = [models.Index(fields=["task", "revision"], name="task_change_order")]

    def __str__(self) -> str:
        """Answer what was done."""
        return f"{self.action} r{self.revision}"


class Snapshot(models.Model):
    """What a generation of a task knows of its subject: canonical bytes and their hash. Never changes (MEM-04)."""

    task = models.ForeignKey(Task, models.DO_NOTHING, related_name="snapshots", db_index=False)
    generation = models.PositiveIntegerField()
    content = models.BinaryField()
    sha256 = models.CharField(max_length=64)
    markdown = models.TextField()
    markdown_sha256 = models.CharField(max_length=64)
    recall = models.CharField(max_length=64, blank=True, default="", help_text="The recall it was made by.")
    created_at = models.DateTimeField()

    class Meta:
        """One per generation."""

        constraints = [models.UniqueConstraint(fields=["task", "generation"], name="snapshot_of_generation")]

    def __str__(self) -> str:
        """Answer task and generation."""
        return f"{self.task_id} g{self.generation}"


class Delegation(models.Model):
    """What one generation of a task opens to its agent, in the name of its subject: an id, no secret (TSK-02).

    Every column is a plain value of the time it was issued; only the revocation is added, once.
    """

    id = UlidField(primary_key=True)
    task = models.ForeignKey(Task, models.DO_NOTHING, related_name="delegations", db_index=False)
    generation = models.PositiveIntegerField()
    organization = UlidField()
    project = models.CharField(max_length=64)
    subject = models.PositiveBigIntegerField()
    agent = models.PositiveBigIntegerField()
    agent_name = models.CharField(max_length=limits.NAME_CHARS)
    spaces = models.JSONField()
    scopes = models.JSONField()
    issued_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    revoked_by = models.CharField(max_length=200, blank=True, default="")
    revoked_for = models.CharField(max_length=32, blank=True, default="")

    class Meta:
        """One per generation."""

        constraints = [models.UniqueConstraint(fields=["task", "generation"], name="delegation_of_generation")]

    def __str__(self) -> str:
        """Answer whom it is for."""
        return f"{self.agent_name} for {self.subject}"


class RecallEvidence(models.Model):
    """One recall, answered or refused, as it was (TSK-05). A call whose delegation is unknown has no task."""

    class Outcome(models.TextChoices):
        """Whether the caller got an answer."""

        ANSWERED = "answered"
        REFUSED = "refused"

    id = UlidField(primary_key=True)
    task = models.ForeignKey(Task, models.DO_NOTHING, null=True, related_name="recalls", db_index=False)
    delegation = models.CharField(max_length=26, blank=True, default="")
    generation = models.PositiveIntegerField(null=True)
    session = UlidField(null=True)
    agent = models.PositiveBigIntegerField()
    agent_name = models.CharField(max_length=limits.NAME_CHARS)
    subject = models.PositiveBigIntegerField(null=True)
    verb = models.CharField(max_length=16, choices=Scope.choices)
    query = models.CharField(max_length=limits.RECALL_QUERY_CHARS, blank=True, default="")
    query_sha256 = models.CharField(max_length=64, blank=True, default="")
    document = models.CharField(max_length=26, blank=True, default="")
    spaces_asked = models.JSONField(default=list)
    spaces_used = models.JSONField(default=list)
    outcome = models.CharField(max_length=8, choices=Outcome.choices)
    code = models.CharField(max_length=64, blank=True, default="")
    backend = models.CharField(max_length=32, blank=True, default="")
    degraded = models.CharField(max_length=64, blank=True, default="")
    candidates = models.PositiveIntegerField(default=0)
    stale_dropped = models.PositiveIntegerField(default=0)
    took_ms = models.FloatField(default=0)
    hits = models.JSONField(default=list)
    at = models.DateTimeField()

    class Meta:
        """Listed per task, newest first."""

        indexes = [models.Index(fields=["task", "id"], name="recall_evidence_task")]

    def __str__(self) -> str:
        """Answer what was done and what came of it."""
        return f"{self.verb}: {self.code or self.outcome}"


class RejectedEvidence(models.Model):
    """An item that a completed task offered and memory does not take: its kind, the reason, its hash (MEM-09)."""

    task = models.ForeignKey(Task, models.DO_NOTHING, related_name="rejected", db_index=False)
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=limits.LABEL_CHARS)
    reason = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)

    class Meta:
        """In order within their task."""

        constraints = [models.UniqueConstraint(fields=["task", "number"], name="rejected_evidence_once")]

    def __str__(self) -> str:
        """Answer kind and reason."""
        return f"{self.kind}: {self.reason}"
