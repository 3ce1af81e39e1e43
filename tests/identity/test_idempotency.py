"""AGT-02: a key makes a retry answer what the first call answered, and nothing happens twice."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client, override_settings
from django.utils import timezone

from core.actor import HUB, Actor
from core.calls import Call
from core.errors import HubError
from hubsite.agent_calls import calls
from identity.keeper import forget_old_keys
from identity.models import IdempotencyKey
from inbox.operations import post_question, post_signal
from knowledge.operations import append_page, create_document, create_space
from projects.models import Event, Project
from tasks.operations import allow_agents
from tests.inprocess import FACES, HttpTools, HumanApi, Outcome, Tools, nothing_stored, together
from tests.world import AgentWithToken, make_agent, make_person, make_project

# Tried where what they need is made: tests/memory/test_conversations.py has the last.
LATER = {"project_delete", "conversation_start"}


@pytest.fixture(params=FACES)
def tools(request: pytest.FixtureRequest, ada: AgentWithToken, project: Project) -> Tools:
    return FACES[request.param](ada.token)


@pytest.fixture
def writes(tools: Tools, ada: AgentWithToken) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Arguments of every call that writes, and what to change for another body."""
    session = tools("session_start", project="atlas", name="one")["session"]
    ending = tools("session_start", project="atlas", name="two")["session"]
    question = post_question(ada.actor, "atlas", subject="which?")["event"]
    entry = {"session": session, "store": "session"}
    page = {"project": "atlas", "store": "project"}
    for place in (entry, page):
        tools("brain_put", **place, path="/fs/old.md", content="x").done()
    post = {"project": "atlas", "session": session}
    shown = post | {"title": "x", "kind": "text"}
    artifacts = [tools("artifact_publish", **shown, content="x")["artifact"] for _ in range(3)]
    comments = [tools("comment_post", artifact=artifacts[0], body="x")["comment"] for _ in range(4)]
    writes: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        "signal_append": ({**post, "summary": "x"}, {"summary": "y"}),
        "signal_append finished": ({**post, "summary": "x", "kind": "finished"}, {"kind": "signal"}),
        "question_post": ({**post, "subject": "x"}, {"subject": "y"}),
        "approval_post": ({**post, "subject": "x", "proposal": {"n": 1}}, {"proposal": {"n": 2}}),
        "answer_post": ({"question": question, "body": "x"}, {"body": "y"}),
        "session_start": ({"project": "atlas", "name": "three"}, {"name": "four"}),
        "session_end": ({"session": ending, "handoff": "x"}, {"handoff": "y"}),
        "brain_put": ({**entry, "path": "/fs/a.md", "content": "x"}, {"content": "y"}),
        "brain_put append": ({**entry, "path": "/fs/a.md", "content": "x", "append": True}, {"content": "y"}),
        "brain_put key": ({**entry, "path": "/kv/a", "content": {"n": 1}}, {"content": {"n": 2}}),
        "brain_put page": ({**page, "path": "/fs/a.md", "content": "x"}, {"content": "y"}),
        "brain_put page append": ({**page, "path": "/fs/a.md", "content": "x", "append": True}, {"content": "y"}),
        "brain_put absent": (
            {**page, "path": "/fs/n.md", "content": "x", "if_version": "absent"},
            {"path": "/fs/m.md"},
        ),
        "brain_delete": ({**entry, "path": "/fs/old.md"}, {"path": "/fs/a.md"}),
        "brain_delete page": ({**page, "path": "/fs/old.md"}, {"path": "/fs/a.md"}),
        "artifact_publish": ({**shown, "content": "x"}, {"content": "y"}),
        "artifact_update": (
            {"artifact": artifacts[0], "content": "y", "base_version": 1, "session": session},
            {"content": "z"},
        ),
        "artifact_delete": ({"artifact": artifacts[1]}, {"artifact": artifacts[0]}),
        "comment_post": ({"artifact": artifacts[0], "body": "x"}, {"body": "y"}),
        "comment_resolve": ({"comment": comments[0]}, {"comment": comments[1]}),
        "comment_delete": ({"comment": comments[2]}, {"comment": comments[3]}),
        "brain_promote": (
            {"session": session, "from_path": "/fs/a.md", "to_path": "/fs/p.md"},
            {"to_path": "/fs/q.md"},
        ),
        **of_documents(ada.actor, session),
        **of_tasks(HttpTools(ada.token)),
    }
    return {name: write for name, write in writes.items() if is_had(tools, calls()[name.split()[0]])}


