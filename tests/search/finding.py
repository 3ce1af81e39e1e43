"""What a search answers, as tests look at it."""

from typing import Any

from tests.inprocess import Json, Tools


def hits(answer: Any) -> list[Json]:
    """Answer the hits of all families."""
    return [hit for family in answer["families"] for hit in family["hits"]]


def titles(tools: Tools, query: str, **given: object) -> list[str]:
    """Search, and answer the titles found."""
    return [hit["title"] for hit in hits(tools("search", query=query, **given))]


def paths(tools: Tools, query: str, **given: object) -> list[str]:
    """Search, and answer the paths found in brains and pages, by name."""
    return sorted(hit["path"] for hit in hits(tools("search", query=query, **given)) if "path" in hit)


def page(tools: Tools, path: str, content: str, project: str = "atlas") -> None:
    """Write a page; fails the test when refused."""
    tools("brain_put", project=project, store="project", path=path, content=content).done()
