"""SRC-01, IDN-03, IDN-06: whatever the rights are, a caller finds all it may read of what it looks for, and no more."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.actor import HUB, Actor
from identity.access import may_read
from identity.models import Agent, Grant
from identity.operations import set_grant
from projects.models import Project
from search import queries
from search.queries import Asked, Results, search
from tests.brains import begin
from tests.inprocess import HttpTools, HumanApi
from tests.search.finding import page
from tests.world import AgentWithToken, make_agent, make_project

SLUGS = ("one", "two", "three", "four")
SPACES = ("~ada", "~ben")
FAMILIES = ("event", "brain", "page")
levels = st.sampled_from([None, "read", "write"])
rights = st.fixed_dictionaries(
    {
        "trusted": st.booleans(),
        "restricted": st.sets(st.sampled_from(SLUGS)),
        "grants": st.dictionaries(st.sampled_from(SLUGS + SPACES), levels),
        "others": st.dictionaries(st.sampled_from(SLUGS), levels),
        "families": st.lists(st.sampled_from(FAMILIES), unique=True),
        "many": st.sampled_from([0, 2, 32]),
        "query": st.sampled_from(["marker", "mark", '"the marker"', "nothing marker ordinary", "標識", "mark_er"]),
    }
)


@pytest.fixture
def everywhere(ada_tools: HttpTools, ben_tools: HttpTools, human_api: HumanApi) -> set[tuple[str, str]]:
    """Leave the marker in each family of each project, and in system events; answers where."""
    for slug in SLUGS:
        make_project(slug)
        fill(ada_tools, slug)
    fill(ada_tools, "~ada")
    fill(ben_tools, "~ben")
    for slug in SLUGS:
        human_api.patch(f"/projects/{slug}", name=f"the marker 標識 mark_er {slug}").done()
    return {(family, slug) for slug in SLUGS + SPACES for family in FAMILIES}


def fill(tools: HttpTools, slug: str) -> None:
    text = "the marker 標識 of mark_er"
    session = begin(tools, "main", slug, notes=text)
    page(tools, "/fs/page.md", text, slug)
    tools("signal_append", project=slug, session=session, summary=text).done()


def found(results: Results) -> set[tuple[str, str]]:
    return {(hit.family, hit.project) for hit in results.hits}


@given(world=rights)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], database=None)
def test_src_01_every_hit_is_readable_and_every_readable_one_is_a_hit(
    everywhere: set[tuple[str, str]], ada: AgentWithToken, ben: AgentWithToken, world: dict[str, Any]
) -> None:
    Grant.objects.all().delete()
    for slug in SLUGS:
        Project.objects.filter(pk=slug).update(restricted=slug in world["restricted"])
    Agent.objects.filter(name="ben").update(trusted=world["trusted"])
    for agent, grants in ((ben, world["grants"]), (ada, world["others"])):
        for slug, level in grants.items():
            if level:
                Grant.objects.create(agent=Agent.objects.get(name=agent.name), project_id=slug, level=level)
    actor = Actor("agent", "ben", ben.actor.key, world["trusted"])
    families = world["families"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(queries, "MANY", world["many"])
        results = search(actor, Asked(world["query"], families=families or None, limit=100))
    readable = {slug for slug in SLUGS + SPACES if may_read(actor, slug)}
    wanted = {(family, slug) for family, slug in everywhere if slug in readable and family in (families or FAMILIES)}
    assert found(results) == wanted
    assert len(results.hits) == results.count == len(wanted)
    assert {hit.hit.shows.get("kind") for hit in results.hits} <= {"signal", None}


def test_src_01_people_find_everything(everywhere: set[tuple[str, str]], human_api: HumanApi) -> None:
    answer = human_api.get("/search", query="marker", limit=100)
    assert {(hit["family"], hit["project"]) for part in answer["families"] for hit in part["hits"]} == everywhere
    assert answer["count"] == len(everywhere)


def test_src_01_a_right_that_is_taken_away_counts_at_once(
    everywhere: set[tuple[str, str]], stranger: AgentWithToken
) -> None:
    tools = HttpTools(stranger.token)
    assert tools("search", query="marker")["count"] == 0
    set_grant(HUB, "one", agent="stranger", level=Grant.Level.READ)
    first = tools("search", query="marker", limit=1).done()
    assert first["count"] == 3
    Grant.objects.all().delete()
    assert tools("search", query="marker", cursor=first["next_cursor"])["families"] == []
    assert tools("search", query="marker", project="one").code == "not_found"


def test_src_01_a_reader_learns_nothing_from_the_count(everywhere: set[tuple[str, str]]) -> None:
    make_project("secret", restricted=True)
    owner = HttpTools(make_agent("owner", secret="write").token)
    fill(owner, "secret")
    for number in range(5):
        page(owner, f"/fs/{number}.md", "the marker again", "secret")
    reader = HttpTools(make_agent("reader", trusted=False, one="read").token)
    assert reader("search", query="marker")["count"] == 3
    assert reader("search", query="again")["count"] == 0