def of_documents(ada: Actor, session: str) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    create_space(HUB, "atlas", name="repo", sync_agent="ada")
    text: dict[str, Any] = {"title": "x", "body": "x", "cited": [{"kind": "url", "url": "https://example.org"}]}
    drafts = [create_document(ada, "atlas", **text, space="repo")["document"] for _ in range(3)]
    report = {"project": "atlas", "space": "repo", "commit": "a" * 40, "files": {"a.py": "b" * 40}}
    return {
        "document_draft": ({"project": "atlas", "title": "x", "body": "x"}, {"title": "y"}),
        "document_draft saved": ({"document": drafts[0], "body": "y", "expected_revision": 1}, {"body": "z"}),
        "document_submit": ({"document": drafts[1], "expected_revision": 1, "session": session}, {"note": "y"}),
        "document_publish": ({"document": drafts[2], "expected_revision": 1}, {"expected_revision": 2}),
        "repository_report": (report, {"commit": "c" * 40}),
    }


def of_tasks(tools: HttpTools) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    allow_agents(make_person("kim").actor, create_tasks=True)
    task: dict[str, Any] = {"project": "atlas", "title": "x", "text": "x", "subject": "kim"}
    ready, running = (tools("task_create", **task).done() for _ in range(2))
    moved = tools("task_start", task=running["task"], expected_revision=running["revision"]).done()
    with override_settings(HUB_RETRIEVAL_PLANE="lost"):
        failed = tools("task_create", **task).details["task"]
    return {
        "task_create": (task, {"title": "y"}),
        "task_prepare": ({"task": failed, "expected_revision": 2}, {"expected_revision": 3}),
        "task_start": ({"task": ready["task"], "expected_revision": ready["revision"]}, {"expected_revision": 9}),
        "task_complete": ({"task": moved["task"], "expected_revision": moved["revision"]}, {"note": "y"}),
    }


def is_had(tools: Tools, call: Call) -> bool:
    """Tell whether a face has a call: what machines alone make is no tool."""
    return call.is_tool or isinstance(tools, HttpTools)


def test_agt_02_every_write_takes_a_key_and_is_tried(tools: Tools, writes: dict[str, Any]) -> None:
    writing = {name for name, call in calls().items() if not call.read_only and is_had(tools, call)}
    assert {name for name in writing if "idempotency_key" not in calls()[name].arguments.model_fields} == set()
    assert writing - LATER <= {name.split()[0] for name in writes}


def test_agt_02_a_retry_answers_the_first_result_and_writes_nothing(
    tools: Tools, writes: dict[str, tuple[dict[str, Any], dict[str, Any]]]
) -> None:
    for number, (name, (arguments, _)) in enumerate(writes.items()):
        call = name.split()[0]
        first = own(tools(call, **arguments, idempotency_key=f"key-{number}"))
        for _ in range(2):
            with nothing_stored():
                assert own(tools(call, **arguments, idempotency_key=f"key-{number}")) == first, name


def own(outcome: Outcome) -> dict[str, Any]:
    """Answer what the call itself answered: news may ride along with any answer, once."""
    return {name: value for name, value in outcome.done().items() if name != "notifications"}


def test_agt_02_the_same_key_with_another_body_is_a_conflict(
    tools: Tools, writes: dict[str, tuple[dict[str, Any], dict[str, Any]]]
) -> None:
    for number, (name, (arguments, other)) in enumerate(writes.items()):
        call = name.split()[0]
        tools(call, **arguments, idempotency_key=f"key-{number}").done()
        with nothing_stored():
            refusal = tools(call, **{**arguments, **other}, idempotency_key=f"key-{number}")
        assert refusal.code == "conflict", (name, refusal.body)
        assert refusal.details["field"] == "idempotency_key", name


def test_agt_02_another_call_under_the_key_is_a_conflict(tools: Tools, writes: dict[str, Any]) -> None:
    session = writes["signal_append"][0]["session"]
    make_project("other")
    tools("signal_append", project="atlas", session=session, summary="x", idempotency_key="k").done()
    with nothing_stored():
        for call, arguments in {
            "question_post": {"project": "atlas", "subject": "x", "session": session},
            "session_start": {"project": "other", "name": "x"},
        }.items():
            assert tools(call, **arguments, idempotency_key="k").code == "conflict", call


def test_agt_02_keys_belong_to_their_agent(tools: Tools, ben: AgentWithToken) -> None:
    page = {"project": "atlas", "store": "project", "path": "/fs/a.md", "append": True, "idempotency_key": "k"}
    tools("brain_put", **page, content="a").done()
    HttpTools(ben.token)("brain_put", **page, content="b").done()
    assert tools("brain_get", project="atlas", store="project", path="/fs/a.md")["content"] == "ab"
    ids = {post_signal(agent.actor, "atlas", summary="x", idempotency_key="k")["event"] for agent in (ben,)}
    tools("session_start", project="atlas", name="one").done()
    ids.add(tools("signal_append", project="atlas", summary="x", idempotency_key="k")["event"])
    assert len(ids) == 2


