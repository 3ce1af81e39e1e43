"""Live recall: knowledge as it is now, under rights as they are now, and noted before it is told (TSK-03..05, TSK-07).

A call looks at everything as of one moment, which remembers nothing of the call before. Then what came of it is
stored; only then does the answer, or the refusal, leave. What cannot be stored is not told.
"""

import hashlib
import logging
import re
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from core import limits, parts
from core.actor import HUB, Actor
from core.checks import check_text
from core.errors import HubError, not_found
from core.ids import parse
from core.moment import one_moment
from core.page import check_limit, fitting
from core.times import rfc3339
from knowledge.document_queries import version_json, version_of
from knowledge.document_search import found, trust_of
from knowledge.models import Document, DocumentVersion
from knowledge.retrieval import Recalled, recall
from memory.screening import reason_against
from sessions_app.models import Session
from sessions_app.models import Status as SessionStatus
from tasks.delegations import Opened, delegation_of, opened
from tasks.models import Delegation, RecallEvidence, Scope
from tasks.operations import record_recall

type Json = dict[str, Any]
DEFAULT_HITS: Final = 10
_WORD: Final = re.compile(r"\S+")
logger = logging.getLogger("muster.tasks")


class Noted:
    """What is going to be stored of a call."""

    def __init__(self, actor: Actor, verb: Scope, delegation: str) -> None:
        self._began = time.perf_counter()
        self.columns: Json = {
            "agent": actor.key,
            "agent_name": actor.name,
            "verb": verb,
            "delegation": delegation[:26],
            "outcome": RecallEvidence.Outcome.ANSWERED,
        }

    def asks(self, **columns: object) -> None:
        """Note what the call asks for, or what came of it."""
        self.columns |= columns

    def under(self, delegation: Delegation) -> None:
        """Note what the call rests on."""
        bound = Session.objects.filter(task=delegation.task_id, agent=delegation.agent, status=SessionStatus.LIVE)
        session = bound.filter(deleted_at__isnull=True).order_by("-last_activity").values_list("pk", flat=True).first()
        self.asks(
            task_id=delegation.task_id,
            generation=delegation.generation,
            subject=delegation.subject,
            session=session,
            spaces_asked=self.columns.get("spaces_asked") or delegation.spaces,
        )

    def refused(self, error: BaseException) -> None:
        """Note that the call was refused, and why."""
        code = error.code if isinstance(error, HubError) else "internal"
        self.asks(outcome=RecallEvidence.Outcome.REFUSED, code=code, hits=[], spaces_used=[])

    def store(self) -> str:
        """Store it; `evidence_unavailable` when that is not possible, whatever the reason."""
        took = round((time.perf_counter() - self._began) * 1000, 1)
        try:
            return record_recall(HUB, evidence=self.columns | {"took_ms": took})
        except Exception as error:
            logger.exception("the evidence of a recall could not be stored")
            message = "This call could not be noted, so it is not answered. Try again."
            raise HubError("evidence_unavailable", message) from error


def _noted(noted: Noted, look: Callable[[], Json]) -> Json:
    """Answer what `look` finds as of one moment, once it is stored that it was told, or that it was refused."""
    try:
        with one_moment():
            answer = look()
    except Exception as error:
        noted.refused(error)
        noted.store()
        raise
    return answer | {"evidence": noted.store()}


def knowledge_recall(
    actor: Actor, *, delegation: str, query: str, spaces: Sequence[str] | None = None, limit: int | None = None
) -> Json:
    """Answer the parts of current documents that a query finds in the delegation's spaces, best first."""
    noted = Noted(actor, Scope.RECALL, delegation)
    asked = None if spaces is None else sorted({space.upper()[:26] for space in spaces})
    noted.asks(query=redacted(query), query_sha256=_hash(query), spaces_asked=(asked or [])[:100])

    def look() -> Json:
        text = check_text(query, "query", limits.RECALL_QUERY_CHARS)
        most = DEFAULT_HITS if limit is None else check_limit(limit, limits.RECALL_HITS)
        row = delegation_of(actor, parse(delegation, "delegation"))
        noted.under(row)
        within = opened(actor, row, Scope.RECALL, asked)
        recalled = recall(within.spaces, text, most, mode="running")
        hits = _hits(within, recalled)
        hits = hits if limit is not None else hits[: fitting(hits)]
        noted.asks(**_found(within, recalled, hits))
        return _recalled_json(within, recalled, hits)

    return _noted(noted, look)


