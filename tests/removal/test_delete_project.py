"""HUB-08: deleting a project removes its rows in every app, its files last; a personal space stays."""

import threading
from pathlib import Path

import pytest
from django.apps import apps
from django.db.models import Field, Model
from django.db.models.deletion import Collector
from django.test import Client

from projects.models import Project
from tests.brains import begin, files_below
from tests.inprocess import HttpTools, HumanApi, Outcome, nothing_stored
from tests.racing import Meanwhile, on_own_connection
from tests.tasks.desk import begun
from tests.world import AgentWithToken, Person, make_agent, make_project


def columns_that_name_a_project() -> list[tuple[type[Model], Field]]:  # type: ignore[type-arg]
    """Answer each column of each app that is a project's key, or looks like one."""
    return [
        (model, field)
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if isinstance(field, Field)
        and model is not Project
        and (field.related_model is Project or "project" in field.name or field.name == "slug")
    ]


def rows_of(slug: str) -> dict[str, int]:
    """Count the rows of each table that name a project."""
    return {
        model._meta.label: model._base_manager.filter(**{field.name: slug}).count()
        for model, field in columns_that_name_a_project()
        # An agent's own space is never deleted; what is remembered of a person is theirs, wherever it came from.
        if model._meta.label not in {"identity.Agent", "memory.Proposal"}
    }


def knowledge_rows() -> dict[str, int]:
    """Count the rows of governed knowledge, those too that name no project themselves."""
    return {model._meta.label: model._base_manager.count() for model in apps.get_app_config("knowledge").get_models()}


def fill(slug: str, tools: HttpTools, human_api: HumanApi) -> None:
    """Leave something of every kind in a project."""
    session = begin(tools, "main", slug, notes="x")
    tools("session_start", project=slug, name="fork", **{"from": {"session": session}}).done()
    tools("session_start", project=slug, name="silent").done()
    tools("brain_put", project=slug, store="project", path="/fs/page.md", content="x").done()
    event = tools("signal_append", project=slug, summary="x", session=session)["event"]
    for kind in ("finished", "signal"):
        tools("signal_append", project=slug, summary="x", kind=kind, session=session, idempotency_key=f"{slug}{kind}")
    shown = {"project": slug, "title": "x", "kind": "text", "content": "x", "session": session}
    artifact = tools("artifact_publish", **shown)["artifact"]
    tools("comment_post", artifact=artifact, body="x").done()
    question = tools("question_post", project=slug, subject="x", session=session)["event"]
    tools("question_post", project=slug, subject="open", session=session).done()
    human_api.post(f"/inbox/{question}/answer", body="y").done()
    human_api.post(f"/projects/{slug}/cursor", event=event).done()
    fill_knowledge(slug, tools, human_api)
    task = begun(human_api, tools, project=slug)
    task.complete(memory_evidence=[{"kind": "fact", "text": "Herons nest."}]).done()
    ended = begin(tools, "pruned", slug, notes="x")
    tools("session_end", session=ended).done()
    human_api.post(f"/sessions/{ended}/prune").done()


def fill_knowledge(slug: str, tools: HttpTools, human_api: HumanApi) -> None:
    """Leave documents, decisions, a repository and its readers in a project."""
    page = tools("brain_get", project=slug, store="project", path="/fs/page.md")["version"]
    cited = {"project": slug, "title": "x", "from": {"path": "/fs/page.md", "version": page}}
    old, new, guide = (
        tools("document_draft", kind=kind, **cited)["document"] for kind in ("decision", "decision", "guide")
    )
    human_api.post(f"/documents/{old}/accept", expected_revision=1).done()
    human_api.post(f"/documents/{new}/accept", expected_revision=1, supersedes=[old]).done()
    human_api.post(f"/documents/{guide}/publish", expected_revision=1).done()
    draft = tools("document_draft", document=guide, expected_revision=1, body="y")["revision"]
    human_api.post(f"/documents/{guide}/review", expected_revision=draft).done()
    human_api.post(f"/projects/{slug}/spaces", name="code", sync_agent="ada").done()
    tools("repository_report", project=slug, space="code", commit="a" * 40, files={"x.py": "b" * 40}).done()
    human_api.post(f"/projects/{slug}/spaces/code/shares", agent="ada").done()


