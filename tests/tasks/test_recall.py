"""Live recall: what opens it, what is refused in which order, and that each call is noted (TSK-02..05, TSK-07)."""

import hashlib
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.db import DatabaseError, transaction
from django.utils import timezone

from core.actor import HUB
from core.errors import HubError
from identity.actors import agent_from_token
from identity.models import Grant, Token
from identity.operations import issue_token, remove_grant, set_grant
from projects.models import Project
from tasks import recalling
from tasks.models import Delegation, Organization, RecallEvidence, Task
from tasks.operations import revoke_delegation
from tests.governed.desk import drafted, publish, published, repository
from tests.inprocess import HttpTools, HumanApi, McpTools, nothing_stored, stored
from tests.racing import together
from tests.tasks.desk import Run, begun
from tests.tasks.untouched import without_trigger
from tests.world import AgentWithToken, Person, make_project

NOWHERE = "01HZZZZZZZZZZZZZZZZZZZZZZZ"


def only_noted(look: Callable[[], object]) -> RecallEvidence:
    """Make a call that must write its evidence and nothing else; answers that."""
    rows, files = stored()
    look()
    rows_after, files_after = stored()
    assert files_after == files
    assert {name for name in rows if rows[name] != rows_after[name]} == {"tasks.RecallEvidence"}
    assert rows_after["tasks.RecallEvidence"] == rows["tasks.RecallEvidence"] + 1
    return RecallEvidence.objects.order_by("pk").last()  # type: ignore[return-value]


def test_tsk_05_a_recall_is_noted_with_what_it_found(run: Run) -> None:
    row = only_noted(lambda: run.recall("where do herons nest").done())
    assert (row.outcome, row.code, row.verb, row.agent_name) == ("answered", "", "knowledge.recall", "ada")
    assert (row.query, row.query_sha256) == (
        "where do herons nest",
        hashlib.sha256(b"where do herons nest").hexdigest(),
    )
    assert (row.task_id, row.delegation, row.session, row.generation) == (run.task, run.delegation, run.session, 1)
    assert (row.backend, row.degraded, row.candidates, row.stale_dropped) == ("relational", "", 1, 0)
    (hit,) = row.hits
    assert (hit["rank"], hit["document"], hit["version"], hit["chunk"]) == (1, run.document, 1, 0)
    assert hit["ranks"] == {"relational": 1}
    assert hit["score"] > 0
    assert row.spaces_asked == row.spaces_used == run.now()["delegation"]["spaces"]
    assert "heron builds" not in str(row.hits)
    read = only_noted(lambda: run.read().done())
    assert (read.verb, read.document, read.hits) == (
        "knowledge.read",
        run.document,
        [{"rank": 1, "document": run.document, "version": 1}],
    )
    assert [line["id"] for line in run.recalls()] == [read.pk, row.pk]


def test_tsk_05_secrets_and_personal_data_are_not_kept_of_a_query(run: Run) -> None:
    query = "heron of kim@example.org AKIAIOSFODNN7EXAMPLE"
    row = only_noted(lambda: run.recall(query).done())
    assert "kim@" not in row.query
    assert "AKIA" not in row.query
    assert "heron" in row.query
    assert row.query_sha256 == hashlib.sha256(query.encode()).hexdigest()


def test_tsk_07_a_recall_finds_the_current_version_and_nothing_else(run: Run, human_api: HumanApi) -> None:
    draft = run.tools("document_draft", document=run.document, expected_revision=1, body="The egret.")["revision"]
    assert run.recall("egret")["hits"] == []
    publish(human_api, run.document, draft).done()
    (hit,) = run.recall("egret")["hits"]
    assert (hit["version"], hit["text"]) == (2, "The egret.")
    assert run.recall("grey nest")["hits"] == []
    assert run.read()["content"] == "The egret."
    assert "grey heron" in run.read(version=1)["content"]
    assert RecallEvidence.objects.order_by("pk").last().hits == [{"rank": 1, "document": run.document, "version": 1}]  # type: ignore[union-attr]
    for nothing in (0, 3, 2**40):
        assert run.read(version=nothing).code == "not_found"
    human_api.post(f"/documents/{run.document}/archive").done()
    assert run.recall("egret")["hits"] == []
    assert run.read().code == "not_found"


def test_tsk_03_a_document_outside_the_scope_is_not_there(run: Run, human_api: HumanApi) -> None:
    make_project("other")
    elsewhere = published(run.tools, human_api, "Herons", "A heron elsewhere.", project="other")
    unpublished = drafted(run.tools, "Draft", "A heron.")
    decision = drafted(run.tools, "Proposal", "A heron.", kind="decision")
    for document in (elsewhere, unpublished, decision, NOWHERE):
        row = only_noted(lambda document=document: _refused(run.read(document), "not_found"))  # type: ignore[misc]
        assert (row.document, row.code, row.hits) == (document, "not_found", [])
    assert {hit["document"] for hit in run.recall("heron")["hits"]} == {run.document}


def _refused(outcome: Any, code: str) -> None:
    assert outcome.code == code


