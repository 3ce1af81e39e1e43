"""IDN-03, IDN-04: who may read and write where, as a table; and what is hidden is as if it were not there."""

from contextlib import nullcontext
from itertools import product
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.actor import HUB, Actor
from core.errors import HubError
from core.operation import Right
from hubsite.agent_calls import calls
from identity.access import authorized, projects_for, rights_on, visible_projects
from identity.models import Agent, Grant
from identity.operations import set_grant, set_trusted
from inbox.operations import post_question, post_signal
from knowledge.operations import put_page
from projects.models import Project
from projects.operations import update_project
from sessions_app.operations import put_entry, start_session
from tasks.operations import allow_agents
from tests.inprocess import FACES, HttpTools, Outcome, nothing_stored
from tests.world import AgentWithToken, make_agent, make_person, make_project

KINDS = ("trusted", "untrusted")
PLACES = ("open", "restricted", "own space", "another's space")
GRANTS = (None, "read", "write")
# (agent, project, grant) -> right; what is not here is none.
TABLE: dict[tuple[str, str, str | None], str] = {
    ("trusted", "open", None): "write",
    ("trusted", "open", "read"): "write",
    ("trusted", "open", "write"): "write",
    ("trusted", "restricted", "read"): "read",
    ("trusted", "restricted", "write"): "write",
    ("trusted", "own space", None): "write",
    ("trusted", "another's space", None): "read",
    ("trusted", "another's space", "read"): "read",
    ("untrusted", "open", "read"): "read",
    ("untrusted", "open", "write"): "write",
    ("untrusted", "restricted", "read"): "read",
    ("untrusted", "restricted", "write"): "write",
    ("untrusted", "own space", None): "write",
    ("untrusted", "another's space", "read"): "read",
}
# Grants that cannot be made: nobody grants an agent its own space, and none writes another's.
IMPOSSIBLE = {("own space", "read"), ("own space", "write"), ("another's space", "write")}
CASES = [case for case in product(KINDS, PLACES, GRANTS) if case[1:] not in IMPOSSIBLE]


def arrange(kind: str, place: str, grant: str | None) -> tuple[AgentWithToken, str]:
    """Make an agent and a project as the row of the table says; answers both."""
    make_agent("other")
    agent = make_agent("agent", trusted=kind == "trusted")
    slug = {"open": "place", "restricted": "place", "own space": agent.space, "another's space": "~other"}[place]
    if slug == "place":
        make_project("place", restricted=place == "restricted")
    if grant:
        set_grant(HUB, slug, agent="agent", level=Grant.Level(grant))
    return agent, slug


@pytest.mark.parametrize(("kind", "place", "grant"), CASES)
def test_idn_03_the_table_of_rights(db: None, kind: str, place: str, grant: str | None) -> None:
    agent, slug = arrange(kind, place, grant)
    right = TABLE.get((kind, place, grant))
    project = projects_for(agent.actor).get(pk=slug)
    wanted = {None: set(), "read": {Right.READ}, "write": {Right.READ, Right.WRITE}}[right]
    assert rights_on(agent.actor, project) == wanted
    assert visible_projects(agent.actor).filter(pk=slug).exists() is (right is not None)

    tools = HttpTools(agent.token)
    read = tools("feed_read", project=slug)
    write = tools("session_start", project=slug, name="one")
    page = tools("brain_put", project=slug, store="project", path="/fs/a.md", content="x")
    assert read.refused is (right is None)
    assert write.refused is page.refused is (right != "write")
    if right is None:
        assert {read.code, write.code, page.code} == {"not_found"}
    elif right == "read":
        assert {write.code, page.code} == {"forbidden"}
    listed = {row["project"]: row["right"] for row in tools("project_list")["projects"]}
    assert listed.get(slug) == right


def test_idn_03_no_grant_writes_another_agents_space(db: None) -> None:
    agent, slug = arrange("trusted", "another's space", None)
    with nothing_stored(), pytest.raises(HubError, match="Nobody but its agent"):
        set_grant(HUB, slug, agent="agent", level=Grant.Level.WRITE)
    # Nor does a row that came otherwise.
    Grant.objects.create(agent=Agent.objects.get(name="agent"), project_id=slug, level="write")
    assert rights_on(agent.actor, projects_for(agent.actor).get(pk=slug)) == {Right.READ}


