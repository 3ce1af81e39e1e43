"""Tasks in a real browser: created, watched, revoked and rebuilt, on a phone too (TSK-01..06, HUM-01, HUM-02)."""

from typing import Any

import httpx
import pytest

from tests.browser.conftest import Desk, Opener
from tests.browser.test_pages import SMALL

type Json = dict[str, Any]
SECOND_MS = 1000
# A contribution nobody may try again: the hub's own job finds it, and buries it.
EXHAUSTED = """
import time
from django.utils import timezone
from core.ids import fresh
from tasks.models import Task
from tasks.outbox_models import OutboxRow
task, now = Task.objects.get(title="Look at every page"), timezone.now()
row = OutboxRow.objects.create(
    id=str(fresh()), key="0" * 64, task=task.pk, generation=1, subject=task.subject_id, project=task.project_id,
    items=[{"kind": "fact", "text": "x"}], number=1, attempts=10, due_at=now, created_at=now,
)
until = time.monotonic() + 30
while row.state != "dead" and time.monotonic() < until:
    time.sleep(0.1)
    row.refresh_from_db()
"""


@pytest.fixture(scope="module")
def document(desk: Desk) -> str:
    """A published document of the desk's that speaks of drawers."""
    source = {"kind": "url", "url": "https://example.org/drawers", "title": "Drawers"}
    asked = {"project": desk.project, "title": "Drawers", "body": "A drawer is pulled by its handle."}
    document = str(desk.dora.post("/documents", **asked, sources=[source]).json["document"])
    desk.person(f"/documents/{document}/publish", expected_revision=1)
    return document


def recalled(desk: Desk, task: Json, query: str = "which handle") -> Any:
    """Let Fay recall under a task's delegation."""
    return desk.fay.get(f"/delegations/{task['delegation']}/recall", query=query)


def test_hum_01_a_task_is_created_on_a_phone(desk: Desk, window: Opener) -> None:
    shown = window(width=360)
    page = shown.open(f"/project/{desk.project}/tasks/")
    page.get_by_text("New task").click()
    page.get_by_label("Title").fill("Empty the attic")
    page.get_by_label("What is to be done").fill("All of it.")
    page.get_by_label("Agent", exact=True).select_option("fay")
    page.get_by_label("Research").check()
    assert shown.audit() == []
    page.get_by_role("button", name="Create and prepare").click()
    page.get_by_role("heading", name="Empty the attic").wait_for()
    assert page.locator("#task .section-head .tag").inner_text() == "ready"
    assert page.locator("section", has_text="Steps").get_by_text("research", exact=True).is_visible()
    page.get_by_text("What the agent knows of you").click()
    page.get_by_text("It does not replace task instructions").wait_for()
    assert page.get_by_text("holds", exact=True).is_visible()
    assert shown.audit() == []
    assert page.evaluate(SMALL) == []


def test_hum_09_what_is_recalled_arrives_and_a_revocation_ends_it(desk: Desk, window: Opener, document: str) -> None:
    task = desk.task("Pull the handles")
    shown = window()
    page = shown.open(f"/task/{task['task']}/")
    desk.run(task)
    page.locator("#task .section-head .tag", has_text="running").wait_for(timeout=2 * SECOND_MS)
    assert recalled(desk, task).json["hits"][0]["document"] == document
    page.reload()
    page.locator("summary", has_text="which handle").click()
    page.get_by_role("link", name="Drawers").wait_for()
    page.get_by_role("button", name="Revoke").click()
    page.get_by_text("The delegation has ended.").wait_for()
    refused = recalled(desk, task)
    assert (refused.status, refused.json["code"]) == (httpx.codes.FORBIDDEN, "delegation_revoked")
    page.reload()
    page.locator("summary", has_text="delegation_revoked").wait_for()
    assert page.get_by_role("button", name="Revoke").count() == 0
    assert shown.audit() == []


def test_tsk_01_a_task_is_rebuilt_and_what_was_not_remembered_is_told(desk: Desk, window: Opener) -> None:
    task = desk.task("Label the drawers")
    desk.run(task)
    page = window().open(f"/task/{task['task']}/")
    page.get_by_text("Rebuild it").click()
    page.get_by_role("button", name="Rebuild").click()
    page.get_by_text("generation 2, revision").wait_for()
    assert recalled(desk, task).json["code"] == "delegation_revoked"
    page.get_by_role("button", name="Start").click()
    page.get_by_text("It runs.").wait_for()
    revision = desk.fay.get("/task", task=task["task"]).json["revision"]
    evidence = [{"kind": "fact", "text": "password = 'hunter2hunter2'"}]
    asked = {"expected_revision": revision, "memory_evidence": evidence}
    ended = desk.fay.post(f"/tasks/{task['task']}/complete", **asked).json
    assert ended["memory_evidence"]["taken"] == 0
    page.get_by_role("heading", name="Not remembered").wait_for(timeout=2 * SECOND_MS)
    assert "hunter2" not in page.content()
    assert page.get_by_role("heading", name="What may be done").count() == 0


@pytest.fixture(scope="module")
def addresses(desk: Desk, document: str) -> list[str]:
    """The pages of a task that was recalled under, of its project, and of the outbox with a dead letter."""
    task = desk.task("Look at every page", nodes=[{"kind": "plan"}, {"kind": "verify"}])
    desk.run(task)
    recalled(desk, task)
    desk.fay.get(f"/delegations/{task['delegation']}/recall", query="handle", limit=1000)
    desk.hub.manage("shell", "--no-imports", "-c", EXHAUSTED)
    return [f"/project/{desk.project}/tasks/", f"/task/{task['task']}/", "/outbox/"]


@pytest.mark.parametrize(("scheme", "width"), [("light", 360), ("dark", 1280)])
def test_hum_02_every_page_of_tasks_is_accessible_and_fits(
    addresses: list[str], window: Opener, scheme: str, width: int
) -> None:
    shown, problems = window(width=width, scheme=scheme), []
    for address in addresses:
        shown.open(address)
        shown.page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true })")
        problems += shown.audit()
        if width < 400:
            problems += [f"{address}: smaller than a finger: {small}" for small in shown.page.evaluate(SMALL)]
    assert "\n".join(problems) == ""


def test_mem_08_a_dead_letter_is_discarded_for_a_reason(addresses: list[str], desk: Desk, window: Opener) -> None:
    page = window(width=360).open("/inbox/")
    page.get_by_text("A contribution to memory was not delivered").first.wait_for()
    page = window(width=360).open("/outbox/")
    letter = page.locator("article", has_text="Look at every page")
    letter.get_by_text("Whoever delivered it never came back.").wait_for()
    letter.get_by_role("button", name="Discard").click()  # the browser itself asks for the reason
    assert letter.is_visible()
    letter.get_by_label("Why it is discarded").fill("Nobody needs it.")
    letter.get_by_role("button", name="Discard").click()
    page.get_by_text("Nobody needs it.").wait_for()
    assert letter.count() == 0
