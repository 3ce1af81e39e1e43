"""A project's knowledge base: one AgentFS file beside the session files (KNB-01)."""

from pathlib import Path
from typing import Any

from django.conf import settings

import agentfs
from projects.models import Project


def knowledge_path(project: str) -> Path:
    """Answer where a project's knowledge base lies, written or not. No session prune reaches it (KNB-07)."""
    return Path(settings.DATA_DIR) / "kb" / f"{project}.db"


def knowledge_of(project: Project) -> agentfs.AgentFile:
    """Answer a project's knowledge base; what was answered survives a power cut."""
    return agentfs.open_file(knowledge_path(project.slug), synchronous=settings.HUB_DURABILITY)


def locate(project: Project, **_: Any) -> agentfs.AgentFile:  # noqa: ANN401 - the operation's arguments
    """Answer the file a page operation works on."""
    return knowledge_of(project)
