"""SES-06, AGT-01: one call orients: parts capped with ``more``, few queries however much there is, a short reply."""

import json
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from core.actor import HUB
from knowledge.operations import import_pages
from projects.models import Project
from sessions_app.models import Session
from tests.brains import begin
from tests.inprocess import FACES, HttpTools, HumanApi, Json, Outcome
from tests.world import AgentWithToken, make_agent

PARTS = ("answers", "open_questions", "events", "changed_pages")
MOST_BYTES = 20_000


def fill(tools: HttpTools, human_api: HumanApi, rows: int, text: str) -> None:
    """Leave that many rows for each part of a brief, each as long as it may be."""
    pages = {}
    for number in range(rows):
        numbered = f"{number} {text}"
        question = tools("question_post", project="atlas", subject=numbered[:1024], body=text)["event"]
        human_api.post(f"/inbox/{question}/answer", body=numbered).done()
        tools("question_post", project="atlas", subject=numbered[:1024], options=[text[:200]]).done()
        name = f"/fs/{number}/{text}".encode()[:255].decode(errors="ignore").strip()
        pages[f"{name}/{name[4:]}"] = b"x"
    import_pages(HUB, "atlas", contents=pages)


def brief(tools: HttpTools) -> tuple[Json, int]:
    """Answer a brief and how many queries it took."""
    with CaptureQueriesContext(connection) as captured:
        answer = tools("session_brief", project="atlas").done()
    return answer, len(captured)


@pytest.mark.parametrize("text", ["long words " * 400, "\U0001f680" * 3000], ids=["one byte", "four bytes"])
def test_agt_01_fifty_long_rows_of_everything_fit_a_reply(
    project: Project, ada_tools: HttpTools, human_api: HumanApi, text: str
) -> None:
    for name in ("before", "last"):
        session = begin(ada_tools, name)
        ada_tools("session_end", session=session, handoff=text[:4096]).done()
    Session.objects.update(last_activity=timezone.now() - timedelta(hours=1))
    begin(ada_tools, "now")
    fill(ada_tools, human_api, 1, text)
    _, few = brief(ada_tools)
    fill(ada_tools, human_api, 49, text)
    answer, many = brief(ada_tools)
    assert many <= few
    assert len(json.dumps(answer, ensure_ascii=False).encode()) < MOST_BYTES
    for part in PARTS:
        rows = answer[part]["rows"]
        assert 1 <= len(rows) <= 5, part
        assert answer[part]["more"] is True, part
    assert answer["handoff"]["more"] is True
    assert text.startswith(answer["handoff"]["note"].removesuffix("\u2026"))


def test_agt_01_the_parts_of_a_brief(
    project: Project, ada_tools: HttpTools, ben_tools: HttpTools, human_api: HumanApi
) -> None:
    first = begin(ada_tools, "first")
    old = ada_tools("question_post", project="atlas", subject="old")["event"]
    human_api.post(f"/inbox/{old}/answer", body="then").done()
    ada_tools("session_end", session=first).done()
    bens = begin(ben_tools, "bens")
    ben_tools("brain_put", project="atlas", store="project", path="/fs/plan.md", content="x").done()
    his = ben_tools("question_post", project="atlas", subject="his")["event"]
    ben_tools("session_end", session=bens, handoff="take over").done()
    second = begin(ada_tools, "second")
    hers = ada_tools("question_post", project="atlas", subject="hers")["event"]
    human_api.post(f"/inbox/{hers}/answer", body="now").done()
    answer = ada_tools("session_brief", project="atlas").done()
    assert (answer["project"], answer["project_name"]) == ("atlas", "Atlas")
    assert (answer["session"]["id"], answer["session"]["name"]) == (second, "second")
    assert answer["previous_session"]["id"] == first
    assert (answer["handoff"]["id"], answer["handoff"]["note"], answer["handoff"]["more"]) == (bens, "take over", False)
    assert [(row["id"], row["answer"]["payload"]["body"]) for row in answer["answers"]["rows"]] == [(hers, "now")]
    assert [row["id"] for row in answer["open_questions"]["rows"]] == [his]
    assert [(row["path"], row["actor"]) for row in answer["changed_pages"]["rows"]] == [("/fs/plan.md", "ben")]
    assert answer["events"]["rows"][0]["kind"] == "answer"
    assert not any(answer[part]["more"] for part in PARTS)


@pytest.mark.parametrize("face", FACES)
def test_agt_01_a_project_with_nothing_in_it(project: Project, ada: AgentWithToken, face: str) -> None:
    answer = FACES[face](ada.token)("session_brief", project="atlas").done()
    assert [answer[part] for part in PARTS] == [{"rows": [], "more": False}] * 4
    assert [answer[name] for name in ("session", "since", "previous_session", "handoff")] == [None] * 4


def test_idn_06_a_brief_tells_no_system_event_and_nothing_of_other_projects(
    project: Project, ada: AgentWithToken, ada_tools: HttpTools
) -> None:
    make_agent("grantee", trusted=False, atlas="read")
    begin(ada_tools, "own", "~ada")
    ada_tools("question_post", project="~ada", subject="private").done()
    ada_tools("brain_put", project="~ada", store="project", path="/fs/private.md", content="x").done()
    outcome: Outcome = ada_tools("session_brief", project="atlas")
    assert "private" not in json.dumps(outcome.done())
    assert [outcome[part]["rows"] for part in PARTS] == [[]] * 4
    stranger = HttpTools(make_agent("nobody", trusted=False).token)
    assert stranger("session_brief", project="atlas").code == "not_found"
