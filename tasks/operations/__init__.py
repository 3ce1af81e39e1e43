"""Changes to tasks, and what is noted of recalls."""

from tasks.operations.delegating import revoke_delegation
from tasks.operations.delivering import (
    bury_exhausted,
    claim_evidence,
    discard_evidence,
    fail_evidence,
    finish_evidence,
    redrive_evidence,
)
from tasks.operations.lifecycle import (
    cancel_task,
    complete_task,
    create_task,
    fail_task,
    rebuild_task,
    remove_node_skill,
    start_task,
)
from tasks.operations.preparing import fail_preflight, pass_preflight
from tasks.operations.recording import record_recall
from tasks.operations.settings import allow_agents

__all__ = [
    "allow_agents",
    "bury_exhausted",
    "cancel_task",
    "claim_evidence",
    "complete_task",
    "create_task",
    "discard_evidence",
    "fail_evidence",
    "fail_preflight",
    "fail_task",
    "finish_evidence",
    "pass_preflight",
    "rebuild_task",
    "record_recall",
    "redrive_evidence",
    "remove_node_skill",
    "revoke_delegation",
    "start_task",
]
