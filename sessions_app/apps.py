"""Agents' sessions and their brains."""

from django.apps import AppConfig


class SessionsConfig(AppConfig):
    """The sessions app; its label leaves ``sessions`` to Django."""

    name = "sessions_app"
    verbose_name = "Sessions"
