"""Which decisions took the place of which, as a tree that grows towards the newest (GOV-08)."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from django.db.models import Q

from knowledge.models import Decision
from projects.models import Project

# A drawing with more steps than this is read in the register.
DEEPEST: Final = 12


@dataclass(slots=True)
class Node:
    """A decision, and those whose place it took."""

    decision: Decision
    before: list["Node"] = field(default_factory=list)
    is_cut: bool = False


def chains(project: Project) -> list[Node]:
    """Answer every chain of a project, by its newest decision, in one query."""
    linked = Q(superseded_by__isnull=False) | Q(supersedes__isnull=False)
    rows = Decision.objects.filter(project=project).filter(linked).distinct().select_related("document__current")
    before = defaultdict(list)
    for row in rows.order_by("number"):
        before[row.superseded_by_id].append(row)
    return [_node(row, before, 1) for row in before[None]]


def _node(row: Decision, before: dict[str | None, list[Decision]], depth: int) -> Node:
    older = before.get(row.pk, [])
    if depth == DEEPEST:
        return Node(row, is_cut=bool(older))
    return Node(row, [_node(one, before, depth + 1) for one in older])


def chain_of(decision: Decision) -> Node | None:
    """Answer the chain a decision stands in; None for one that stands alone."""
    return next((node for node in chains(decision.project) if _holds(node, decision.pk)), None)


def _holds(node: Node, decision: str) -> bool:
    return node.decision.pk == decision or any(_holds(one, decision) for one in node.before)


def supersedable(decision: Decision) -> Sequence[Decision]:
    """Answer the accepted decisions another may take the place of, newest first."""
    rows = Decision.objects.filter(project=decision.project_id, status=Decision.Status.ACCEPTED)
    return list(rows.exclude(pk=decision.pk).select_related("document__current").order_by("-number"))
