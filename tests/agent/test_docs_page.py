"""The page of the HTTP API in a browser, under the hub's content policy (AGT-01, HUM-02)."""

from playwright.sync_api import Page, expect

from hubsite import agent_calls
from hubsite.uploads import UPLOADS


def test_hum_02_the_docs_page_works_under_the_content_policy(page: Page) -> None:
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto("/api/v1/docs")
    expect(page.locator(".opblock")).to_have_count(len(agent_calls.calls()) + len(UPLOADS))
    page.get_by_text("Read a feed").click()
    expect(page.get_by_text("Event id: what came after it")).to_be_visible()
    assert complaints == []
