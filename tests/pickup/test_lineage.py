"""SES-05: lineage stays on the row when the source is pruned, and says that it is gone."""

from datetime import timedelta

import pytest
from django.utils import timezone

from projects.models import Project
from sessions_app.jobs import close_due_prunes
from sessions_app.models import Session
from tests.brains import begin
from tests.inprocess import FACES, HttpTools, HumanApi
from tests.world import AgentWithToken

type Lineage = dict[str, object] | None


@pytest.fixture
def forked(project: Project, ada_tools: HttpTools, ben_tools: HttpTools) -> tuple[str, str]:
    """Answer a source and its fork."""
    source = begin(ada_tools, "main", notes="x")
    fork: str = ben_tools("session_start", project="atlas", name="b", **{"from": {"session": source}})["session"]
    ada_tools("session_end", session=source).done()
    return source, fork


def lineages(fork: str, ada: AgentWithToken, human_api: HumanApi) -> list[Lineage]:
    """Answer the fork's lineage as each face shows it."""
    listed = [face(ada.token)("session_list", agent="ben")["sessions"] for face in FACES.values()]
    rows = [*listed[0], *listed[1], *human_api.get("/sessions", agent="ben")["sessions"]]
    assert {row["id"] for row in rows} == {fork}
    return [row["lineage"] for row in [*rows, human_api.get(f"/sessions/{fork}").done()]]


def test_ses_05_lineage_renders_as_gone_from_the_mark_on_and_stays(
    forked: tuple[str, str], ada: AgentWithToken, human_api: HumanApi
) -> None:
    source, fork = forked
    lineage = {"mode": "fork", "session": source, "agent": "ada"}
    assert lineages(fork, ada, human_api) == [lineage | {"source_pruned": False}] * 4
    human_api.post(f"/sessions/{source}/prune").done()
    assert lineages(fork, ada, human_api) == [lineage | {"source_pruned": True}] * 4
    human_api.delete(f"/sessions/{source}/prune").done()
    assert lineages(fork, ada, human_api) == [lineage | {"source_pruned": False}] * 4
    human_api.post(f"/sessions/{source}/prune").done()
    Session.objects.filter(pk=source).update(deleted_at=timezone.now() - timedelta(hours=1))
    assert close_due_prunes() == 1
    assert lineages(fork, ada, human_api) == [lineage | {"source_pruned": True}] * 4


def test_ses_05_lineage_survives_the_forks_own_changes_of_hands(
    forked: tuple[str, str], ada: AgentWithToken, ada_tools: HttpTools, ben_tools: HttpTools, human_api: HumanApi
) -> None:
    source, fork = forked
    ben_tools("session_end", session=fork).done()
    ada_tools("session_start", project="atlas", name="mine", **{"from": {"session": fork}}).done()
    human_api.put(f"/sessions/{fork}/owner", agent="ben").done()
    lineage = {"mode": "fork", "session": source, "agent": "ada", "source_pruned": False}
    assert lineages(fork, ada, human_api) == [lineage] * 4
    assert human_api.get(f"/sessions/{fork}")["adopted_from"] == "ada"
