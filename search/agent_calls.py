"""Searching as an agent."""

from datetime import datetime
from typing import Annotated, ClassVar

from pydantic import Field

from core.actor import Actor
from core.calls import Arguments, Json, agent_call
from search.queries import Asked
from search.queries import search as search_for


class Search(Arguments):
    """Arguments of search."""

    sought: ClassVar[frozenset[str]] = frozenset({"query"})

    query: Annotated[str, Field(description='Words; "in quotes" as a phrase.')]
    project: str | None = None
    families: list[str] | None = None
    session: str | None = None
    after: datetime | None = None
    before: datetime | None = None
    limit: int | None = None
    cursor: str | None = None


@agent_call("search", title="Search", http=("GET", "/search"), arguments=Search, read_only=True)
def search(actor: Actor, arguments: Search) -> Json:
    """Find events, pages, brains, artifacts, comments by words or identifiers, in every project you may read."""
    return search_for(actor, Asked(**arguments.model_dump())).as_json()
