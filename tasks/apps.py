"""Tasks, what they may recall, and what they remember."""

from django.apps import AppConfig


class TasksConfig(AppConfig):
    """The tasks app."""

    name = "tasks"
