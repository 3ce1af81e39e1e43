"""Personal memory (MEM-01..06, MEM-09): entries and their revisions, what was asked of them, and what must not return.

Every row says whose it is. No key leads out of this database: people, agents, tasks and inbox items are plain values.
"""

from typing import Final

from django.db import models

from core import limits
from core.ids import UlidField
from memory.kinds import KINDS, LAYERS, WORKING
from memory.subjects import EntryManager, ProposalManager, SubjectManager

SCOPE_CHARS: Final = 80
SOURCE_CHARS: Final = 200


def _pairs() -> models.Q:
    allowed = models.Q()
    for layer, kinds in KINDS.items():
        allowed |= models.Q(layer=layer, kind__in=kinds)
    return allowed


class Entry(models.Model):
    """One thing remembered of a person. Its words are in its revisions; ``revision`` is the number of the latest."""

    class State(models.TextChoices):
        """What became of it."""

        ACTIVE = "active"
        SUPERSEDED = "superseded"
        FORGOTTEN = "forgotten"
        EXPIRED = "expired"

    id = UlidField(primary_key=True)
    subject = models.BigIntegerField()
    layer = models.CharField(max_length=8, choices=[(layer, layer) for layer in LAYERS])
    kind = models.CharField(max_length=20)
    scope = models.CharField(max_length=SCOPE_CHARS, blank=True, default="")
    state = models.CharField(max_length=10, choices=State.choices, default=State.ACTIVE)
    content_hash = models.CharField(max_length=64)
    revision = models.PositiveIntegerField(default=1)
    seen_count = models.PositiveIntegerField(default=1)
    source_ref = models.CharField(max_length=SOURCE_CHARS, blank=True, default="")
    superseded_by = UlidField(blank=True, default="")
    expires_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    objects = EntryManager["Entry"]()

    class Meta:
        """The same text once per person, layer and scope; working memory says where it belongs and when it ends."""

        constraints = [
            models.UniqueConstraint(
                fields=["subject", "layer", "scope", "content_hash"],
                condition=models.Q(state="active"),
                name="memory_text_once",
            ),
            models.CheckConstraint(condition=_pairs(), name="memory_kind_of_layer"),
            models.CheckConstraint(
                condition=(~models.Q(layer=WORKING) & models.Q(scope=""))
                | (models.Q(layer=WORKING, expires_at__isnull=False) & ~models.Q(source_ref="") & ~models.Q(scope="")),
                name="memory_working_is_bounded",
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=["active", "superseded", "forgotten", "expired"]),
                name="memory_state_known",
            ),
        ]
        indexes = [
            models.Index(fields=["subject", "state", "layer", "id"], name="memory_of_subject"),
            models.Index(fields=["expires_at"], condition=models.Q(state="active"), name="memory_due"),
        ]

    def __str__(self) -> str:
        """Answer what it is, never what it says."""
        return f"{self.kind} {self.pk}"


class Revision(models.Model):
    """The words of an entry at one time: from when they held, and until when."""

    subject = models.BigIntegerField()
    entry = models.ForeignKey(Entry, models.CASCADE, related_name="+")
    number = models.PositiveIntegerField()
    text = models.TextField()
    content_hash = models.CharField(max_length=64)
    source_ref = models.CharField(max_length=SOURCE_CHARS, blank=True, default="")
    confidence = models.FloatField(null=True, blank=True)
    written_by = models.CharField(max_length=200)
    valid_from = models.DateTimeField()
    valid_to = models.DateTimeField(null=True, blank=True)

    objects = SubjectManager["Revision"]()

    class Meta:
        """A number once per entry."""

        constraints = [models.UniqueConstraint(fields=["entry", "number"], name="memory_revision_once")]

    def __str__(self) -> str:
        """Answer entry and number."""
        return f"{self.entry_id}@{self.number}"


class Receipt(models.Model):
    """A delivery of evidence that was taken: the same key is never taken twice (MEM-08). ``outcome`` counts."""

    subject = models.BigIntegerField()
    key = models.CharField(max_length=128, unique=True)
    task = models.CharField(max_length=SCOPE_CHARS)
    outcome = models.JSONField(default=dict)
    created_at = models.DateTimeField()

    objects = SubjectManager["Receipt"]()

    def __str__(self) -> str:
        """Answer the key."""
        return self.key


class Tombstone(models.Model):
    """The hash of words that were forgotten: nothing but the person brings them back."""

    subject = models.BigIntegerField()
    content_hash = models.CharField(max_length=64)
    forgotten_at = models.DateTimeField()

    objects = SubjectManager["Tombstone"]()

    class Meta:
        """Once per person and text."""

        constraints = [models.UniqueConstraint(fields=["subject", "content_hash"], name="memory_tombstone_once")]

    def __str__(self) -> str:
        """Answer the hash."""
        return self.content_hash


