"""A project's knowledge base: one AgentFS file, opened through the storage backend ``knowledge`` alone (KNB-01)."""

import glob
from typing import Any, Protocol, cast

from django.core.files.storage import storages

from agentfs import AgentFile
from projects.models import Project


class OpensKnowledge(Protocol):
    """What of the storage backend opens a project's file; see `knowledge.storage.KnowledgeStorage`."""

    def file(self, project: str) -> AgentFile:
        """Answer the file of a project, by slug."""


def knowledge_of(project: Project) -> AgentFile:
    """Answer a project's knowledge base, written or not. No session prune reaches it (KNB-07)."""
    return cast("OpensKnowledge", storages["knowledge"]).file(project.slug)


def locate(project: Project, **_: Any) -> AgentFile:  # noqa: ANN401 - the operation's arguments
    """Answer the file a page operation works on."""
    return knowledge_of(project)


def remove_files(project: str) -> None:
    """Remove the knowledge base of a project that is deleted, and what a killed process left beside it."""
    file = cast("OpensKnowledge", storages["knowledge"]).file(project)
    file.remove()
    for left in file.path.parent.glob(f"{glob.escape(file.path.name)}*"):
        left.unlink(missing_ok=True)
