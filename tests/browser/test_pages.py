"""Every page: axe clean, no wider than a phone, quiet in the console, in light and dark (HUM-01, HUM-02)."""

import pytest

from tests.browser.conftest import Desk, Opener

SMALL = """() => [...document.querySelectorAll('.btn, .chip, .tabs a, .top a, .top button, a.entry, summary, .tree a')]
    .filter((e) => e.checkVisibility() && e.getBoundingClientRect().height < 43.5)
    .map((e) => e.outerHTML.slice(0, 120))"""


def addresses(desk: Desk) -> list[str]:
    """Answer every kind of page there is."""
    items = desk.dora.get("/inbox", limit=500).json["items"]  # newest first: of each kind the oldest stays
    asked = {item["kind"]: item["id"] for item in items}
    return [
        "/",
        "/search/?q=drawer",
        "/inbox/",
        f"/inbox/{asked['question']}/",
        f"/inbox/{asked['approval']}/",
        f"/inbox/{asked['finished']}/",
        f"/project/{desk.project}/",
        f"/project/{desk.project}/?kind=system",
        f"/project/{desk.project}/sessions/",
        f"/session/{desk.session}/",
        f"/session/{desk.session}/brain/fs/plan.md",
        f"/project/{desk.project}/knowledge/",
        f"/project/{desk.project}/knowledge/drawers/first.md",
        f"/project/{desk.project}/edit/drawers/first.md",
        f"/project/{desk.project}/pages/new/",
        f"/project/{desk.project}/history/",
        f"/project/{desk.project}/history/drawers/first.md",
        f"/projects/project/{desk.project}/delete/",
        "/storage/",
        "/connect/",
        "/connect/?agent=dora",
        "/manage/",
        "/identity/agent/",
        "/identity/agent/add/",
        "/projects/project/",
        f"/projects/project/{desk.project}/change/",
        "/identity/grant/",
        "/identity/grant/add/",
        "/auth/user/",
        "/auth/user/1/change/",
        "/auth/group/add/",
        "/password_change/",
    ]


def test_hum_02_every_page_is_accessible_and_fits_a_phone(desk: Desk, window: Opener) -> None:
    shown = window(width=360)
    problems: list[str] = []
    for address in addresses(desk):
        shown.page.goto(address)
        problems += shown.audit()
        problems += [f"{address}: smaller than a finger: {small}" for small in shown.page.evaluate(SMALL)]
    assert "\n".join(problems) == ""


def test_hum_02_every_page_is_legible_in_the_dark(desk: Desk, window: Opener) -> None:
    shown = window(scheme="dark")
    problems: list[str] = []
    for address in addresses(desk):
        shown.page.goto(address)
        problems += shown.audit("color-contrast", "heading-order", "region", "target-size")
    assert "\n".join(problems) == ""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_hum_01_the_login_is_the_same_product(desk: Desk, window: Opener, scheme: str) -> None:
    shown = window(scheme=scheme, width=360, signed_in=False)
    shown.page.goto("/inbox/")
    assert "/login/?next=/inbox/" in shown.page.url
    assert shown.audit() == []


def test_hum_02_the_menu_of_a_phone_opens_and_leads_everywhere(desk: Desk, window: Opener) -> None:
    page = window(width=360).open("/")
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("link", name="The desk").first.wait_for()
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Connect an agent").click()
    page.wait_for_url("**/connect/")


def test_hum_02_the_keyboard_reaches_the_content_first(desk: Desk, window: Opener) -> None:
    page = window().open("/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#content"
