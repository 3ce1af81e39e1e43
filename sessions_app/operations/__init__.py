"""Changes to sessions and their brains."""

from sessions_app.operations.entries import append_entry, delete_entry, put_entry
from sessions_app.operations.lifecycle import end_session, start_session
from sessions_app.operations.pickup import pick_up_session, reassign_session
from sessions_app.operations.pruning import (
    close_prune,
    prune_all_ended,
    prune_ended,
    prune_session,
    undo_prune,
)

__all__ = [
    "append_entry",
    "close_prune",
    "delete_entry",
    "end_session",
    "pick_up_session",
    "prune_all_ended",
    "prune_ended",
    "prune_session",
    "put_entry",
    "reassign_session",
    "start_session",
    "undo_prune",
]