def test_idn_03_rights_follow_a_change_at_once(ada: AgentWithToken, project: Project) -> None:
    tools = HttpTools(ada.token)
    assert not tools("feed_read", project="atlas").refused
    update_project(HUB, "atlas", restricted=True)
    assert tools("feed_read", project="atlas").code == "not_found"
    set_grant(HUB, "atlas", agent="ada", level=Grant.Level.READ)
    assert not tools("feed_read", project="atlas").refused
    update_project(HUB, "atlas", restricted=False)
    Grant.objects.all().delete()
    set_trusted(HUB, name="ada", trusted=False)
    assert tools("feed_read", project="atlas").code == "not_found"


def test_idn_04_every_agent_has_a_space_that_it_alone_writes(
    ada: AgentWithToken, ben: AgentWithToken, stranger: AgentWithToken
) -> None:
    own = {"project": ada.space, "store": "project", "path": "/fs/diary.md"}
    assert HttpTools(ada.token)("whoami")["personal_space"] == ada.space
    HttpTools(ada.token)("brain_put", **own, content="dear diary").done()
    assert HttpTools(ben.token)("brain_get", **own)["content"] == "dear diary"
    assert HttpTools(ben.token)("brain_put", **own, content="x").code == "forbidden"
    assert HttpTools(stranger.token)("brain_get", **own).code == "not_found"
    for name in ("ada", "ben", "stranger"):
        assert Agent.objects.get(name=name).space_id == f"~{name}"


worlds = st.fixed_dictionaries(
    {
        "trusted": st.booleans(),
        "restricted": st.booleans(),
        "personal": st.sampled_from([None, "own", "other"]),
        "grant": st.sampled_from([None, "read", "write"]),
        "other_grant": st.sampled_from([None, "read", "write"]),
        "kind": st.sampled_from(["agent", "human", "hub"]),
    }
)


@given(world=worlds)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], database=None)
def test_idn_03_one_rule_says_the_same_of_one_project_and_of_all(db: None, world: dict[str, Any]) -> None:
    """`rights_on` and `visible_projects` agree on every combination, also those no operation would make."""
    Grant.objects.all().delete()
    Agent.objects.all().delete()
    Project.objects.all().delete()
    space = {owner: Project.objects.create(slug=f"~{owner}", name=owner, personal=True) for owner in ("me", "you")}
    me = Agent.objects.create(name="me", trusted=world["trusted"], space=space["me"])
    you = Agent.objects.create(name="you", space=space["you"])
    slug = {None: "place", "own": "~me", "other": "~you"}[world["personal"]]
    place, _ = Project.objects.get_or_create(slug=slug)
    Project.objects.filter(pk=slug).update(restricted=world["restricted"])
    for agent, level in ((me, world["grant"]), (you, world["other_grant"])):
        if level:
            Grant.objects.create(agent=agent, project=place, level=level)
    kind: Literal["agent", "human", "hub"] = world["kind"]
    actor = HUB if kind == "hub" else Actor(kind, "me", me.pk, world["trusted"])
    for row in projects_for(actor):
        readable = Right.READ in rights_on(actor, row)
        assert visible_projects(actor).filter(pk=row.pk).exists() is readable
        assert (Right.WRITE not in rights_on(actor, row)) or readable
        assert Right.STAFF not in rights_on(actor, row) or not actor.is_agent
        try:
            authorized(actor, row.pk, Right.READ)
            allowed = True
        except HubError as refusal:
            assert refusal.code == "not_found"
            allowed = False
        assert allowed is readable


