"""Governed knowledge: spaces, documents, drafts, immutable versions, decisions, reviews (GOV-01..09).

Pages are not here: they lie in AgentFS files. A document is what people stand behind; its words are in versions, which
the database itself keeps from changing (see the first migration), and in at most one draft.
"""

from typing import Final

from django.conf import settings
from django.db import models

from core import limits
from core.ids import UlidField
from identity.models import Agent
from projects.models import Project


class Space(models.Model):
    """A namespace of documents: what one repository can prove, or the synthesis of a project (GOV-01)."""

    class Kind(models.TextChoices):
        """A project has one project space and any number of repository spaces."""

        PROJECT = "project"
        REPOSITORY = "repository"

    id = UlidField(primary_key=True)
    project = models.ForeignKey(Project, models.CASCADE, related_name="spaces")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    name = models.CharField(max_length=limits.NAME_CHARS)
    url = models.CharField(max_length=500, blank=True, default="")
    sync_agent = models.ForeignKey(Agent, models.SET_NULL, null=True, blank=True, related_name="synced_spaces")
    created_at = models.DateTimeField()

    class Meta:
        """A name once per project; one project space per project."""

        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="space_name_once"),
            models.UniqueConstraint(
                fields=["project"], condition=models.Q(kind="project"), name="space_one_per_project"
            ),
            models.CheckConstraint(condition=models.Q(kind__in=["project", "repository"]), name="space_kind_known"),
        ]

    def __str__(self) -> str:
        """Answer project and name."""
        return f"{self.project_id}/{self.name}"


class Maintainer(models.Model):
    """A person who publishes, archives, accepts and revokes in a space (GOV-02)."""

    space = models.ForeignKey(Space, models.CASCADE, related_name="maintainers")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="maintained")

    class Meta:
        """Once per person."""

        constraints = [models.UniqueConstraint(fields=["space", "user"], name="maintainer_once")]

    def __str__(self) -> str:
        """Answer who maintains what."""
        return f"{self.user_id} of {self.space_id}"


class Share(models.Model):
    """An agent that may read a space's published documents without a right on the project (GOV-06)."""

    space = models.ForeignKey(Space, models.CASCADE, related_name="shares")
    agent = models.ForeignKey(Agent, models.CASCADE, related_name="shares")
    created_at = models.DateTimeField()

    class Meta:
        """Once per agent."""

        constraints = [models.UniqueConstraint(fields=["space", "agent"], name="share_once")]

    def __str__(self) -> str:
        """Answer who reads what."""
        return f"{self.agent_id} of {self.space_id}"


class RepositoryFile(models.Model):
    """What a repository holds at a path now, as its sync reported it; an empty ``blob``: nothing any more (GOV-01)."""

    space = models.ForeignKey(Space, models.CASCADE, related_name="files")
    path = models.CharField(max_length=limits.PATH_BYTES)
    blob = models.CharField(max_length=64, blank=True, default="")
    commit = models.CharField(max_length=64)
    reported_at = models.DateTimeField()

    class Meta:
        """Once per path."""

        constraints = [models.UniqueConstraint(fields=["space", "path"], name="repository_file_once")]

    def __str__(self) -> str:
        """Answer the path at the commit."""
        return f"{self.path}@{self.commit}"


class Document(models.Model):
    """A document of a space. ``revision`` counts saves of its drafts and never restarts (GOV-03).

    ``current`` is the version search and readers get: one column, so visibility moves with one row (GOV-04).
    """

    class Kind(models.TextChoices):
        """What a document is for."""

        GUIDE = "guide"
        CONSTRAINT = "constraint"
        EXPERIENCE = "experience"
        REFERENCE = "reference"
        DECISION = "decision"

    class State(models.TextChoices):
        """Whether readers have it."""

        UNPUBLISHED = "unpublished"
        PUBLISHED = "published"
        ARCHIVED = "archived"

    id = UlidField(primary_key=True)
    space = models.ForeignKey(Space, models.CASCADE, related_name="documents", db_index=False)
    project = models.ForeignKey(Project, models.CASCADE, related_name="documents")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    state = models.CharField(max_length=11, choices=State.choices, default=State.UNPUBLISHED)
    revision = models.PositiveIntegerField(default=0)
    current = models.ForeignKey("DocumentVersion", models.DO_NOTHING, null=True, blank=True, related_name="+")
    created_by = models.CharField(max_length=200)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        """Listed per space; nobody has a document published without a version."""

        constraints = [
            models.CheckConstraint(
                condition=models.Q(kind__in=["guide", "constraint", "experience", "reference", "decision"]),
                name="document_kind_known",
            ),
            models.CheckConstraint(
                condition=models.Q(state="unpublished", current__isnull=True)
                | models.Q(state__in=["published", "archived"], current__isnull=False),
                name="document_published_has_version",
            ),
        ]
        indexes = [models.Index(fields=["space", "id"], name="document_space")]

    def __str__(self) -> str:
        """Answer kind and id: its title is its versions'."""
        return f"{self.kind} {self.pk}"


class Draft(models.Model):
    """The one editable text of a document (GOV-03). ``revision`` is the document's at its last save."""

    document = models.OneToOneField(Document, models.CASCADE, primary_key=True, related_name="draft")
    title = models.CharField(max_length=limits.TITLE_CHARS)
    body = models.TextField()
    sources = models.JSONField(default=list)
    revision = models.PositiveIntegerField()
    base_version = models.PositiveIntegerField(null=True, blank=True)
    restored_from = models.PositiveIntegerField(null=True, blank=True)
    updated_by = models.CharField(max_length=200)
    updated_at = models.DateTimeField()

    def __str__(self) -> str:
        """Answer document and revision."""
        return f"{self.document_id} r{self.revision}"