def test_tsk_03_a_space_outside_the_scope_refuses_the_whole_call(run: Run, human_api: HumanApi) -> None:
    repository(human_api, "code")  # made after the delegation: it is not in it
    space = run.tools("document_list")["documents"] and human_api.get("/spaces")["spaces"]
    code = next(row["id"] for row in space if row["name"] == "code")
    own = run.now()["delegation"]["spaces"]
    for asked in ([code], [*own, code], [*own, NOWHERE]):
        row = only_noted(lambda asked=asked: _refused(run.recall(spaces=asked), "scope_denied"))  # type: ignore[misc]
        assert row.spaces_asked == sorted(asked)
        assert row.spaces_used == []
    assert run.recall(spaces=own)["hits"]


def test_tsk_02_a_scope_that_was_not_given(
    document: str, human: Person, ada_tools: HttpTools, human_api: HumanApi
) -> None:
    run = begun(human_api, ada_tools, document, scopes=["knowledge.recall"])
    assert run.recall()["hits"]
    only_noted(lambda: _refused(run.read(), "scope_denied"))


def _revoked(run: Run) -> None:
    revoke_delegation(HUB, "atlas", task=run.task, delegation=run.delegation)


def _expired(run: Run) -> None:
    with without_trigger("tasks_delegation", "tasks_delegation_fixed"):
        Delegation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))


def _moved_house(run: Run) -> None:
    Organization.objects.update(key=NOWHERE)


def _stale(run: Run) -> None:
    Task.objects.update(generation=2)


def _inactive(run: Run) -> None:
    get_user_model().objects.filter(username="kim").update(is_active=False)


def _closed(run: Run) -> None:
    Project.objects.filter(pk="atlas").update(restricted=True)


WRONGS: list[tuple[str, Callable[[Run], None]]] = [
    ("delegation_revoked", _revoked),
    ("delegation_expired", _expired),
    ("organization_mismatch", _moved_house),
    ("generation_stale", _stale),
    ("subject_inactive", _inactive),
    ("grant_revoked", _closed),
]


@pytest.mark.parametrize(("code", "spoil"), WRONGS)
def test_tsk_03_each_wrong_has_its_code_and_nothing_is_stored_but_that(
    run: Run, code: str, spoil: Callable[[Run], None]
) -> None:
    assert run.recall()["hits"]
    spoil(run)
    for call in (run.recall, run.read):
        row = only_noted(lambda call=call: _refused(call(), code))  # type: ignore[misc]
        assert (row.outcome, row.code, row.hits, row.spaces_used) == ("refused", code, [], [])


def test_tsk_03_the_first_wrong_refuses_in_order(run: Run, human_api: HumanApi) -> None:
    codes = []
    for _, spoil in reversed(WRONGS):
        spoil(run) if spoil is not _revoked else revoke_delegation(
            HUB, "atlas", task=run.task, delegation=run.delegation
        )
        codes.append(run.recall(spaces=[NOWHERE]).code)  # outside the scope besides
    assert codes == [code for code, _ in reversed(WRONGS)]
    Token.objects.filter(agent__name="ada").update(revoked_at=timezone.now())
    assert run.recall().code == "unauthenticated"


def test_tsk_03_a_token_revoked_after_it_was_looked_at(run: Run, ada: AgentWithToken) -> None:
    actor = agent_from_token(f"Bearer {ada.token}")
    issue_token(HUB, name="ada")  # the agent has another, which is not the one it came with
    assert actor.token is not None
    Token.objects.filter(pk=actor.token).update(revoked_at=timezone.now())
    with pytest.raises(HubError) as refusal:
        recalling.knowledge_recall(actor, delegation=run.delegation, query="heron")
    assert refusal.value.code == "unauthenticated"
    assert RecallEvidence.objects.get().code == "unauthenticated"


def test_tsk_03_somebody_elses_delegation_and_none_look_the_same(run: Run, ben_tools: HttpTools) -> None:
    answers = []
    for delegation in (run.delegation, NOWHERE):
        outcome = ben_tools("knowledge_recall", delegation=delegation, query="heron")
        answers.append(outcome.body)
        assert outcome.code == "not_found"
    assert answers[0] == answers[1]
    kept: list[Any] = list(RecallEvidence.objects.values_list("agent_name", "task", "delegation").order_by("pk"))
    assert kept == [
        ("ben", None, run.delegation),
        ("ben", None, NOWHERE),
    ]


def test_tsk_03_bad_arguments_are_noted_too(run: Run) -> None:
    for given in (
        {"query": " "},
        {"query": "x" * 1001},
        {"limit": 0},
        {"delegation": "x"},
        {"delegation": "0" * 5000},
    ):
        row = only_noted(lambda given=given: _refused(run.recall(**given), "invalid_argument"))  # type: ignore[misc]
        assert row.code == "invalid_argument"


