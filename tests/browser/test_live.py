"""What agents do arrives in open browsers within a second of the commit, and after an absence too (HUB-07, HUB-09)."""

import re
from typing import TYPE_CHECKING

import httpx

from tests.browser.conftest import Desk, Opener

if TYPE_CHECKING:
    from playwright.sync_api import WebSocketRoute

SECOND_MS = 1000


def test_hub_09_a_signal_arrives_in_the_open_feed(desk: Desk, window: Opener) -> None:
    page = window().open(f"/project/{desk.project}/")
    desk.signal("The third drawer was empty")
    page.locator(".row", has_text="The third drawer was empty").wait_for(timeout=SECOND_MS)


def test_hub_09_a_question_arrives_at_home_and_in_the_navigation(desk: Desk, window: Opener) -> None:
    page = window().open("/")
    phone = window(width=360).open("/")
    count = page.locator("#nav .count")
    before = int(count.inner_text().split()[0])
    desk.ask("Does this arrive at home?")
    page.locator("a.ask", has_text="Does this arrive at home?").wait_for(timeout=SECOND_MS)
    page.wait_for_function(
        "before => parseInt(document.querySelector('#nav .count').innerText) === before + 1", arg=before
    )
    phone.wait_for_function(
        "before => parseInt(document.querySelector('#top-count').innerText) === before + 1", arg=before
    )


def test_hub_09_an_answer_of_another_browser_arrives(desk: Desk, window: Opener) -> None:
    question = desk.ask("Seen twice?", options=["Yes"])
    first, second = window().open(f"/inbox/{question}/"), window().open(f"/inbox/{question}/")
    first.get_by_role("button", name="Yes").click()
    second.get_by_text("Answered by admin").wait_for(timeout=2 * SECOND_MS)


def test_hub_09_a_browser_that_was_away_catches_up(desk: Desk, window: Opener) -> None:
    shown = window()
    sockets: list[WebSocketRoute] = []

    def carry(socket: "WebSocketRoute") -> None:
        if away[0]:
            socket.close(code=1012)
        else:
            socket.connect_to_server()
            sockets.append(socket)

    away = [False]
    shown.page.route_web_socket(re.compile("/live/"), carry)
    page = shown.open(f"/project/{desk.project}/")
    away[0] = True
    sockets[-1].close(code=1012)
    page.wait_for_selector("#connection:not([hidden])", timeout=10 * SECOND_MS)
    assert "may be old" in page.locator("#connection").inner_text()
    desk.signal("Said while nobody was connected")
    away[0] = False
    page.locator(".row", has_text="Said while nobody was connected").wait_for(timeout=20 * SECOND_MS)
    assert page.locator(".row", has_text="Said while nobody was connected").count() == 1
    page.wait_for_selector("#connection", state="hidden")


def test_hub_07_new_since_you_last_looked_and_the_dot(desk: Desk, window: Opener) -> None:
    page = window().open(f"/project/{desk.project}/")
    page.goto("/connect/")
    desk.signal("Not looked at yet")
    link = page.locator("#nav a", has_text="The desk")
    link.locator(".dot").wait_for()
    link.click()
    page.wait_for_url(f"**/project/{desk.project}/")
    divider = page.locator(".divider")
    assert divider.is_visible()
    rows = page.locator("#feed .rows > li").all_inner_texts()
    place = next(number for number, text in enumerate(rows) if "since you last looked" in text)
    assert any("Not looked at yet" in text for text in rows[:place])
    desk.signal("Arrives while it is open")
    page.locator(".row", has_text="Arrives while it is open").wait_for(timeout=SECOND_MS)
    assert divider.is_visible()
    page.wait_for_selector("#nav a:has-text('The desk') .dot", state="detached")


def test_hub_04_older_pages_and_filters(desk: Desk, window: Opener) -> None:
    for number in range(55):
        desk.signal(f"Paper {number:02}")
    page = window().open(f"/project/{desk.project}/?kind=signal")
    assert page.locator("#feed .row").count() == 50
    page.get_by_role("link", name="Older").click()
    page.wait_for_url("**before=*")
    while "Sorted the first drawer" not in page.locator("#feed").inner_text():  # others have signalled since
        newer = page.url
        page.get_by_role("link", name="Older").click()
        page.wait_for_function("newer => location.href !== newer", arg=newer)
    assert "kind=signal" in page.url
    page.get_by_role("link", name="sorting", exact=False).first.click()
    page.wait_for_url("**session=*")


def test_idn_06_system_events_only_under_their_own_filter(desk: Desk, window: Opener) -> None:
    page = window().open(f"/project/{desk.project}/")
    assert page.locator("#feed .tag[data-kind=system]").count() == 0
    page.locator(".chip", has_text="system").click()
    page.get_by_text("created project desk").wait_for()


def test_ops_01_connecting_shows_the_token_once_and_the_first_call(desk: Desk, window: Opener) -> None:
    shown = window()
    page = shown.open("/connect/")
    page.get_by_label("Name of the agent").fill("fern")
    page.get_by_role("button", name="Create agent and token").click()
    token = page.locator("#token").inner_text()
    assert f"Bearer {token}" in page.locator("#client-1").inner_text()
    assert desk.hub.url in page.locator("#client-1").inner_text()
    page.wait_for_selector("body[data-connected]", state="attached")
    assert page.get_by_text("Waiting for the first call of fern").is_visible()
    with desk.hub.api(token) as fern:
        assert fern.get("/whoami").json["agent"] == "fern"
        page.get_by_text("fern is connected.").wait_for(timeout=2 * SECOND_MS)
        page.goto("/connect/?agent=fern")
        assert token not in page.content()
        page.goto("/connect/")
        page.get_by_label("Name of the agent").fill("fern")
        page.get_by_role("button", name="Create agent and token").click()
        page.get_by_role("alert").filter(has_text="taken").wait_for()
        assert fern.get("/whoami").status == httpx.codes.OK  # a taken name ends no token
    shown.said = [line for line in shown.said if "409" not in line]
