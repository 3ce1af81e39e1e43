"""Changes to artifacts and their comments."""

from artifacts.operations.commenting import delete_comment, post_comment, reopen_comment, resolve_comment
from artifacts.operations.publishing import delete_artifact, publish_artifact, update_artifact

__all__ = [
    "delete_artifact",
    "delete_comment",
    "post_comment",
    "publish_artifact",
    "reopen_comment",
    "resolve_comment",
    "update_artifact",
]
