"""Ending, giving away and pruning sessions in the browser (SES-03, SES-08)."""

import time

from playwright.sync_api import Route

from tests.browser.conftest import Desk, Opener


def started(desk: Desk, name: str) -> str:
    """Let Dora start a session with something in its brain; answers its id."""
    session = str(desk.dora.post(f"/projects/{desk.project}/sessions", name=name).json["session"])
    body = {"store": "session", "session": session, "path": "/fs/notes.md", "content": "# Notes"}
    assert desk.dora.put("/brain/entry", **body).status == 200
    return session


def ended(desk: Desk, name: str) -> str:
    """Let Dora start and end a session; answers its id."""
    session = started(desk, name)
    assert desk.dora.post(f"/sessions/{session}/end", handoff="done").status == 200
    return session


def write_status(desk: Desk, session: str) -> int:
    """Let Dora write into the brain; answers the status."""
    body = {"store": "session", "session": session, "path": "/fs/more.md", "content": "more"}
    return desk.dora.put("/brain/entry", **body).status


def test_ses_03_a_person_ends_a_session_and_its_owner_writes_no_more(desk: Desk, window: Opener) -> None:
    session = started(desk, "endings")
    page = window().open(f"/session/{session}/")
    page.get_by_text("End it").click()
    page.get_by_label("Handoff").fill("Stopped for the *night*.")
    page.get_by_role("button", name="End session").click()
    page.get_by_text("endings has ended.").wait_for()
    page.locator("em", has_text="night").wait_for()
    assert write_status(desk, session) == 409


def test_ses_03_a_person_gives_a_session_to_another_agent(desk: Desk, window: Opener) -> None:
    session = started(desk, "given")
    page = window().open(f"/session/{session}/")
    page.get_by_text("Give it to another agent").click()
    page.get_by_label("New owner").select_option("eli")
    page.get_by_role("button", name="Reassign").click()
    page.get_by_text("given belongs to eli now.").wait_for()
    assert write_status(desk, session) == 403


def test_ses_08_a_prune_is_unreadable_at_once_and_comes_back_whole(desk: Desk, window: Opener) -> None:
    session = ended(desk, "pruned")
    page = window().open(f"/session/{session}/")
    page.get_by_role("button", name="Prune").click()
    bar = page.get_by_role("status").filter(has_text="pruned of dora is pruned.")
    bar.wait_for()
    where = {"store": "session", "session": session, "path": "/fs/notes.md"}
    assert desk.dora.get("/brain/entry", **where).status == 404
    bar.get_by_role("button", name="Undo").click()
    page.get_by_text("It is back, with everything it had.").wait_for()
    assert desk.dora.get("/brain/entry", **where).json["content"] == "# Notes"


def test_hub_09_news_of_what_a_person_did_never_calls_off_where_they_are_going(desk: Desk, window: Opener) -> None:
    session = ended(desk, "slow")
    page = window().open(f"/session/{session}/")
    page.locator("body[data-connected]").wait_for()

    def answer_late(route: Route) -> None:
        response = route.fetch(max_redirects=0)
        time.sleep(1.5)
        route.fulfill(response=response)

    page.route("**/prune/", answer_late)
    page.get_by_role("button", name="Prune").click()
    page.get_by_role("status").filter(has_text="slow of dora is pruned.").wait_for()


def test_ses_05_a_fork_says_where_it_comes_from_also_when_that_is_gone(desk: Desk, window: Opener) -> None:
    source = started(desk, "source")
    fork = desk.eli.post(f"/projects/{desk.project}/sessions", name="branch", **{"from": {"session": source}}).json[
        "session"
    ]
    shown = window()
    page = shown.open(f"/session/{fork}/")
    page.get_by_role("link", name="source").wait_for()
    assert desk.dora.post(f"/sessions/{source}/end").status == 200
    page.goto(f"/session/{source}/")
    page.get_by_role("button", name="Prune").click()
    page.goto(f"/session/{fork}/")
    page.get_by_text("a session that is gone").wait_for()


def test_ses_09_the_storage_page_counts_what_a_prune_would_free(desk: Desk, window: Opener) -> None:
    ended(desk, "heavy")
    page = window().open("/storage/")
    page.get_by_role("button", name="Prune every ended session").click()
    bar = page.get_by_role("status").filter(has_text="heavy of dora")
    bar.wait_for()
    bar.get_by_role("button", name="Undo").click()
    page.get_by_text("It is back, with everything it had.").wait_for()