class Proposal(models.Model):
    """A change that waits for the person: two entries that say nearly the same, or something for resident memory.

    ``merge``: ``entry`` takes the words of ``other``, which gives way; both must be as they were (``*_revision``).
    ``resident``: ``text`` becomes an entry. ``item`` is the inbox item it waits in, of ``project``.
    """

    class Kind(models.TextChoices):
        """What would be done."""

        MERGE = "merge"
        RESIDENT = "resident"

    class State(models.TextChoices):
        """Where it stands; ``stale``: what it is about has changed or gone."""

        OPEN = "open"
        CONFIRMED = "confirmed"
        DECLINED = "declined"
        STALE = "stale"

    id = UlidField(primary_key=True)
    subject = models.BigIntegerField()
    kind = models.CharField(max_length=8, choices=Kind.choices)
    state = models.CharField(max_length=9, choices=State.choices, default=State.OPEN)
    entry = UlidField(blank=True, default="")
    entry_revision = models.PositiveIntegerField(default=0)
    other = UlidField(blank=True, default="")
    other_revision = models.PositiveIntegerField(default=0)
    memory_kind = models.CharField(max_length=20)
    text = models.TextField(blank=True, default="")
    content_hash = models.CharField(max_length=64, blank=True, default="")
    source_ref = models.CharField(max_length=SOURCE_CHARS, blank=True, default="")
    confidence = models.FloatField(null=True, blank=True)
    project = models.CharField(max_length=64, blank=True, default="")
    item = models.CharField(max_length=26, blank=True, default="")
    created_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True, blank=True)

    objects = ProposalManager["Proposal"]()

    class Meta:
        """A pair, and a text, is open once."""

        constraints = [
            models.UniqueConstraint(
                fields=["subject", "entry", "other"],
                condition=models.Q(state="open", kind="merge"),
                name="memory_merge_once",
            ),
            models.UniqueConstraint(
                fields=["subject", "content_hash"],
                condition=models.Q(state="open", kind="resident"),
                name="memory_resident_once",
            ),
            models.CheckConstraint(condition=models.Q(kind__in=["merge", "resident"]), name="memory_proposal_kind"),
            models.CheckConstraint(
                condition=models.Q(state__in=["open", "confirmed", "declined", "stale"]), name="memory_proposal_state"
            ),
        ]
        indexes = [models.Index(fields=["subject", "state", "id"], name="memory_proposals")]

    def __str__(self) -> str:
        """Answer what it is and where it stands."""
        return f"{self.kind} {self.state}"


class Recall(models.Model):
    """One choosing from a person's memory: for what, within what, out of how much (MEM-06). Never the words asked."""

    id = UlidField(primary_key=True)
    subject = models.BigIntegerField()
    scope = models.CharField(max_length=SCOPE_CHARS, blank=True, default="")
    query_hash = models.CharField(max_length=64)
    budget_tokens = models.PositiveIntegerField()
    used_tokens = models.PositiveIntegerField()
    budget_bytes = models.PositiveIntegerField()
    used_bytes = models.PositiveIntegerField()
    considered = models.PositiveIntegerField()
    chosen = models.PositiveIntegerField()
    created_at = models.DateTimeField()

    objects = SubjectManager["Recall"]()

    class Meta:
        """A person's recalls, newest first."""

        indexes = [models.Index(fields=["subject", "-id"], name="memory_recalls")]

    def __str__(self) -> str:
        """Answer how many were chosen of how many."""
        return f"{self.chosen} of {self.considered}"


class RecallItem(models.Model):
    """What a recall did with one entry, and why. It names the revision and holds no words of it."""

    subject = models.BigIntegerField()
    recall = models.ForeignKey(Recall, models.CASCADE, related_name="+")
    entry = UlidField()
    revision = models.PositiveIntegerField()
    place = models.PositiveIntegerField()
    chosen = models.BooleanField()
    reason = models.CharField(max_length=120)
    tokens = models.PositiveIntegerField()
    legs = models.JSONField(default=dict)
    score = models.FloatField()

    objects = SubjectManager["RecallItem"]()

    class Meta:
        """In the order they were considered."""

        constraints = [models.UniqueConstraint(fields=["recall", "place"], name="memory_recall_place_once")]

    def __str__(self) -> str:
        """Answer which, and why."""
        return f"{self.entry}@{self.revision}: {self.reason}"


class Conversation(models.Model):
    """A conversation of a person, or of an agent for them, with the memory it was given: frozen, and never changed.

    ``agent`` is the name of the agent it was started by or for; only that agent reads it beside the person.
    """

    id = UlidField(primary_key=True)
    subject = models.BigIntegerField()
    title = models.CharField(max_length=limits.TITLE_CHARS)
    agent = models.CharField(max_length=limits.NAME_CHARS, blank=True, default="")
    started_by = models.CharField(max_length=200)
    content = models.BinaryField()
    sha256 = models.CharField(max_length=64)
    markdown = models.TextField()
    recall = UlidField()
    idempotency_key = models.CharField(max_length=128, null=True, blank=True)  # noqa: DJ001 - null is no key
    fingerprint = models.CharField(max_length=64, blank=True, default="")
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = SubjectManager["Conversation"]()

    class Meta:
        """A person's conversations, newest first; started once per key."""

        constraints = [
            models.UniqueConstraint(
                fields=["subject", "started_by", "idempotency_key"], name="memory_conversation_key_once"
            )
        ]
        indexes = [models.Index(fields=["subject", "-id"], name="memory_conversations")]

    def __str__(self) -> str:
        """Answer its id; its title is the person's."""
        return str(self.pk)


class Companion(models.Model):
    """An agent a person lets start conversations on their behalf."""

    subject = models.BigIntegerField()
    agent = models.BigIntegerField()
    name = models.CharField(max_length=limits.NAME_CHARS)
    created_at = models.DateTimeField()

    objects = SubjectManager["Companion"]()

    class Meta:
        """Once per person and agent."""

        constraints = [models.UniqueConstraint(fields=["subject", "agent"], name="memory_companion_once")]

    def __str__(self) -> str:
        """Answer who for whom."""
        return f"{self.name} for {self.subject}"