def test_agt_02_without_a_key_every_call_counts(tools: Tools) -> None:
    tools("session_start", project="atlas", name="one").done()
    ids = {tools("signal_append", project="atlas", summary="x")["event"] for _ in range(3)}
    assert len(ids) == 3
    assert not IdempotencyKey.objects.exists()


def test_agt_02_a_refused_call_does_not_use_the_key_up(tools: Tools) -> None:
    tools("session_start", project="atlas", name="one").done()
    with nothing_stored():
        assert tools("signal_append", project="atlas", summary="", idempotency_key="k").refused
    tools("signal_append", project="atlas", summary="x", idempotency_key="k").done()
    page = {"project": "atlas", "store": "project", "path": "/fs/a.md", "idempotency_key": "k"}
    with nothing_stored():
        assert tools("brain_put", **page, content="x", if_version="sha256:" + "0" * 64).refused
    tools("brain_put", **page, content="x").done()


@pytest.mark.parametrize("key", ["", "x" * 129, "a\nb", "\u200b", 5])
def test_agt_02_a_key_nobody_can_have_meant_is_refused(tools: Tools, key: object) -> None:
    tools("session_start", project="atlas", name="one").done()
    with nothing_stored():
        for call, arguments in {
            "signal_append": {"project": "atlas", "summary": "x"},
            "brain_put": {"project": "atlas", "store": "project", "path": "/fs/a.md", "content": "x"},
        }.items():
            assert tools(call, **arguments, idempotency_key=key).details["field"] == "idempotency_key", call


def test_agt_02_a_key_lives_for_a_day(ada: AgentWithToken, project: Project) -> None:
    def post(summary: str) -> str:
        return str(post_signal(ada.actor, "atlas", summary=summary, idempotency_key="k")["event"])

    first = post("x")
    keys = IdempotencyKey.objects.all()
    keys.update(created_at=timezone.now() - timedelta(hours=23, minutes=59))
    assert post("x") == first
    assert forget_old_keys() == 0
    keys.update(created_at=timezone.now() - timedelta(hours=24, minutes=1))
    second = post("y")
    assert second != first
    assert post("y") == second
    keys.update(created_at=timezone.now() - timedelta(hours=24, minutes=1))
    assert forget_old_keys() == 1
    assert not keys.exists()


def test_agt_02_a_persons_answer_takes_a_key_too(human_client: Client, ada: AgentWithToken, project: Project) -> None:
    api = HumanApi(human_client)
    question = post_question(ada.actor, "atlas", subject="which?")["event"]
    first = api.post(f"/inbox/{question}/answer", body="x", idempotency_key="k").done()
    with nothing_stored():
        assert api.post(f"/inbox/{question}/answer", body="x", idempotency_key="k").done() == first
        assert api.post(f"/inbox/{question}/answer", body="y", idempotency_key="k").code == "conflict"
    page = {"path": "/fs/a.md", "content": "x", "if_version": "absent", "idempotency_key": "k"}
    first = api.put("/projects/atlas/page", **page).done()
    assert api.put("/projects/atlas/page", **page).done() == first


@pytest.mark.django_db(transaction=True)
def test_agt_02_calls_at_once_under_one_key_write_once() -> None:
    make_project("atlas")
    ada = make_agent("ada")
    for number in range(6):

        def post(key: str = f"k{number}") -> Any:
            return post_signal(ada.actor, "atlas", summary="x", idempotency_key=key)["event"]

        results = together(post, post, post)
        assert len(set(map(str, results))) == 1, results
    assert Event.objects.filter(kind="signal").count() == 6

    def append() -> Any:
        return append_page(ada.actor, "atlas", path="/fs/a.md", content=b"x", idempotency_key="k")

    results = together(append, append, append)
    assert results[0] == results[1] == results[2]
    entry: Outcome = HttpTools(ada.token)("brain_get", project="atlas", store="project", path="/fs/a.md")
    assert entry["content"] == "x"


@pytest.mark.django_db(transaction=True)
def test_agt_02_other_bodies_at_once_under_one_key_leave_one() -> None:
    make_project("atlas")
    ada = make_agent("ada")
    results = together(
        *(lambda n=n: post_signal(ada.actor, "atlas", summary=f"n{n}", idempotency_key="k") for n in range(4))
    )
    refusals = [result for result in results if isinstance(result, HubError)]
    assert [refusal.code for refusal in refusals] == ["conflict"] * 3
    assert Event.objects.filter(kind="signal").count() == 1
