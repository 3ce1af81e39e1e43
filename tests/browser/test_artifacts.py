"""Artifacts in a browser: every kind, live comments, lines and quotes, with script and without (ART-04, INB-07)."""

import base64
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from tests.artifacts.showing import CIPHERTEXT, ENVELOPE, PDF, PNG
from tests.browser.conftest import Desk, Opener
from tests.browser.test_pages import SMALL

if TYPE_CHECKING:
    from playwright.sync_api import Page

CODE = "import math\n\n\ndef tide(hour):\n    return math.sin(hour)  # " + "metres " * 30 + "\n"
SECOND_MS = 1000


def publish(desk: Desk, title: str, kind: str, content: str | bytes, **more: Any) -> str:
    """Let Dora publish; answers the artifact."""
    if isinstance(content, bytes):
        content, more["encoding"] = base64.b64encode(content).decode(), "base64"
    asked = {"title": title, "kind": kind, "content": content, "session": desk.session, **more}
    made = desk.dora.post(f"/projects/{desk.project}/artifacts", **asked)
    assert made.status == httpx.codes.OK, made.json
    return str(made.json["artifact"])


def update(desk: Desk, artifact: str, content: str) -> None:
    """Let Dora publish the second version."""
    made = desk.dora.post(f"/artifacts/{artifact}/versions", content=content, base_version=1)
    assert made.status == httpx.codes.OK, made.json


def say(desk: Desk, artifact: str, body: str, **more: object) -> str:
    """Let Eli comment; answers the comment."""
    said = desk.eli.post(f"/artifacts/{artifact}/comments", body=body, **more)
    assert said.status == httpx.codes.OK, said.json
    return str(said.json["comment"])


@pytest.fixture(scope="module")
def shown(desk: Desk) -> dict[str, str]:
    """One artifact of each kind, some with comments; answers their ids."""
    made = {
        "markdown": publish(desk, "Drawers", "markdown", "# Drawers\n\n1. top\n\n```python\nx = 1\n```", label="draft"),
        "html": publish(desk, "Explorer", "html", "<h1>Explorer</h1>", description="Pick a drawer.\nThen another."),
        "code": publish(desk, "tide.py", "code", CODE, language="python"),
        "text": publish(desk, "Log", "text", "a line of the log, which goes on and on and on and on and on\n" * 40),
        "json": publish(desk, "Numbers", "json", '{"drawers": [1, 2.50, null]}'),
        "image": publish(desk, "Dot", "image", PNG),
        "pdf": publish(desk, "Printed", "pdf", PDF),
        "other": publish(desk, "model.bin", "other", b"\0\1"),
        "sealed": publish(desk, "Sealed", "text", CIPHERTEXT, envelope=ENVELOPE, encoding="base64"),
    }
    desk.dora.post(f"/artifacts/{made['markdown']}/versions", content="# Drawers\n\n1. bottom", base_version=1)
    say(desk, made["markdown"], "Which *one*?", anchor={"quote": "top"}, version=1)
    dealt_with = say(desk, made["markdown"], "Dealt with.")
    desk.dora.post(f"/comments/{dealt_with}/resolution")
    say(desk, made["code"], "Why?", anchor={"line": 4, "end_line": 5})
    return made


def addresses(desk: Desk, shown: dict[str, str]) -> list[str]:
    """Answer every page there is of artifacts."""
    return [
        f"/project/{desk.project}/artifacts/",
        f"/project/{desk.project}/artifacts/?by=kind&kind=image",
        *(f"/artifact/{artifact}/" for artifact in shown.values()),
        f"/artifact/{shown['markdown']}/?version=1&source=1#L3",
        f"/artifact/{shown['markdown']}/diff/",
        f"/session/{desk.session}/",
    ]


def test_hum_02_every_page_of_artifacts_is_accessible_and_fits_a_phone(
    desk: Desk, shown: dict[str, str], window: Opener
) -> None:
    phone = window(width=360)
    problems: list[str] = []
    for address in addresses(desk, shown):
        phone.page.goto(address)
        phone.page.locator("main details").evaluate_all("all => all.forEach(details => { details.open = true; })")
        problems += phone.audit()
        problems += [f"{address}: smaller than a finger: {small}" for small in phone.page.evaluate(SMALL)]
    assert "\n".join(problems) == ""


def test_hum_02_every_page_of_artifacts_is_legible_in_the_dark(
    desk: Desk, shown: dict[str, str], window: Opener
) -> None:
    dark = window(scheme="dark")
    problems: list[str] = []
    for address in addresses(desk, shown):
        dark.page.goto(address)
        problems += dark.audit("color-contrast", "heading-order", "region", "target-size")
    assert "\n".join(problems) == ""


def test_hub_09_a_published_artifact_arrives_in_the_open_gallery(desk: Desk, window: Opener) -> None:
    page = window().open(f"/project/{desk.project}/artifacts/")
    publish(desk, "Arrives while it is open", "text", "x")
    page.locator(".artifact-card", has_text="Arrives while it is open").click(timeout=2 * SECOND_MS)
    page.get_by_role("heading", name="Arrives while it is open").wait_for()


