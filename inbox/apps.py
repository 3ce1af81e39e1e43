"""What waits on the human: questions, approvals, reports."""

from django.apps import AppConfig


class InboxConfig(AppConfig):
    """The inbox app."""

    name = "inbox"
