"""Projects, their feed and the human's cursor in it."""

from django.apps import AppConfig


class ProjectsConfig(AppConfig):
    """The projects app."""

    name = "projects"
