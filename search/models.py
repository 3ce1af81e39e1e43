"""The index: a row per thing that can be found, and how far it has followed each AgentFS file (SRC-01, SRC-02).

Both are derived. The full text index beside `SearchDocument` is the database's own, made and kept in step by the
migration: an FTS5 table with triggers on SQLite, a generated column on PostgreSQL.
"""

from django.db import models

from core.ids import UlidField
from projects.models import Project


# In this order: a project's rows are deleted in it, and whoever stores entries takes the file first, too.
class SearchFile(models.Model):
    """How far the index has followed one AgentFS file.

    ``last`` is the id of the last row of its log that is indexed, ``stamp`` what the file looked like then, empty where
    that is not to be trusted. ``open`` files may change; before a search they are looked at.
    """

    family = models.CharField(max_length=16)
    project = models.ForeignKey(Project, models.CASCADE, related_name="search_files", db_index=False)
    key = models.CharField(max_length=26, blank=True)
    last = models.PositiveBigIntegerField(default=0)
    stamp = models.CharField(max_length=120, blank=True, default="")
    open = models.BooleanField(default=True)

    class Meta:
        """One row per file; the open ones are found by seeks."""

        db_table = "search_files"
        constraints = [models.UniqueConstraint(fields=["project", "family", "key"], name="search_file_one_per_file")]
        indexes = [
            models.Index(fields=["family", "project"], condition=models.Q(open=True), name="search_file_open"),
        ]

    def __str__(self) -> str:
        """Answer family and key."""
        return f"{self.family} {self.key}"


class SearchDocument(models.Model):
    """One thing that can be found, as the analyzer folded it.

    ``ref`` names it within its family and project; ``scope`` holds the tokens a search is narrowed by; ``version`` is
    the analyzer's.
    """

    family = models.CharField(max_length=16)
    project = models.ForeignKey(Project, models.CASCADE, related_name="search_documents", db_index=False)
    ref = models.CharField(max_length=600)
    session = UlidField(null=True)
    title = models.TextField()
    body = models.TextField()
    scope = models.CharField(max_length=64)
    words = models.PositiveIntegerField()
    at = models.DateTimeField()
    version = models.PositiveSmallIntegerField(db_index=True)

    class Meta:
        """One row per thing."""

        db_table = "search_docs"
        constraints = [models.UniqueConstraint(fields=["project", "family", "ref"], name="search_doc_one_per_thing")]

    def __str__(self) -> str:
        """Answer family and ref."""
        return f"{self.family} {self.ref}"
