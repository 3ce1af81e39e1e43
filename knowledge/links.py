"""Which pages point to which: relative Markdown links and ``[[names]]``, read from the pages as they are."""

import posixpath
import re
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

from knowledge.files import knowledge_of
from projects.models import Project

_LINK: Final = re.compile(r"\]\(\s*<?([^)>\s#?]+)")
_NAME: Final = re.compile(r"\[\[([^\]|#]+)")


def backlinks(project: Project, path: str) -> list[str]:
    """Answer the pages that link to a page, by path."""
    file = knowledge_of(project)
    if not file.exists():
        return []
    with file.reading() as pages:
        links = _links(str(file.path), pages.last_log_id(), project.slug)
    return sorted(source for source, targets in links.items() if path in targets and source != path)


@lru_cache(maxsize=32)
def _links(file: str, last_log_id: int, slug: str) -> dict[str, frozenset[str]]:  # noqa: ARG001 - what it is cached by
    """Answer each page's targets. Every write is a log row, so the newest row's id says whether they still hold."""
    with knowledge_of(Project(slug=slug)).reading() as pages:
        rows = [row for row in pages.walk("/fs") if row.path.endswith(".md")]
        return {row.path: _targets(row.path, pages.get(row.path).content) for row in rows}


def _targets(page: str, content: bytes) -> frozenset[str]:
    text = content.decode(errors="replace")
    folder = posixpath.dirname(page)
    found = set()
    for target in (unquote(link) for link in _LINK.findall(text)):
        if ":" not in target:
            found.add(
                posixpath.normpath(posixpath.join("/fs" if target.startswith("/") else folder, target.lstrip("/")))
            )
    for name in _NAME.findall(text):
        wanted = name.strip().strip("/")
        found.add(f"/fs/{wanted}" if wanted.endswith(".md") else f"/fs/{wanted}.md")
    return frozenset(found)