def test_hub_08_every_row_of_every_app_and_every_file_goes(
    project: Project, ada_tools: HttpTools, human_api: HumanApi, data_dir: Path
) -> None:
    make_project("kept")
    make_agent("helper", trusted=False, atlas="write", kept="read")
    for slug in ("kept", "atlas"):
        fill(slug, ada_tools, human_api)
    before, files = rows_of("kept"), [name for name in files_below(data_dir) if "kept" in name]
    assert 0 not in rows_of("atlas").values(), rows_of("atlas")
    kept = knowledge_rows()
    assert 0 not in kept.values()
    assert human_api.delete("/projects/atlas").code == "invalid_argument"
    assert human_api.call("DELETE", "/projects/atlas", None, confirm="atlas").done() == {"deleted": "atlas"}
    assert set(rows_of("atlas").values()) == {0}
    assert rows_of("kept") == before
    assert knowledge_rows() == {name: number // 2 for name, number in kept.items()}
    assert [name for name in files_below(data_dir) if "kept" in name] == files
    assert list(data_dir.rglob("*atlas*")) == []
    assert ada_tools("feed_read", project="atlas").code == "not_found"
    assert human_api.get("/projects/atlas/events").code == "not_found"
    # The name is free, and means a project with nothing of the old one.
    make_project("atlas")
    assert ada_tools("brain_list", project="atlas", store="project")["entries"] == []
    assert ada_tools("session_list", project="atlas")["sessions"] == []


def test_hub_08_a_personal_space_is_refused(ada_tools: HttpTools, human_api: HumanApi) -> None:
    begin(ada_tools, "own", "~ada", notes="x")
    with nothing_stored():
        assert human_api.delete("/projects/~ada", confirm="~ada").code == "conflict"


def test_hub_08_a_deletion_names_the_project_twice(project: Project, ada: AgentWithToken, human_api: HumanApi) -> None:
    with nothing_stored():
        assert human_api.delete("/projects/atlas", confirm="atlantis").code == "invalid_argument"
        assert human_api.delete("/projects/nowhere", confirm="nowhere").code == "not_found"
        as_agent = HumanApi(Client(headers={"Authorization": f"Bearer {ada.token}"}))
        assert as_agent.delete("/projects/atlas", confirm="atlas").refused


WRITES: dict[str, dict[str, object]] = {
    "signal_append": {"summary": "x"},
    "session_start": {"name": "new"},
    "brain_put": {"store": "project", "path": "/fs/page.md", "content": "x"},
    "brain_put ": {"store": "session", "path": "/fs/page.md", "content": "x"},
    "session_start ": {"name": "picked", "from": {"agent": "ada", "name": "source"}},
}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("round_", range(3))
def test_hub_08_writes_during_a_deletion_end_in_not_found_and_leave_nothing(
    project: Project, ada: AgentWithToken, human: Person, data_dir: Path, round_: int
) -> None:
    begin(HttpTools(ada.token), "source", notes="x")
    session = begin(HttpTools(ada.token), "main")
    refusals: list[str] = []
    written: list[str] = []

    def again(name: str) -> bool:
        given = dict(WRITES[name])
        if "name" in given:
            given["name"] = f"{given['name']}{len(written)}"
        named = {} if name.startswith("session_start") else {"session": session}
        outcome: Outcome = HttpTools(ada.token)(name.strip(), project="atlas", **named, **given)
        if outcome.refused:
            refusals.append(outcome.code)
            return False
        written.append(name)
        return True

    client = Client()
    client.force_login(human.user)
    with Meanwhile(*[lambda name=name: again(name) for name in WRITES]) as writers:
        while len(written) < 15 and not refusals:
            pass
        assert HumanApi(client).delete("/projects/atlas", confirm="atlas").done() == {"deleted": "atlas"}
        writers.wait()
    assert refusals == ["not_found"] * len(WRITES)
    assert set(rows_of("atlas").values()) == {0}
    assert [name for name in files_below(data_dir) if "atlas" in name] == []


@pytest.mark.django_db(transaction=True)
def test_hub_08_a_write_that_comes_while_rows_are_collected_does_not_stop_the_deletion(
    project: Project, ada: AgentWithToken, human: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = begin(HttpTools(ada.token), "main")
    delete, answers = Collector.delete, list[Outcome]()

    def post() -> None:
        signal = {"project": "atlas", "summary": "late", "session": session}
        answers.append(on_own_connection(lambda: HttpTools(ada.token)("signal_append", **signal)))

    writer = threading.Thread(target=post)

    def write_first(collector: Collector) -> object:
        if collector.data.get(Project):
            writer.start()
            writer.join(1.5)  # it commits before the project goes, or must wait until it is gone
        return delete(collector)

    monkeypatch.setattr(Collector, "delete", write_first)
    client = Client()
    client.force_login(human.user)
    HumanApi(client).delete("/projects/atlas", confirm="atlas").done()
    writer.join(60)
    assert [answer.code for answer in answers] == ["not_found"]
    assert set(rows_of("atlas").values()) == {0}
