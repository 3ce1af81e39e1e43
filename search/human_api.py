"""The human API of search."""

from typing import Any

from core.actor import Actor
from core.human_calls import human_call
from search.agent_calls import Search as SearchQuery
from search.queries import Asked
from search.queries import search as search_for


@human_call(SearchQuery)
def search(actor: Actor, given: SearchQuery) -> dict[str, Any]:
    """Find anything by words or identifiers, in every project."""
    return search_for(actor, Asked(**given.model_dump())).as_json()
