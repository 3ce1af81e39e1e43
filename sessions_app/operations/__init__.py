"""Changes to sessions and their brains."""

from sessions_app.operations.entries import append_entry, delete_entry, put_entry
from sessions_app.operations.lifecycle import end_session, start_session

__all__ = ["append_entry", "delete_entry", "end_session", "put_entry", "start_session"]