def test_tsk_03_a_share_that_ends_closes_its_space_at_once(run: Run, human_api: HumanApi, project: Project) -> None:
    make_project("lender", restricted=True)
    set_grant(HUB, "lender", agent="ada", level=Grant.Level.WRITE)
    lent = published(run.tools, human_api, "Lent", "A heron lent.", project="lender")
    remove_grant(HUB, "lender", agent="ada")
    space = next(row["id"] for row in human_api.get("/spaces", project="lender")["spaces"])
    own = run.now()["delegation"]["spaces"]
    asked = {"title": "x", "text": "x", "agent": "ada", "spaces": [*own, space]}
    human_api.get("/tasks").done()
    with nothing_stored():
        assert human_api.post("/projects/atlas/tasks", **asked).code == "scope_exceeds_actor"
    human_api.post(f"/projects/lender/spaces/{space}/shares", agent="ada").done()
    both = begun(human_api, run.tools, lent, spaces=[*own, space])
    assert {hit["document"] for hit in both.recall("heron")["hits"]} == {run.document, lent}
    human_api.delete(f"/projects/lender/spaces/{space}/shares", agent="ada").done()
    assert both.recall("heron").code == "grant_revoked"  # of one of two: all of it, never what is left
    assert {hit["document"] for hit in both.recall("heron", spaces=own)["hits"]} == {run.document}
    assert both.read(lent).code == "grant_revoked"


def test_tsk_03_a_revocation_is_a_persons_and_of_effect_once(
    run: Run, ben_tools: HttpTools, human_api: HumanApi
) -> None:
    at = f"/tasks/{run.task}/delegations/{run.delegation}"
    human_api.delete(at).done()
    assert human_api.delete(at).code == "conflict"
    assert human_api.delete(f"/tasks/{run.task}/delegations/{NOWHERE}").code == "not_found"
    shown = run.now()
    assert shown["delegation"]["revoked_by"] == "human:kim"
    assert shown["status"] == "running"
    assert shown["timeline"][-1]["action"] == "revoke"
    with pytest.raises(DatabaseError), transaction.atomic():
        Delegation.objects.update(revoked_at=None)
    with pytest.raises(DatabaseError), transaction.atomic():
        Delegation.objects.update(spaces=[NOWHERE])


def test_tsk_05_what_cannot_be_noted_is_not_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise DatabaseError("the disk is full")

    with monkeypatch.context() as patch, nothing_stored():
        patch.setattr("tasks.models.RecallEvidence.objects.create", broken)
        for outcome in (run.recall(), run.read(), run.recall(spaces=[NOWHERE])):
            assert outcome.code == "evidence_unavailable"
            assert outcome.body["retryable"] is True
            assert "heron" not in str(outcome.body)
    assert run.recall()["hits"]


def test_tsk_05_evidence_is_only_ever_added_to(run: Run) -> None:
    run.recall().done()
    rows = RecallEvidence.objects
    for change in (
        lambda: rows.update(outcome="refused"),
        lambda: rows.all().delete(),
        lambda: rows.update(task=None),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()
    assert rows.get().outcome == "answered"


def test_tsk_04_nothing_but_reading_is_reached_by_a_delegation(run: Run) -> None:
    from hubsite.agent_calls import calls  # noqa: PLC0415

    takes = {name: call for name, call in calls().items() if "delegation" in call.arguments.model_fields}
    assert set(takes) == {"knowledge_recall", "knowledge_read"}
    assert all(call.read_only and call.http[0] == "GET" for call in takes.values())


def test_agt_01_both_faces_answer_the_same(run: Run, ada: AgentWithToken) -> None:
    over_mcp = McpTools(ada.token)("knowledge_recall", delegation=run.delegation, query="heron").done()
    over_http = run.recall("heron").done()
    assert {**over_mcp, "evidence": ""} == {**over_http, "evidence": ""}


@pytest.mark.django_db(transaction=True)
def test_tsk_03_none_of_fifty_recalls_that_begins_after_a_revocation_succeeds(run: Run, human: Person) -> None:
    """Each notes when it began, by a look at whether the revocation had committed; each has its evidence row."""

    def recall() -> tuple[bool, str]:
        ended = Delegation.objects.filter(pk=run.delegation, revoked_at__isnull=False).exists()
        outcome = HttpTools(token)("knowledge_recall", delegation=run.delegation, query="heron")
        return ended, "" if not outcome.refused else outcome.code

    def revoke() -> tuple[bool, str]:
        revoke_delegation(human.actor, "atlas", task=run.task, delegation=run.delegation)
        return True, "revoked"

    token = run.tools._headers["Authorization"].removeprefix("Bearer ")  # type: ignore[attr-defined]
    waves = [together([recall] * 5 + ([revoke] if wave == 4 else [])) for wave in range(10)]
    recalls = [answer for wave in waves for answer in wave if answer[1] != "revoked"]
    assert len(recalls) == 50
    assert {code for ended, code in recalls if ended} == {"delegation_revoked"}
    assert {code for _, code in recalls} == {"", "delegation_revoked"}
    assert all(code == "" for wave in waves[:4] for _, code in wave)
    assert all(code == "delegation_revoked" for wave in waves[5:] for _, code in wave)
    kept = RecallEvidence.objects.filter(task=run.task)
    assert kept.count() == 50
    assert kept.filter(outcome="answered").count() == [code for _, code in recalls].count("")
