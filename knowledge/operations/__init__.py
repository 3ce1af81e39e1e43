"""Changes to what a project knows: its pages, and its governed documents."""

from knowledge.operations.deciding import accept_decision, reject_decision, revoke_decision, supersede_decisions
from knowledge.operations.drafting import (
    create_document,
    delete_document,
    discard_draft,
    restore_version,
    save_draft,
)
from knowledge.operations.promoting import draft_from_answer, draft_from_artifact, draft_from_brain, draft_from_page
from knowledge.operations.publishing import (
    archive_document,
    finish_publishing,
    publish_document,
    unarchive_document,
)
from knowledge.operations.reviewing import submit_document
from knowledge.operations.spaces import (
    add_maintainer,
    change_space,
    create_space,
    remove_maintainer,
    report_files,
    share_space,
    unshare_space,
)
from knowledge.operations.writing import append_page, delete_page, import_pages, promote_page, put_page

__all__ = [
    "accept_decision",
    "add_maintainer",
    "append_page",
    "archive_document",
    "change_space",
    "create_document",
    "create_space",
    "delete_document",
    "delete_page",
    "discard_draft",
    "draft_from_answer",
    "draft_from_artifact",
    "draft_from_brain",
    "draft_from_page",
    "finish_publishing",
    "import_pages",
    "promote_page",
    "publish_document",
    "put_page",
    "reject_decision",
    "remove_maintainer",
    "report_files",
    "restore_version",
    "revoke_decision",
    "save_draft",
    "share_space",
    "submit_document",
    "supersede_decisions",
    "unarchive_document",
    "unshare_space",
]
