"""The family of brain entries: each session's file, followed from the session's first event on (SES-05, SES-08)."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from agentfs import AgentFile
from core.actor import Actor
from core.errors import HubError
from search.families import Family, Hit, Key, entry_of, ref_of, register
from search.texts import hit_of
from sessions_app.brain import brain_of
from sessions_app.models import Session, Status
from sessions_app.queries import sessions_of

NAME: Final = "brain"


class Brains:
    """The brains, by session. A pruned one is followed like any other while its prune can be undone."""

    def file(self, project: str, key: str) -> AgentFile:
        """Answer the brain of a session."""
        return brain_of(Session(pk=key, project_id=project))

    def always(self, projects: Collection[str]) -> Iterable[Key]:  # noqa: ARG002 - as the others
        """Answer none: `sessions_app.transitions.tell` names each when it begins."""
        return ()

    def known(self) -> Iterable[Key]:
        """Answer every session's."""
        return Session.objects.order_by("pk").values_list("project", "pk").iterator()

    def rest(self, keys: Sequence[Key]) -> Mapping[Key, str]:
        """Answer those of sessions that have ended; when they did is the mark."""
        rows = Session.objects.filter(pk__in=[key for _, key in keys], status=Status.ENDED, ended_at__isnull=False)
        ended = rows.values_list("project", "pk", "ended_at")
        return {(project, key): str(at) for project, key, at in ended}


def _read(actor: Actor, keys: Sequence[Key]) -> Mapping[Key, Hit]:
    """Answer the entries that are there now, of sessions the actor may read: a pruned one's are not."""
    by_session: dict[str, list[str]] = defaultdict(list)
    for _, ref in keys:
        session, path = entry_of(ref)
        by_session[session].append(path)
    hits: dict[Key, Hit] = {}
    for row in sessions_of(actor).filter(pk__in=list(by_session)):
        entries = _entries(row, by_session[row.pk])
        hits |= {(row.project_id, ref_of(row.pk, path)): hit for path, hit in entries}
    return hits


def _entries(session: Session, paths: Sequence[str]) -> Iterable[tuple[str, Hit]]:
    file = brain_of(session)
    shows = {"session": session.pk, "session_name": session.name, "status": str(session.status)}
    if not file.exists():
        return []
    try:
        with file.reading() as brain:
            found = [(path, hit_of(brain, path, shows)) for path in paths]
    except HubError:  # the file is held, or damaged: what is in it cannot be shown
        return []
    return [(path, hit) for path, hit in found if hit is not None]


register(Family(NAME, _read, files=Brains()))