def knowledge_read(  # noqa: PLR0913 - what, which version, which part
    actor: Actor,
    *,
    delegation: str,
    document: str,
    version: int | None = None,
    offset: int = 0,
    limit: int | None = None,
) -> Json:
    """Answer a document in the delegation's spaces, at its current version or at one readers have.

    `not_found` for any other document, and for a version nobody published.
    """
    noted = Noted(actor, Scope.READ, delegation)
    noted.asks(document=document[:26])

    def look() -> Json:
        wanted = parse(document, "document")
        row = delegation_of(actor, parse(delegation, "delegation"))
        noted.under(row)
        documents = Document.objects.filter(pk=wanted, space__in=row.spaces).select_related(
            "space", "project", "current"
        )
        there = documents.first()
        # Rights first: with none of them, whether there is such a document is nobody's business.
        within = opened(actor, row, Scope.READ, [there.space_id] if there else [])
        if there is None or there.current is None or not found(there):
            raise not_found("document")
        shown = version_of(there, version)
        hit = {"rank": 1, "document": there.pk, "version": shown.number}
        noted.asks(spaces_used=[there.space_id], hits=[hit], candidates=1, backend="relational")
        return _read_json(within, there, shown, offset, limit)

    return _noted(noted, look)


def _hits(within: Opened, recalled: Recalled) -> list[Json]:
    ids = {hit.document for hit in recalled.hits}
    documents = Document.objects.filter(pk__in=ids, space__in=within.spaces).select_related("space", "current")
    known = {row.pk: row for row in documents}
    return [
        {
            "rank": rank,
            "document": hit.document,
            "version": hit.version,
            "chunk": hit.chunk,
            "space": known[hit.document].space_id,
            "title": _current(known[hit.document]).title,
            "trust": trust_of(known[hit.document], _current(known[hit.document])),
            "heading": hit.heading,
            "text": hit.text,
            "ranks": hit.ranks,
            "score": hit.score,
        }
        for rank, hit in enumerate(recalled.hits, 1)
    ]


def _current(document: Document) -> Any:  # noqa: ANN401 - its version, which a document that is found has
    return document.current


def _found(within: Opened, recalled: Recalled, hits: Sequence[Json]) -> Json:
    kept = ("rank", "document", "version", "chunk", "ranks", "score")
    return {
        "spaces_used": sorted(space.pk for space in within.spaces),
        "backend": recalled.backend,
        "degraded": recalled.degraded or "",
        "candidates": recalled.candidates,
        "stale_dropped": recalled.stale_dropped,
        "hits": [{name: hit[name] for name in kept} for hit in hits],
    }


def _recalled_json(within: Opened, recalled: Recalled, hits: Sequence[Json]) -> Json:
    return {
        "task": within.delegation.task_id,
        "generation": within.delegation.generation,
        "hits": hits,
        "spaces": [{"id": space.pk, "project": space.project_id, "name": space.name} for space in within.spaces],
        "backend": recalled.backend,
        "degraded": recalled.degraded,
        "truncated": len(hits) < len(recalled.hits),
    }


def _read_json(within: Opened, document: Document, version: DocumentVersion, offset: int, limit: int | None) -> Json:
    body = version.body.encode()
    shown = version_json(document, version)
    shown.pop("body")
    part = parts.part_of(lambda start, end: body[start:end], len(body), encoding="text", offset=offset, limit=limit)
    return {
        "task": within.delegation.task_id,
        "generation": within.delegation.generation,
        "document": document.pk,
        "space": document.space_id,
        "kind": document.kind,
        "trust": trust_of(document, version),
        **shown,
        "size": len(body),
        **part,
    }


def _hash(query: str) -> str:
    return hashlib.sha256(query.encode("utf-8", "surrogatepass")).hexdigest()


def redacted(query: str) -> str:
    """Answer a query as it is kept: without words that look like secrets or personal data, or without any at all."""
    text = query[: limits.RECALL_QUERY_CHARS]
    text = _WORD.sub(lambda word: "[withheld]" if reason_against(word.group()) else word.group(), text)
    reason = reason_against(text)
    return (f"[withheld: {reason}]" if reason else text)[: limits.RECALL_QUERY_CHARS]


def evidence_json(row: RecallEvidence) -> Json:
    """Answer what was noted of a call as every face shows it."""
    names = (
        "delegation",
        "task_id",
        "generation",
        "session",
        "agent_name",
        "subject",
        "verb",
        "query",
        "query_sha256",
        "document",
        "spaces_asked",
        "spaces_used",
        "outcome",
        "code",
        "backend",
        "degraded",
        "candidates",
        "stale_dropped",
        "took_ms",
        "hits",
    )
    return {"id": row.pk, "at": rfc3339(row.at), **{name: getattr(row, name) for name in names}}
