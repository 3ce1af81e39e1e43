"""One index over everything the hub keeps."""

from django.apps import AppConfig


class SearchConfig(AppConfig):
    """The search app."""

    name = "search"