class DocumentVersion(models.Model):
    """One published text. Its words and sources never change: triggers of both databases refuse it (GOV-04, GOV-07)."""

    class State(models.TextChoices):
        """From pending to published, or failed and tried again; then superseded by the next."""

        PENDING = "pending"
        INDEXING = "indexing"
        PUBLISHED = "published"
        SUPERSEDED = "superseded"
        FAILED = "failed"

    document = models.ForeignKey(Document, models.CASCADE, related_name="versions", db_index=False)
    number = models.PositiveIntegerField()
    title = models.CharField(max_length=limits.TITLE_CHARS)
    body = models.TextField()
    sources = models.JSONField()
    revision = models.PositiveIntegerField()
    editorial = models.BooleanField(default=False)
    verified_commit = models.CharField(max_length=64, blank=True, default="")
    published_by = models.CharField(max_length=200)
    created_at = models.DateTimeField()
    state = models.CharField(max_length=10, choices=State.choices)
    error = models.CharField(max_length=500, blank=True, default="")

    class Meta:
        """One in flight and one published per document."""

        constraints = [
            models.UniqueConstraint(fields=["document", "number"], name="document_version_once"),
            models.UniqueConstraint(
                fields=["document"], condition=models.Q(state__in=["pending", "indexing"]), name="version_one_in_flight"
            ),
            models.UniqueConstraint(
                fields=["document"], condition=models.Q(state="published"), name="version_one_published"
            ),
        ]

    def __str__(self) -> str:
        """Answer document and number."""
        return f"{self.document_id} v{self.number}"


VISIBLE: Final = (DocumentVersion.State.PUBLISHED, DocumentVersion.State.SUPERSEDED)
"""States of the versions readers have; a failed or pending one does not exist for them (GOV-06)."""


class Chunk(models.Model):
    """A part of a version's text below one heading: what is indexed and found."""

    version = models.ForeignKey(DocumentVersion, models.CASCADE, related_name="chunks", db_index=False)
    number = models.PositiveIntegerField()
    heading = models.CharField(max_length=300, blank=True, default="")
    text = models.TextField()

    class Meta:
        """In order within their version."""

        constraints = [models.UniqueConstraint(fields=["version", "number"], name="chunk_once")]

    def __str__(self) -> str:
        """Answer version and number."""
        return f"{self.version_id}#{self.number}"


class CitedPage(models.Model):
    """A page that a current version cites, with the hash it had: it tells promoted from drifted (KNB-06)."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="cited_pages", db_index=False)
    document = models.ForeignKey(Document, models.CASCADE, related_name="cited_pages")
    path = models.CharField(max_length=limits.PATH_BYTES)
    version = models.CharField(max_length=80)

    class Meta:
        """Found by page."""

        constraints = [models.UniqueConstraint(fields=["document", "path"], name="cited_page_once")]
        indexes = [models.Index(fields=["project", "path"], name="cited_page_path")]

    def __str__(self) -> str:
        """Answer the page."""
        return self.path


class Decision(models.Model):
    """What a decision document has beside its words: a number, a status, what took its place (GOV-08)."""

    class Status(models.TextChoices):
        """Proposed, then accepted or rejected; accepted, then superseded or revoked. The ends stay."""

        PROPOSED = "proposed"
        ACCEPTED = "accepted"
        REJECTED = "rejected"
        SUPERSEDED = "superseded"
        REVOKED = "revoked"

    document = models.OneToOneField(Document, models.CASCADE, primary_key=True, related_name="decision")
    project = models.ForeignKey(Project, models.CASCADE, related_name="decisions", db_index=False)
    number = models.PositiveIntegerField()
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.PROPOSED)
    superseded_by = models.ForeignKey("self", models.DO_NOTHING, null=True, blank=True, related_name="supersedes")
    reason = models.CharField(max_length=limits.REASON_CHARS, blank=True, default="")
    decided_by = models.CharField(max_length=200, blank=True, default="")
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        """Numbered per project; superseded and its superseder are said together."""

        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="decision_number_once"),
            models.CheckConstraint(
                condition=models.Q(status="superseded", superseded_by__isnull=False)
                | (~models.Q(status="superseded") & models.Q(superseded_by__isnull=True)),
                name="decision_superseded_has_superseder",
            ),
        ]

    def __str__(self) -> str:
        """Answer number and status."""
        return f"decision {self.number} {self.status}"


ENDED: Final = (Decision.Status.REJECTED, Decision.Status.SUPERSEDED, Decision.Status.REVOKED)
"""Statuses that stay: the words of such a decision do too."""


class Review(models.Model):
    """A request that maintainers publish one draft revision; its inbox item has the same id (GOV-09)."""

    event = UlidField(primary_key=True)
    document = models.ForeignKey(Document, models.CASCADE, related_name="reviews")
    revision = models.PositiveIntegerField()
    is_open = models.BooleanField(default=True)

    class Meta:
        """One open request per document."""

        constraints = [
            models.UniqueConstraint(fields=["document"], condition=models.Q(is_open=True), name="review_one_open"),
        ]

    def __str__(self) -> str:
        """Answer what is to be reviewed."""
        return f"{self.document_id} r{self.revision}"
