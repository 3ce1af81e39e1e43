"""Changes to the inbox and what brings them about."""

from inbox.operations.answers import decide, expire_item, post_answer
from inbox.operations.questions import post_approval, post_question
from inbox.operations.reading import mark_all_read, mark_read, mark_unread
from inbox.operations.reports import post_signal

__all__ = [
    "decide",
    "expire_item",
    "mark_all_read",
    "mark_read",
    "mark_unread",
    "post_answer",
    "post_approval",
    "post_question",
    "post_signal",
]
