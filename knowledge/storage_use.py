"""What the hub keeps where, in bytes as the disk has them (SES-09).

File sizes are `os.stat`'s, write-ahead logs included. Events share one database, so a project's are counted as the
bytes of their text; the database file as a whole is a figure of its own. Knowledge is never prunable.
"""

import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import Count, F, Func, IntegerField, QuerySet, Sum, TextField
from django.db.models.functions import Cast, Coalesce

from knowledge.files import knowledge_of
from projects.models import Event, Project
from sessions_app.brain import brain_of
from sessions_app.models import Session, Status


@dataclass(frozen=True, slots=True)
class ProjectUse:
    """One project's row; bytes but for ``events`` and ``sessions``, which are counts."""

    slug: str
    name: str
    events: int
    events_bytes: int
    sessions: int
    brains_bytes: int
    knowledge_bytes: int
    artifacts_bytes: int
    prunable_bytes: int

    @property
    def total_bytes(self) -> int:
        """The row's sum."""
        return self.events_bytes + self.brains_bytes + self.knowledge_bytes + self.artifacts_bytes


@dataclass(frozen=True, slots=True)
class HubUse:
    """All projects, and the disk they lie on. ``database_bytes`` is the file, or PostgreSQL's own figure."""

    projects: list[ProjectUse]
    database_bytes: int
    data_dir_bytes: int
    volume_bytes: int
    volume_free_bytes: int

    def sum_of(self, column: str) -> int:
        """Add a column up."""
        return sum(getattr(row, column) for row in self.projects)


class _Octets(Func):
    """The bytes of a text, on either database."""

    function = "octet_length"
    output_field = IntegerField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:  # noqa: ANN401 - Django's signature
        """SQLite counts bytes of a blob."""
        return self.as_sql(compiler, connection, template="LENGTH(CAST(%(expressions)s AS BLOB))", **context)


def hub_use() -> HubUse:
    """Measure everything, now."""
    data_dir = Path(settings.DATA_DIR)
    volume = shutil.disk_usage(data_dir)
    events = _events()
    brains = _brains(Session.objects.all())
    rows = [_row(project, events, brains) for project in Project.objects.order_by("personal", "slug")]
    return HubUse(rows, _database_bytes(), _bytes_below(data_dir), volume.total, volume.free)


def _row(project: Project, events: dict[str, tuple[int, int]], brains: dict[str, list[tuple[int, bool]]]) -> ProjectUse:
    count, size = events.get(project.slug, (0, 0))
    files = brains.get(project.slug, [])
    return ProjectUse(
        slug=project.slug,
        name=project.name,
        events=count,
        events_bytes=size,
        sessions=len(files),
        brains_bytes=sum(size for size, _ in files),
        knowledge_bytes=knowledge_of(project).size_bytes(),
        artifacts_bytes=_bytes_below(Path(settings.DATA_DIR) / "artifacts" / project.slug),
        prunable_bytes=sum(size for size, ended in files if ended),
    )


def _events() -> dict[str, tuple[int, int]]:
    summary, actor, payload = (_Octets(Cast(F(name), TextField())) for name in ("summary", "actor", "payload"))
    size = Coalesce(Sum(summary + actor + payload), 0)
    rows = Event.objects.order_by().values("project").annotate(n=Count("pk"), size=size)
    return {row["project"]: (row["n"], row["size"]) for row in rows}


def _brains(sessions: QuerySet[Session]) -> dict[str, list[tuple[int, bool]]]:
    """Answer each project's brains: bytes, and whether the session ended, so that pruning would free them."""
    found: dict[str, list[tuple[int, bool]]] = {}
    for row in sessions.only("pk", "project", "status"):
        found.setdefault(row.project_id, []).append((brain_of(row).size_bytes(), row.status == Status.ENDED))
    return found


def _database_bytes() -> int:
    if connection.vendor != "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_database_size(current_database())")
            return int(cursor.fetchone()[0])
    path = Path(settings.DATABASES["default"]["NAME"])
    return _sizes([path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")])


def _bytes_below(directory: Path) -> int:
    return _sizes(Path(folder) / name for folder, _, names in os.walk(directory) for name in names)


def _sizes(paths: Iterable[Path]) -> int:
    total = 0
    for path in paths:
        try:
            total += path.stat().st_size
        except FileNotFoundError:  # a journal that went meanwhile
            continue
    return total
