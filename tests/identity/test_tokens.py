"""IDN-01, IDN-02: the token is the identity; one lives at a time; only its digest is kept."""

import hashlib
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from core.actor import HUB
from core.errors import HubError
from hubsite.agent_calls import calls
from identity.actors import agent_from_token
from identity.models import Agent, Token
from identity.operations import issue_token, revoke_token
from inbox.operations import post_question
from projects.models import Event, Project
from tests.faces import AgentApi
from tests.inprocess import FACES, HttpTools, HumanApi, Tools, nothing_stored
from tests.world import AgentWithToken, make_agent

FORGED = ("actor", "as", "on_behalf_of", "agent_name", "author")


@pytest.fixture(params=FACES)
def tools(request: pytest.FixtureRequest, ada: AgentWithToken, project: Project) -> Tools:
    return FACES[request.param](ada.token)


@pytest.fixture
def arguments(ada: AgentWithToken, project: Project) -> dict[str, dict[str, Any]]:
    """Good arguments of every call that writes."""
    question = post_question(ada.actor, "atlas", subject="which?")["event"]
    session = HttpTools(ada.token)("session_start", project="atlas", name="one")["session"]
    return {
        "signal_append": {"project": "atlas", "summary": "x"},
        "question_post": {"project": "atlas", "subject": "x"},
        "approval_post": {"project": "atlas", "subject": "x"},
        "answer_post": {"question": question, "body": "x"},
        "session_start": {"project": "atlas", "name": "two"},
        "session_end": {"session": session},
        "brain_put": {"path": "/fs/a.md", "content": "x", "store": "session", "session": session},
        "brain_delete": {"path": "/fs/a.md", "store": "project", "project": "atlas"},
    }


@pytest.mark.parametrize("name", FORGED)
def test_idn_01_no_write_takes_an_actor(
    tools: Tools, arguments: dict[str, dict[str, Any]], ben: AgentWithToken, name: str
) -> None:
    for call, given in arguments.items():
        with nothing_stored():
            refusal = tools(call, **given, **{name: "ben"})
        assert (refusal.code, refusal.details["field"]) == ("invalid_argument", name), call
        assert "Unknown argument" in refusal.body["message"]


def test_idn_01_every_registered_write_is_tried(arguments: dict[str, dict[str, Any]]) -> None:
    """The table above stays whole: a new call that writes must come into it, or be known to be elsewhere."""
    writes = {name for name, call in calls().items() if not call.read_only}
    assert set(arguments) <= writes
    for call in writes:
        assert not set(FORGED) & set(calls()[call].arguments.model_fields), call


def test_idn_01_the_actor_of_an_event_is_who_holds_the_token(
    tools: Tools, ada: AgentWithToken, ben: AgentWithToken, human_client: Client
) -> None:
    tools("session_start", project="atlas", name="one").done()
    posted = tools("signal_append", project="atlas", summary="x", payload={"actor": "ben"})["event"]
    assert Event.objects.get(pk=posted).actor == "ada"
    asked = tools("question_post", project="atlas", subject="which?")["event"]
    answered = FACES["http"](ben.token)("answer_post", question=asked, body="that")["event"]
    assert Event.objects.get(pk=answered).actor == "ben"
    asked = tools("question_post", project="atlas", subject="and?")["event"]
    answered = HumanApi(human_client).post(f"/inbox/{asked}/answer", body="this")["event"]
    assert Event.objects.get(pk=answered).actor == "human:kim"


def test_idn_01_the_human_api_takes_no_actor_either(tools: Tools, human_client: Client) -> None:
    tools("session_start", project="atlas", name="one").done()
    asked = tools("question_post", project="atlas", subject="which?")["event"]
    with nothing_stored():
        refusal = HumanApi(human_client).post(f"/inbox/{asked}/answer", body="x", actor="ada")
    assert (refusal.code, refusal.details["field"]) == ("invalid_argument", "actor")


def test_idn_02_a_new_token_revokes_the_old_at_once(ada: AgentWithToken, project: Project) -> None:
    fresh = issue_token(HUB, name="ada").secret
    old = AgentApi(ada.token).get("/whoami")
    assert (old.status, old.json["code"]) == (401, "unauthenticated")
    assert AgentApi(fresh).get("/whoami").json["agent"] == "ada"
    assert Token.objects.filter(agent__name="ada", revoked_at__isnull=True).count() == 1


