"""The family of knowledge pages: each project's one file (KNB-07)."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from agentfs import AgentFile
from core.actor import Actor
from core.errors import HubError
from core.page import MAX_LIMIT
from identity.access import visible_projects
from knowledge import document_search  # noqa: F401 - its family registers itself
from knowledge.files import knowledge_of
from knowledge.queries import cited_versions, trust_in
from projects.models import Project
from search.families import Family, Hit, Key, register
from search.texts import hit_of

NAME: Final = "page"


class Pages:
    """The knowledge bases, one to a project."""

    def file(self, project: str, key: str) -> AgentFile:  # noqa: ARG002 - there is one
        """Answer the knowledge base of a project."""
        return knowledge_of(Project(pk=project))

    def always(self, projects: Collection[str]) -> Iterable[Key]:
        """Answer all of them: any may be written at any time."""
        return [(project, "") for project in projects]

    def known(self) -> Iterable[Key]:
        """Answer every project's."""
        return [(project, "") for project in Project.objects.order_by("pk").values_list("pk", flat=True)]

    def rest(self, keys: Sequence[Key]) -> Mapping[Key, str]:  # noqa: ARG002 - as the others
        """Answer none."""
        return {}


def _read(actor: Actor, keys: Sequence[Key]) -> Mapping[Key, Hit]:
    """Answer the pages that are there now, of projects the actor may read."""
    by_project: dict[str, list[str]] = defaultdict(list)
    for project, path in keys:
        by_project[project].append(path)
    hits: dict[Key, Hit] = {}
    for row in visible_projects(actor).filter(pk__in=list(by_project)):
        hits |= {(row.pk, path): hit for path, hit in _pages(row, by_project[row.pk])}
    return hits


def _pages(project: Project, paths: Sequence[str]) -> Iterable[tuple[str, Hit]]:
    file = knowledge_of(project)
    if not file.exists():
        return []
    cited = cited_versions(project, paths)
    try:
        with file.reading() as pages:
            found = [
                (path, hit_of(pages, path, {"trust": trust_in(pages.log(path=path, limit=MAX_LIMIT), cited[path])}))
                for path in paths
            ]
    except HubError:  # the file is held, or damaged: what is in it cannot be shown
        return []
    return [(path, hit) for path, hit in found if hit is not None]


register(Family(NAME, _read, files=Pages()))
