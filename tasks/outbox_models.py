"""The outbox: what completed tasks contribute to memory, on its way to the other database (MEM-07, MEM-08)."""

from typing import ClassVar

from django.db import models

from core import limits
from core.ids import UlidField


class OutboxRow(models.Model):
    """One contribution, written in the transaction that completes its task. What it names are plain values.

    A row is ``pending`` until it is delivered, dead or discarded. While a worker holds it, ``lease`` is the worker's
    token and ``due_at`` the end of its time; else ``due_at`` is when it is tried next. The items go once they have
    arrived or nobody wants them any more: what a person forgets must not lie here.
    """

    class State(models.TextChoices):
        """Dead rows wait for a person."""

        PENDING = "pending"
        DELIVERED = "delivered"
        DEAD = "dead"
        DISCARDED = "discarded"

    id = UlidField(primary_key=True)
    key = models.CharField(max_length=64, unique=True)
    task = UlidField()
    generation = models.PositiveIntegerField()
    subject = models.PositiveBigIntegerField()
    project = models.CharField(max_length=limits.NAME_CHARS + 1)
    items = models.JSONField(default=list)
    number = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=9, choices=State.choices, default=State.PENDING)
    attempts = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField()
    lease = models.CharField(max_length=32, blank=True, default="")
    error = models.CharField(max_length=300, blank=True, default="")
    created_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True, blank=True)
    settled_by = models.CharField(max_length=200, blank=True, default="")
    reason = models.CharField(max_length=limits.REASON_CHARS, blank=True, default="")

    class Meta:
        """What is due is found by a seek; whoever is done holds nothing."""

        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(state__in=["pending", "delivered", "dead", "discarded"]), name="outbox_state_known"
            ),
            models.CheckConstraint(
                condition=models.Q(state="pending") | models.Q(lease="", settled_at__isnull=False),
                name="outbox_settled_holds_no_lease",
            ),
            models.CheckConstraint(
                condition=~models.Q(state="discarded") | ~models.Q(reason=""), name="outbox_discarded_for_a_reason"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["due_at", "id"], condition=models.Q(state="pending"), name="outbox_due"),
            models.Index(fields=["state", "id"], name="outbox_state"),
        ]

    def __str__(self) -> str:
        """Answer state and task."""
        return f"{self.state} {self.task} g{self.generation}"