@pytest.fixture
def hidden(db: None) -> dict[str, str]:
    """A restricted project with one of everything in it, and the ids of what is there."""
    make_project("hidden", restricted=True)
    owner = make_agent("owner", hidden="write")
    session = start_session(owner.actor, "hidden", name="work")["session"]
    put_entry(owner.actor, "hidden", session=session, path="/fs/a.md", content=b"secret")
    put_page(owner.actor, "hidden", path="/fs/a.md", content=b"secret")
    question = post_question(owner.actor, "hidden", subject="which?", session=session)["event"]
    signal = post_signal(owner.actor, "hidden", summary="x", kind="finished", session=session)["event"]
    tools = HttpTools(owner.token)
    shown = {"project": "hidden", "title": "x", "kind": "text", "content": "secret", "session": session}
    artifact = tools("artifact_publish", **shown)["artifact"]
    comment = tools("comment_post", artifact=artifact, body="secret")["comment"]
    document = tools("document_draft", project="hidden", title="secret", body="secret")["document"]
    allow_agents(make_person("kim").actor, create_tasks=True)
    task = tools("task_create", project="hidden", title="secret", text="secret", subject="kim").done()
    return {
        "project": "hidden",
        "session": session,
        "question": question,
        "signal": signal,
        "artifact": artifact,
        "comment": comment,
        "document": document,
        "task": task["task"],
        "delegation": task["delegation"],
    }


UNKNOWN = {
    "project": "unknown",
    "session": "01J00000000000000000000000",
    "question": "01J00000000000000000000001",
    "signal": "01J00000000000000000000002",
    "artifact": "01J00000000000000000000003",
    "comment": "01J00000000000000000000004",
    "document": "01J00000000000000000000005",
    "task": "01J00000000000000000000006",
    "delegation": "01J00000000000000000000007",
}


def attempts(at: dict[str, str]) -> dict[str, dict[str, Any]]:
    """One call of every kind that names something of a project."""
    project, session, question = at["project"], at["session"], at["question"]
    entry = {"path": "/fs/a.md", "session": session}
    page = {"path": "/fs/a.md", "project": project, "store": "project"}
    return {
        "feed_read": {"project": project},
        "feed_read since": {"project": project, "since": at["signal"]},
        "signal_append": {"project": project, "summary": "x"},
        "signal_append session": {"project": project, "summary": "x", "session": session},
        "question_post": {"project": project, "subject": "x"},
        "approval_post": {"project": project, "subject": "x"},
        "answer_post": {"question": question, "body": "x"},
        "answer_wait": {"question": question, "timeout_s": 0},
        "inbox_read": {"project": project},
        "session_start": {"project": project, "name": "one"},
        "session_end": {"session": session},
        "session_list": {"project": project},
        "brain_get": entry,
        "brain_get project": {"path": "/fs/a.md", "project": project},
        "brain_get page": page,
        "brain_get page by session": {"path": "/fs/a.md", "session": session, "store": "project"},
        "brain_list": {"session": session},
        "brain_list project": {"project": project},
        "brain_list page": {"project": project, "store": "project"},
        "brain_put": {**entry, "content": "x", "store": "session"},
        "brain_put page": {**page, "content": "x"},
        "brain_delete": {**entry, "store": "session"},
        "brain_delete page": page,
        "brain_promote": {"from_path": "/fs/a.md", "to_path": "/fs/b.md", "session": session},
        "brain_promote project": {"from_path": "/fs/a.md", "to_path": "/fs/b.md", "project": project},
        "session_brief": {"project": project},
        "session_brief session": {"project": project, "session": session},
        "page_history": {"project": project},
        "page_history path": {"project": project, "path": "/fs/a.md"},
        "search": {"project": project, "query": "secret"},
        **of_artifacts(project, at["artifact"], at["comment"]),
        **of_documents(project, at["document"]),
        **of_tasks(project, at["task"], at["delegation"], at["document"]),
    }


def of_artifacts(project: str, artifact: str, comment: str) -> dict[str, dict[str, Any]]:
    return {
        "artifact_publish": {"project": project, "title": "x", "kind": "text", "content": "x"},
        "artifact_update": {"artifact": artifact, "content": "x", "force": True},
        "artifact_get": {"artifact": artifact},
        "artifact_list": {"project": project},
        "artifact_versions": {"artifact": artifact},
        "artifact_delete": {"artifact": artifact},
        "comment_post": {"artifact": artifact, "body": "x"},
        "comment_list": {"artifact": artifact},
        "comment_list project": {"project": project},
        "comment_resolve": {"comment": comment},
        "comment_delete": {"comment": comment},
    }


