"""The Django storage backend over the projects' knowledge bases (KNB-01).

A name is ``<project>/<path of the page>``; each project is one AgentFS file in ``location``. Reads open a page as it
is stored; writes go through the page operations as the hub, so each has its log row.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final, cast
from urllib.parse import quote

from django.conf import settings
from django.core.exceptions import SuspiciousFileOperation
from django.core.files.base import ContentFile, File
from django.core.files.storage import Storage
from django.utils import timezone
from django.utils.deconstruct import deconstructible

import agentfs
from core.actor import HUB
from core.errors import HubError
from knowledge.operations import delete_page, put_page

ROOT: Final = "/fs"
# What a slug is made of (`core.checks.check_name`); a personal space begins with a tilde.
_PROJECT: Final = re.compile(r"~?[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?")


@deconstructible(path="knowledge.storage.KnowledgeStorage")
class KnowledgeStorage(Storage):
    """Pages as files. A `HubError` for a bad name becomes Django's `SuspiciousFileOperation`."""

    def __init__(self, location: str | Path | None = None) -> None:
        self._location = location

    @property
    def location(self) -> Path:
        """The directory of the AgentFS files."""
        return Path(self._location or Path(settings.DATA_DIR) / "kb")

    def file(self, project: str) -> agentfs.AgentFile:
        """Answer a project's AgentFS file; what was answered from it survives a power cut."""
        return agentfs.open_file(self.location / f"{project}.db", synchronous=settings.HUB_DURABILITY)

    def exists(self, name: str) -> bool:
        """Tell whether a page or a directory is there."""
        return self._stat(name) is not None

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        """Answer the directories and the pages below a path, by name."""
        project, directory = self._split(path)
        file = self.file(project)
        if not file.exists():
            raise FileNotFoundError(path)
        with file.reading() as pages:
            try:
                rows = pages.list(directory)
            except HubError as refusal:
                raise FileNotFoundError(path) from refusal
        directories = [row.name for row in rows if row.type == "dir"]
        return directories, [row.name for row in rows if row.type != "dir"]

    def size(self, name: str) -> int:
        """Answer a page's size in bytes."""
        return self._found(name).size

    def get_modified_time(self, name: str) -> datetime:
        """Answer when a page was last written; aware when Django's times are."""
        moment = datetime.fromtimestamp(self._found(name).modified or 0, UTC)
        return moment if settings.USE_TZ else timezone.make_naive(moment)

    def url(self, name: str | None) -> str:
        """Answer the page's address for people."""
        project, path = self._split(name or "")
        return f"/project/{quote(project)}/knowledge/{quote(path.removeprefix(ROOT + '/'))}"

    def delete(self, name: str) -> None:
        """Delete a page; a missing one is no error, as with Django's own backends."""
        project, path = self._split(name)
        try:
            delete_page(HUB, project, path=path)
        except HubError as refusal:
            if refusal.code != "not_found":
                raise

    def _open(self, name: str, mode: str = "rb") -> File[Any]:
        if "w" in mode or "a" in mode or "+" in mode:
            raise ValueError("Pages are written whole: use save().")
        project, path = self._split(name)
        file = self.file(project)
        if not file.exists():
            raise FileNotFoundError(name)
        try:
            with file.reading() as pages:
                content = pages.get(path).content
        except HubError as refusal:
            raise FileNotFoundError(name) from refusal
        return ContentFile(content if "b" in mode else content.decode(), name=name)

    def _save(self, name: str, content: File[Any] | IO[Any]) -> str:
        project, path = self._split(name)
        chunks = cast("File[Any]", content).chunks()  # from its beginning, wherever somebody read it to
        data = b"".join(chunk.encode() if isinstance(chunk, str) else chunk for chunk in chunks)
        stored = put_page(HUB, project, path=path, content=data)
        return f"{project}/{stored['path'].removeprefix(ROOT + '/')}"

    def _found(self, name: str) -> agentfs.Entry:
        entry = self._stat(name)
        if entry is None:
            raise FileNotFoundError(name)
        return entry

    def _stat(self, name: str) -> agentfs.Entry | None:
        project, path = self._split(name)
        file = self.file(project)
        if not file.exists():
            return None
        with file.reading() as pages:
            try:
                return pages.stat(path)
            except HubError:
                return None

    def _split(self, name: str) -> tuple[str, str]:
        """Answer project and canonical page path of a name, or refuse it."""
        project, _, rest = name.replace("\\", "/").strip("/").partition("/")
        if not _PROJECT.fullmatch(project):
            raise SuspiciousFileOperation(f"{name!r} names no project.")
        if ".." in rest.split("/"):
            raise SuspiciousFileOperation(f"{name!r} leaves its project.")
        try:
            return project, agentfs.canonical(f"{ROOT}/{rest}", pages_only=True)
        except HubError as refusal:
            raise SuspiciousFileOperation(refusal.message) from refusal
