"""Artifacts, what agents show their human, and the comments on them."""

from django.apps import AppConfig


class ArtifactsConfig(AppConfig):
    """The artifacts app."""

    name = "artifacts"