def test_idn_02_a_revoked_token_is_refused_with_the_fix(ada: AgentWithToken) -> None:
    assert revoke_token(HUB, name="ada") is True
    assert revoke_token(HUB, name="ada") is False
    with nothing_stored():
        answer = AgentApi(ada.token).post("/projects/atlas/signals", summary="x")
    assert answer.status == 401
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    assert "Authorization: Bearer hub_" in answer.json["message"]


@pytest.mark.parametrize("token", [None, "", "hub_", "hub_" + "0" * 64, "nonsense", "hub_é", "hub_x y"])
def test_idn_02_a_bad_token_is_refused_with_the_fix(db: None, token: str | None) -> None:
    for path in ("/whoami", "/projects/atlas/events", "/inbox"):
        with nothing_stored():
            answer = AgentApi(token).get(path)
        assert (answer.status, answer.json["code"]) == (401, "unauthenticated")
        assert "Bearer hub_" in answer.json["message"]


def test_idn_02_who_has_no_token_learns_nothing_of_the_arguments(db: None, project: Project) -> None:
    answers = [AgentApi("hub_" + "0" * 64).post(f"/projects/{slug}/signals", nonsense=1) for slug in ("atlas", "nope")]
    assert answers[0].json == answers[1].json


def test_idn_02_the_database_keeps_one_live_token_per_agent(ada: AgentWithToken) -> None:
    agent = Agent.objects.get(name="ada")
    with pytest.raises(IntegrityError), transaction.atomic():
        Token.objects.create(agent=agent, digest="0" * 64)


def test_idn_02_only_the_digest_is_stored(ada: AgentWithToken, project: Project) -> None:
    HttpTools(ada.token)("whoami").done()
    assert Token.objects.get(agent__name="ada").digest == hashlib.sha256(ada.token.encode()).hexdigest()
    secret = ada.token.removeprefix("hub_")
    for model in apps.get_models():
        assert secret not in repr(list(model._base_manager.values()))


def test_idn_02_a_token_has_256_random_bits(ada: AgentWithToken, ben: AgentWithToken) -> None:
    secrets = {token.removeprefix("hub_") for token in (ada.token, ben.token)}
    assert len(secrets) == 2
    assert all(len(bytes.fromhex(secret)) == 32 for secret in secrets)


def test_idn_02_last_seen_is_written_once_a_minute(ada: AgentWithToken) -> None:
    def writes() -> int:
        with CaptureQueriesContext(connection) as captured:
            HttpTools(ada.token)("whoami").done()
        return sum('UPDATE "identity_agent"' in query["sql"] for query in captured.captured_queries)

    Token.objects.update(created_at=timezone.now() - timedelta(hours=1))
    seen = Agent.objects.filter(name="ada")
    seen.update(last_seen_at=timezone.now() - timedelta(seconds=61))
    assert [writes() for _ in range(5)] == [1, 0, 0, 0, 0]
    assert timezone.now() - seen.get().last_seen_at < timedelta(seconds=30)  # type: ignore[operator]
    seen.update(last_seen_at=timezone.now() - timedelta(seconds=50))
    assert writes() == 0


def test_idn_02_the_token_itself_is_the_scheme_of_one_header(ada: AgentWithToken) -> None:
    assert agent_from_token(f"bearer  {ada.token} ").name == "ada"
    for header in (ada.token, f"Basic {ada.token}", f"Bearer {ada.token}x", f"Bearer {ada.token.upper()}"):
        with pytest.raises(HubError, match="token"):
            agent_from_token(header)


def test_idn_01_a_token_never_signs_in_to_the_human_api_nor_a_session_to_the_agents(
    ada: AgentWithToken, human_client: Client
) -> None:
    response = Client().get("/human/api/v1/projects", headers={"Authorization": f"Bearer {ada.token}"})
    assert (response.status_code, response.json()["code"]) in {(401, "unauthenticated"), (403, "forbidden")}
    response = human_client.get("/api/v1/whoami")
    assert (response.status_code, response.json()["code"]) == (401, "unauthenticated")


def test_idn_01_names_of_agents_are_theirs_alone(db: None) -> None:
    make_agent("ada")
    for name in ("ada", "hub", "human", "admin", "human:kim", "~ada", "Ada", ""):
        with nothing_stored(), pytest.raises(HubError):
            make_agent(name)
