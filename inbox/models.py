"""The inbox, the one table that is not per project: an entry per event a human should see (INB-01..06)."""

from typing import Final

from django.db import models

from projects.models import Event, Project


class Status(models.TextChoices):
    """Two axes in one column: unread/read is the human's alone; the others say what a decision's state is (INB-01)."""

    UNREAD = "unread"
    READ = "read"
    ACTION = "action"
    WAITING = "waiting"
    RESOLVED = "resolved"


OPEN: Final = (Status.ACTION, Status.WAITING)
READ_AXIS: Final = (Status.UNREAD, Status.READ)


class Outcome(models.TextChoices):
    """How a question or approval ended."""

    ANSWERED = "answered"
    APPROVED = "approved"
    DECLINED = "declined"
    EXPIRED = "expired"
    REPLACED = "replaced"


class InboxItem(models.Model):
    """The inbox status of one event; it shares the event's id, so commit order is reading order (INB-03).

    ``told_at`` is when its asker was told how it ended.
    ``updated_at`` moves with decisions only, never with reading: that is what agents see (INB-02).
    """

    event = models.OneToOneField(Event, models.CASCADE, primary_key=True, related_name="inbox_item")
    project = models.ForeignKey(Project, models.CASCADE, related_name="inbox_items", db_index=False)
    asker = models.CharField(max_length=200)
    status = models.CharField(max_length=8, choices=Status.choices)
    updated_at = models.DateTimeField()
    read_at = models.DateTimeField(null=True, blank=True)
    deadline_at = models.DateTimeField(null=True, blank=True)
    on_expiry = models.CharField(max_length=8, blank=True, default="")
    outcome = models.CharField(max_length=8, choices=Outcome.choices, blank=True, default="")
    resolved_by = models.CharField(max_length=200, blank=True, default="")
    resolved_at = models.DateTimeField(null=True, blank=True)
    told_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        """Ordered by event id within a status; due deadlines and an agent's open items are found by seeks."""

        constraints = [
            models.CheckConstraint(condition=models.Q(status__in=Status.values), name="inbox_status_known"),
        ]
        indexes = [
            models.Index(fields=["status", "event"], name="inbox_status"),
            models.Index(fields=["project", "status", "event"], name="inbox_project_status"),
            models.Index(
                fields=["deadline_at"],
                condition=models.Q(status__in=["action", "waiting"], deadline_at__isnull=False),
                name="inbox_due",
            ),
            models.Index(
                fields=["asker", "status", "event"],
                condition=models.Q(told_at__isnull=True),
                name="inbox_untold",
            ),
        ]

    def __str__(self) -> str:
        """Answer status and event."""
        return f"{self.status} {self.event_id}"