def test_inb_07_comments_and_versions_arrive_and_what_is_half_typed_stays(desk: Desk, window: Opener) -> None:
    artifact = publish(desk, "Discussed", "text", "one\ntwo\n")
    page = window().open(f"/artifact/{artifact}/")
    field = page.get_by_label("Comment on version 1")
    field.fill("Half a thou")
    said = say(desk, artifact, "Seen from afar")
    page.locator(f"#comment-{said}", has_text="Seen from afar").wait_for()
    update(desk, artifact, "three")
    page.get_by_text("This is version 1 of 2.").wait_for()
    desk.dora.post(f"/comments/{said}/resolution")
    page.get_by_text("1 resolved").wait_for()
    assert field.input_value() == "Half a thou"
    assert page.locator("#L2").inner_text() == "two"
    desk.dora.call("DELETE", f"/comments/{said}")  # somebody else's
    desk.eli.call("DELETE", f"/comments/{said}")
    page.get_by_text("No comments yet.").wait_for()
    page.get_by_role("link", name="Show the newest").click()
    page.get_by_label("Comment on version 2").wait_for()


def test_art_04_a_deleted_artifact_leaves_the_pages_that_show_it(desk: Desk, window: Opener) -> None:
    artifact = publish(desk, "Short-lived", "text", "x")
    shown = window()
    page = shown.open(f"/artifact/{artifact}/")
    other = window().open(f"/artifact/{artifact}/")
    other.get_by_text("Delete this artifact").click()
    other.get_by_role("button", name="Delete for good").click()
    other.get_by_text("Short-lived is deleted.").wait_for()
    page.get_by_role("heading", name="Nothing here").wait_for()
    shown.said = [line for line in shown.said if "404" not in line]


def take(page: "Page", element: str) -> None:
    """Select the text of an element."""
    page.locator(element).evaluate("element => getSelection().selectAllChildren(element)")


def test_inb_07_a_selection_becomes_a_quote_and_a_number_a_line(desk: Desk, window: Opener) -> None:
    artifact = publish(desk, "Lines", "code", "alpha\nbeta\ngamma\n", language="python")
    page = window().open(f"/artifact/{artifact}/")
    page.evaluate("window.stayed = true")
    take(page, "#L2")
    page.wait_for_function("document.getElementById('quote').value === 'beta'")
    page.get_by_label("Comment on version 1").fill("This word")
    page.get_by_role("button", name="Comment", exact=True).click()
    page.locator(".comment", has_text="This word").locator(".quote", has_text="beta").wait_for()
    page.wait_for_function("document.getElementById('body').value === ''")
    page.evaluate("getSelection().removeAllRanges()")
    page.locator("#L1").click(position={"x": 20, "y": 5})
    page.locator("#L3").click(position={"x": 20, "y": 5}, modifiers=["Shift"])
    assert page.url.endswith("#L1")
    page.get_by_label("Comment on version 1").fill("These lines")
    page.get_by_role("button", name="Comment", exact=True).click()
    page.locator(".comment", has_text="These lines").get_by_role("link", name="lines 1\N{EN DASH}3").wait_for()
    assert page.evaluate("window.stayed")  # the page was not loaded again, so an opened artifact stays open
    anchors = [row["anchor"] for row in desk.dora.get("/comments", artifact=artifact).json["comments"]]
    assert anchors == [{"quote": "beta"}, {"line": 1, "end_line": 3}]


def test_inb_07_a_refused_comment_stays_typed_beside_the_refusal(desk: Desk, window: Opener) -> None:
    shown = window()
    page = shown.open(f"/artifact/{publish(desk, 'Refuses', 'text', 'one')}/")
    page.get_by_label("Comment on version 1").fill("Where?")
    page.get_by_text("Point at a place").click()
    page.get_by_label("Quote").fill("nowhere")
    page.get_by_role("button", name="Comment", exact=True).click()
    page.get_by_role("alert").filter(has_text="does not hold this quote").wait_for()
    assert page.get_by_label("Comment on version 1").input_value() == "Where?"
    assert page.get_by_label("Quote").input_value() == "nowhere"
    shown.said = [line for line in shown.said if "422" not in line]


def test_hum_02_it_all_works_without_script(desk: Desk, window: Opener) -> None:
    artifact = publish(desk, "Plain", "text", "one\ntwo\n")
    update(desk, artifact, "one\n2\n")
    page = window(java_script_enabled=False).page
    page.goto(f"/artifact/{artifact}/")
    page.get_by_label("Version", exact=True).select_option("1")
    page.get_by_role("button", name="Show").click()
    page.get_by_text("This is version 1 of 2.").wait_for()
    page.get_by_label("Comment on version 1").fill("Said without script")
    page.get_by_text("Point at a place").click()
    page.get_by_label("Or from line").fill("2")
    page.get_by_role("button", name="Comment", exact=True).click()
    page.get_by_role("link", name="line 2").click()
    page.get_by_role("button", name="Resolve").click()
    page.get_by_text("1 resolved").click()
    page.get_by_role("button", name="Reopen").click()
    page.get_by_role("button", name="Resolve").wait_for()
    page.get_by_role("link", name="Changes").click()
    page.get_by_label("to", exact=True).select_option("2")
    page.get_by_role("button", name="Compare").click()
    assert "+2" in page.locator(".gi").all_inner_texts()[-1]


def test_art_04_large_bytes_are_streamed_whole(desk: Desk) -> None:
    content = bytes(range(256)) * 8192
    artifact = publish(desk, "Two megabytes", "other", content)
    headers = {"Accept-Encoding": "gzip"}
    at = f"{desk.hub.url}/artifact/{artifact}/1/raw/"
    answer = httpx.get(at, cookies=desk.cookies, headers=headers, trust_env=False, timeout=60)
    assert answer.content == content
    assert answer.headers["Content-Length"] == str(len(content))
    assert "Content-Encoding" not in answer.headers
