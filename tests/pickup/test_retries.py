"""AGT-02: a retry of a start, a pick-up or an end answers the first result, whatever that has changed since."""

import pytest

from identity.models import IdempotencyKey
from projects.models import Project
from sessions_app.models import Session
from tests.brains import begin
from tests.inprocess import FACES, HttpTools, HumanApi, nothing_stored
from tests.racing import together
from tests.world import AgentWithToken

# In a transaction of its own each call meets the stores as in earnest.
pytestmark = pytest.mark.django_db(transaction=True)


def started_again(tools: HttpTools, **arguments: object) -> dict[str, object]:
    """Make a call twice with a key: the retry changes nothing. Answers what both answered."""
    first = tools("session_start", project="atlas", idempotency_key="k", **arguments).done()
    with nothing_stored():
        assert tools("session_start", project="atlas", idempotency_key="k", **arguments).done() == first
    return first


def test_agt_02_start(project: Project, ada_tools: HttpTools) -> None:
    first = started_again(ada_tools, name="main")
    assert first["resumed"] is False
    ada_tools("session_end", session=first["session"]).done()
    with nothing_stored():  # not resumed by a retry that comes late
        assert ada_tools("session_start", project="atlas", name="main", idempotency_key="k").done() == first
        assert ada_tools("session_start", project="atlas", name="other", idempotency_key="k").code == "conflict"


@pytest.mark.parametrize("source", [{"agent": "ada"}, {"agent": "ada", "name": "main"}, None])
def test_agt_02_adopt(
    project: Project, ada_tools: HttpTools, ben_tools: HttpTools, source: dict[str, str] | None
) -> None:
    session = begin(ada_tools, "main", notes="x")
    ada_tools("session_end", session=session).done()
    source = source or {"session": session}
    first = started_again(ben_tools, name="mine", **{"from": source})
    assert first["session"] == session
    with nothing_stored():
        changed = {"project": "atlas", "name": "mine", "idempotency_key": "k"}
        assert ben_tools("session_start", **changed, **{"from": {"agent": "ada", "name": "x"}}).code == "conflict"
        assert ben_tools("session_start", **changed).code == "conflict"


def test_agt_02_fork(project: Project, ada_tools: HttpTools, ben_tools: HttpTools) -> None:
    session = begin(ada_tools, "main", notes="x")
    first = started_again(ben_tools, name="mine", **{"from": {"session": session}})
    ada_tools("session_end", session=session).done()
    with nothing_stored():  # now it would be an adoption
        again = {"project": "atlas", "name": "mine", "idempotency_key": "k", "from": {"session": session}}
        assert ben_tools("session_start", **again).done() == first


@pytest.mark.parametrize("named", [True, False])
def test_agt_02_end(project: Project, ada: AgentWithToken, *, named: bool) -> None:
    tools = HttpTools(ada.token) if named else FACES["mcp"](ada.token)
    session = begin(HttpTools(ada.token), "main", notes="x")
    given = {"handoff": "note", "idempotency_key": "e"} | ({"session": session} if named else {})
    first = tools("session_end", **given).done()
    assert first == {"session": session, "status": "ended", "handoff": "note"}
    with nothing_stored():
        assert tools("session_end", **given).done() == first
        assert tools("session_end", **given | {"handoff": "another"}).code == "conflict"
    begin(HttpTools(ada.token), "main")
    with nothing_stored():  # a retry that comes late does not end what was resumed
        assert tools("session_end", **given).done() == first
    assert Session.objects.get(pk=session).status == "live"


def test_agt_02_a_refused_call_keeps_its_key_free(
    project: Project, ada_tools: HttpTools, ben_tools: HttpTools, human_api: HumanApi
) -> None:
    session = begin(ada_tools, "main")
    other = begin(ben_tools, "taken")
    ada_tools("session_end", session=session).done()
    assert ada_tools("session_end", session=session, idempotency_key="e").code == "conflict"
    assert human_api.post(f"/sessions/{session}/end", idempotency_key="h").code == "conflict"
    given = {"project": "atlas", "idempotency_key": "s", "from": {"session": session}}
    assert ben_tools("session_start", name="taken", **given).code == "conflict"
    assert not IdempotencyKey.objects.exists()
    ben_tools("session_end", session=other, idempotency_key="e").done()
    assert ben_tools("session_start", name="mine", **given).done()["session"] == session


def test_agt_02_a_key_is_its_actors_own(project: Project, ada: AgentWithToken, ben: AgentWithToken) -> None:
    for agent in (ada, ben):
        session = begin(HttpTools(agent.token), "main")
        assert FACES["mcp"](agent.token)("session_end", idempotency_key="k").done()["session"] == session


@pytest.mark.parametrize("ending", [True, False])
def test_agt_02_the_same_call_at_once_is_done_once(
    project: Project, ada: AgentWithToken, ben: AgentWithToken, *, ending: bool
) -> None:
    session = begin(HttpTools(ada.token), "main", notes="x")

    def call() -> object:
        if ending:
            return HttpTools(ada.token)("session_end", session=session, idempotency_key="k").done()
        given = {"project": "atlas", "name": "mine", "from": {"session": session}, "idempotency_key": "k"}
        return HttpTools(ben.token)("session_start", **given).done()

    answers = together([call] * 4)
    assert answers == [answers[0]] * 4
    assert Session.objects.count() == (1 if ending else 2)