def of_documents(project: str, document: str) -> dict[str, dict[str, Any]]:
    return {
        "document_list": {"project": project},
        "document_get": {"document": document},
        "document_get draft": {"document": document, "draft": True},
        "document_draft": {"project": project, "title": "x"},
        "document_draft saved": {"document": document, "title": "x", "expected_revision": 1},
        "document_submit": {"document": document, "expected_revision": 1},
        "document_publish": {"document": document, "expected_revision": 1},
        "repository_report": {"project": project, "space": "x", "commit": "abcdef0", "files": {"x": None}},
    }


def of_tasks(project: str, task: str, delegation: str, document: str) -> dict[str, dict[str, Any]]:
    return {
        "task_create": {"project": project, "title": "x", "text": "x", "subject": "kim"},
        "task_list": {"project": project},
        "task_get": {"task": task},
        "task_prepare": {"task": task, "expected_revision": 2},
        "task_start": {"task": task, "expected_revision": 2},
        "task_complete": {"task": task, "expected_revision": 2},
        "task_complete failed": {"task": task, "expected_revision": 2, "outcome": "failed"},
        "task_snapshot": {"task": task},
        "session_start task": {"project": project, "name": "two", "task": task},
        "knowledge_recall": {"delegation": delegation, "query": "secret"},
        "knowledge_read": {"delegation": delegation, "document": document},
    }


def test_idn_03_every_call_that_names_something_is_tried() -> None:
    tried = {name.split()[0] for name in attempts(UNKNOWN)}
    named = {"project", "session", "question", "document", "artifact", "task", "delegation"}
    naming = {name for name, call in calls().items() if named & set(call.arguments.model_fields)}
    assert naming <= tried


# A refused recall leaves its evidence (TSK-05); tests/tasks/test_recall.py shows that it leaves nothing else.
NOTED = {"knowledge_recall", "knowledge_read"}


def answer_of(outcome: Outcome, at: dict[str, str]) -> str:
    """Answer the whole refusal, the names that were asked for left out."""
    text = repr(sorted(outcome.body.items()))
    for name, value in at.items():
        text = text.replace(value, name)
    return text


@pytest.mark.parametrize("face", FACES)
def test_idn_03_a_hidden_project_answers_exactly_as_one_that_does_not_exist(
    hidden: dict[str, str], ada: AgentWithToken, stranger: AgentWithToken, face: str
) -> None:
    for agent in (ada, stranger):
        tools = FACES[face](agent.token)
        for name, arguments in attempts(hidden).items():
            if face == "mcp" and not calls()[name.split()[0]].is_tool:
                continue
            with nothing_stored() if name not in NOTED else nullcontext():
                there = tools(name.split()[0], **arguments)
                nowhere = tools(name.split()[0], **attempts(UNKNOWN)[name])
            assert there.code == "not_found", (name, there.body)
            assert answer_of(there, hidden) == answer_of(nowhere, UNKNOWN), name


def test_idn_03_lists_never_show_what_is_hidden(hidden: dict[str, str], ada: AgentWithToken) -> None:
    tools = HttpTools(ada.token)
    for name in ("whoami", "project_list", "inbox_read", "session_list", "artifact_list", "document_list", "task_list"):
        shown = repr(tools(name).done())
        assert not [value for value in hidden.values() if value in shown], name


def test_idn_03_another_projects_things_are_not_found_through_ones_own(
    hidden: dict[str, str], ada: AgentWithToken, project: Project
) -> None:
    tools = HttpTools(ada.token)
    tools("session_start", project="atlas", name="one").done()
    with nothing_stored():
        assert tools("signal_append", project="atlas", summary="x", thread=hidden["question"]).code == "not_found"
        assert tools("signal_append", project="atlas", summary="x", session=hidden["session"]).code == "not_found"
        assert tools("brain_get", project="atlas", session=hidden["session"], path="/fs/a.md").code == "not_found"
    assert tools("feed_read", project="atlas", session=hidden["session"])["events"] == []
    assert tools("feed_read", project="atlas", since=hidden["question"], kinds=["question"])["events"] == []


def test_idn_03_people_without_staff_rights_may_nothing(db: None, project: Project) -> None:
    person = make_person("guest", staff=False)
    with nothing_stored(), pytest.raises(HubError, match="staff"):
        update_project(person.actor, "atlas", name="x")
