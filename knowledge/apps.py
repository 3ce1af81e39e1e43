"""What a project knows: pages in one AgentFS file per project."""

from django.apps import AppConfig


class KnowledgeConfig(AppConfig):
    """The knowledge app."""

    name = "knowledge"
