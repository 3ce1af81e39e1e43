"""Searching in a browser: as it is typed, by keyboard, without script, and where hits lead (SRC-01..03, HUM-02)."""

import re
from typing import TYPE_CHECKING

import httpx
import pytest

from core.ids import following
from tests.browser.conftest import Desk, Opener
from tests.browser.test_artifacts import publish, say
from tests.browser.test_injection import ESCAPED, NOTHING, PAYLOADS
from tests.browser.test_pages import SMALL

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

LONG = "Nothing of note.\n\n" * 60
HERE = """() => {
    const mark = document.querySelector('mark.here');
    const place = mark.getBoundingClientRect();
    return [mark.textContent, place.top >= 0 && place.bottom <= innerHeight, mark.checkVisibility()];
}"""
MARKS = "() => [...document.querySelectorAll('#content mark')].map((mark) => mark.textContent)"
LOW = """() => [...document.querySelectorAll('.hit, #search .input, #search select')]
    .filter((e) => e.getBoundingClientRect().height < 43.5).map((e) => e.outerHTML.slice(0, 120))"""


@pytest.fixture(scope="module")
def found(desk: Desk) -> dict[str, str]:
    """Write of okapis in every family; answers what was written."""
    body = f"# Okapis\n\n{LONG}\n\nThe **okapi** sleeps.\n\n```python\nokapi_count = OKA_12.count\n```"
    artifact = publish(desk, "The okapi report", "markdown", body)
    desk.page("/fs/animals/okapi.md", f"# Animals\n\n{LONG}\n\nOKA-12 is an okapi.")
    entry = {"store": "session", "session": desk.session, "path": "/fs/okapi.md", "content": f"{LONG}\n\nan okapi"}
    assert desk.dora.put("/brain/entry", **entry).status == httpx.codes.OK
    return {
        "event": desk.signal("An okapi came by", payload={"seen": ["where", "okapi-lane"]}),
        "folded": desk.signal("Somebody came by", payload={"who": "a lone okapia"}),
        "question": desk.ask("Feed it?", body=f"{LONG}\n\nIs it an okapi?", context="An **okapi** once ate here."),
        "artifact": artifact,
        "comment": say(desk, artifact, "Okapi, or quokka?"),
        "code": publish(desk, "okapi.py", "code", "x = 1\n" * 300 + "okapi_lane = 'okapi'\n"),
    }


def landed(page: "Page") -> tuple[str, list[str]]:
    """Wait until the words are marked; answers the one that is gone to, and all."""
    page.wait_for_selector("mark.here", state="attached")
    word, in_view, visible = page.evaluate(HERE)
    assert (in_view, visible) == (True, True)
    return word, page.evaluate(MARKS)


def typed(page: "Page", words: str, said: str) -> None:
    """Type, and wait until the page says what it found."""
    page.locator("#q").fill(words)
    page.locator("#found [role=status]", has_text=said).wait_for()


def test_hum_01_results_come_as_it_is_typed(desk: Desk, window: Opener, found: dict[str, str]) -> None:
    page = window().open("/search/")
    assert page.evaluate("document.activeElement.id") == "q"
    page.evaluate("document.querySelector('#found [role=status]').kept = true")
    page.keyboard.type("oka")
    page.locator(".hit", has_text="An okapi came by").wait_for()
    page.wait_for_url("**/search/?q=oka")
    page.keyboard.type("pi -lane")
    page.wait_for_url("**/search/?q=okapi+-lane")
    assert page.title() == "okapi -lane · Search · Muster"
    # The region a screen reader listens to stays the same: it is told of each count.
    assert page.evaluate("document.querySelector('#found [role=status]').kept") is True
    page.locator("#found", has_text=" ms").wait_for()
    page.locator(".chip", has_text="Comments").click()
    page.wait_for_url("**/search/?q=okapi+-lane&family=comment")
    assert page.locator(".hit").count() == 1
    typed(page, "quokka", "found")
    page.wait_for_url("**/search/?q=quokka&family=comment")
    page.get_by_label("Project").select_option("~dora")
    page.wait_for_url("**/search/?q=quokka&family=comment&project=~dora")
    page.get_by_text("Nothing found for “quokka”.").wait_for()
    page.get_by_role("link", name="Search everywhere").click()
    page.wait_for_url("**/search/?q=quokka")
    assert page.locator(".hit").count() >= 1


def test_hum_01_an_older_answer_never_takes_the_place_of_a_newer(
    desk: Desk, window: Opener, found: dict[str, str]
) -> None:
    page = window().open("/search/")
    held: list[Route] = []
    page.route("**/search/?q=quagga&*", lambda route: held.append(route))  # noqa: PLW0108 - Playwright wants a function
    with page.expect_request("**/search/?q=quagga&*"):
        page.locator("#q").fill("quagga")
    typed(page, "okapi", "found")
    held[0].fulfill(content_type="text/html", body='<div id="results"><p>the older answer</p></div>')
    typed(page, "okapi lane", "found")
    assert page.get_by_text("the older answer").count() == 0
    assert page.locator(".hit").count() > 0


def test_hum_02_slash_leads_to_the_box_but_not_while_typing(desk: Desk, window: Opener, found: dict[str, str]) -> None:
    page = window().open(f"/inbox/{found['question']}/")
    answer = page.get_by_label("Answer")
    answer.focus()
    page.keyboard.type("1/2")
    assert answer.input_value() == "1/2"
    page.locator("#subject-" + found["question"]).click()
    page.keyboard.press("/")
    assert page.evaluate("[document.activeElement.id, document.activeElement.value]") == ["side-q", ""]
    page.keyboard.type("okapi")
    page.keyboard.press("Escape")
    assert page.locator("#side-q").input_value() == ""
    page.keyboard.type("okapi")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search/?q=okapi")
    phone = window(width=360).open("/")
    phone.keyboard.press("/")
    phone.wait_for_url("**/search/")


def test_hum_02_keys_walk_through_what_was_found(desk: Desk, window: Opener, found: dict[str, str]) -> None:
    page = window().open("/search/?q=okapi")
    at = "[...document.querySelectorAll('.hit-title')].indexOf(document.activeElement)"
    page.keyboard.press("j")
    assert page.evaluate(at) == 0
    for key, place in (("j", 1), ("ArrowDown", 2), ("k", 1), ("ArrowUp", 0)):
        page.keyboard.press(key)
        assert page.evaluate(at) == place
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.id") == "q"
    page.keyboard.press("ArrowDown")
    assert page.evaluate(at) == 0
    page.keyboard.press("Escape")
    assert page.evaluate("[document.activeElement.id, document.activeElement.value]") == ["q", ""]
    page.get_by_text("Search everything the hub keeps.").wait_for()
    page.wait_for_url("**/search/")
    typed(page, "okapi", "found")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("mark="))
    page.go_back()
    page.locator(".hit").first.wait_for()
    assert page.locator("#q").input_value() == "okapi"


def test_hum_02_more_is_added_and_read_on_from(desk: Desk, window: Opener) -> None:
    for number in range(25):
        desk.signal(f"bongo {number:02}")
    page = window().open("/search/?q=bongo")
    assert page.locator(".hit").count() == 20
    page.get_by_role("link", name="More").click()
    page.locator(".hit").nth(24).wait_for()
    assert len(set(page.locator(".hit-title").all_inner_texts())) == 25
    page.wait_for_function("() => document.activeElement === document.querySelectorAll('.hit-title')[20]")
    assert page.get_by_role("link", name="More").count() == 0
    assert page.url.endswith("/search/?q=bongo")


def test_hum_01_without_script_it_is_a_form(desk: Desk, window: Opener, found: dict[str, str]) -> None:
    page = window(java_script_enabled=False).page
    page.goto("/")
    page.get_by_label("Search everything").fill("okapi")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search/?q=okapi")
    page.get_by_role("link", name="Comments 1").click()
    page.get_by_role("searchbox", name="Search for").fill("quokka")
    page.get_by_role("button", name="Search", exact=True).click()
    page.wait_for_url("**family=comment*")
    assert page.locator(".hit mark").all_inner_texts() == ["quokka"]
    page.locator(".hit-title").click()
    page.wait_for_url(f"**/artifact/{found['artifact']}/*")


@pytest.mark.parametrize(
    ("query", "address"),
    [
        ("came by okapi&family=event", "/project/desk/?before="),
        ("animals okapi&family=page", "/project/desk/knowledge/animals/okapi.md"),
        ("okapi&family=brain", "/session/"),
        ("okapi report&family=artifact", "/artifact/"),
        ("quokka okapi&family=comment", "/artifact/"),
    ],
)
def test_src_01_a_hit_leads_to_its_words_marked(
    desk: Desk, window: Opener, found: dict[str, str], query: str, address: str
) -> None:
    page = window().open(f"/search/?q={query}")
    page.locator(".hit-title").first.click()
    page.wait_for_url(re.compile(rf"{re.escape(address)}.*mark="))
    word, marks = landed(page)
    assert word.lower() in [*query.partition("&")[0].split(), "okapis"]
    assert "okapi" in [mark.lower() for mark in marks]


def test_src_01_folded_words_are_unfolded_and_coloured_code_is_marked(
    desk: Desk, window: Opener, found: dict[str, str]
) -> None:
    page = window().open("/search/?q=okapia")
    page.locator(".hit-title").first.click()
    assert landed(page) == ("okapia", ["okapia"])
    page.goto(f"/inbox/{found['question']}/?mark=ate")
    assert landed(page) == ("ate", ["ate"])
    page.goto(f"/artifact/{found['artifact']}/?mark=OKA_12.count")
    word, marks = landed(page)
    assert ("".join(marks), word) == ("OKA_12.count", marks[0])
    page.goto(f"/artifact/{found['code']}/?mark=okapi")
    word, marks = landed(page)
    assert len(marks) == 3  # the title, and within the identifier and the string


def test_src_01_live_changes_keep_the_marks(desk: Desk, window: Opener, found: dict[str, str]) -> None:
    page = window().open(f"/artifact/{found['artifact']}/?mark=okapi#comment-{found['comment']}")
    assert landed(page) == ("Okapi", ["Okapi"])
    say(desk, found["artifact"], "Another word of it")
    page.get_by_text("Another word of it").wait_for()
    page.wait_for_function("() => document.querySelectorAll('#content mark').length === 1")


def test_gov_04_a_part_of_a_document_is_opened_at_its_heading(desk: Desk, window: Opener) -> None:
    body = f"# Plan\n\nAn addax first.\n\n{LONG}\n\n## The *second* part\n\n{LONG}\n\nAn addax again.\n"
    sources = [{"kind": "url", "url": "https://example.org/why"}]
    draft = {"project": desk.project, "title": "Keeping", "body": body, "sources": sources}
    made = desk.dora.post("/documents", **draft)
    assert made.status == httpx.codes.OK, made.json
    publish_document(desk, made.json["document"])
    page = window().open("/search/?q=addax again&family=document")
    page.locator(".hit", has_text="second").locator(".hit-title").click()
    page.wait_for_url("**under=*")
    assert landed(page)[0] == "addax"
    page.get_by_text("An addax again.").wait_for()
    assert page.evaluate("document.querySelector('mark.here').closest('p').textContent") == "An addax again."


def publish_document(desk: Desk, document: str) -> None:
    """Publish a draft as the person who is signed in, a maintainer from now on."""
    desk.person(f"/documents/{document}/publish", expected_revision=1)


def test_hum_03_what_was_found_and_what_is_marked_stays_text(desk: Desk, window: Opener) -> None:
    nasty = " ".join(PAYLOADS).replace("\n", " ")
    for payload in PAYLOADS:
        desk.signal(f"gnu {payload}".replace("\n", " ")[:1000], payload={"x": payload})
    publish(desk, f"gnu {nasty}"[:200], "markdown", f"gnu\n\n{nasty}")
    desk.page("/fs/gnu/<img src=x onerror=window.owned=1>.md", f"# gnu {nasty}")
    shown = window()
    page = shown.open("/search/?q=gnu")
    page.get_by_role("link", name="More").click()
    page.wait_for_function("() => document.querySelectorAll('.hit').length > 20")
    assert page.evaluate(ESCAPED) == NOTHING
    for payload in PAYLOADS[:6]:
        page.locator("#q").fill(payload)
        page.wait_for_function(
            "() => document.getElementById('results').dataset.query === document.getElementById('q').value"
        )
        assert page.evaluate(ESCAPED) == NOTHING
    hits = (
        shown.open("/search/?q=gnu&family=page")
        .locator(".hit-title")
        .evaluate_all("hits => hits.map((hit) => hit.href)")
    )
    marked = "<img src=x onerror=window.owned=1> <script> gnu $& (.*) [ \\"
    for address in [
        *hits,
        f"/project/{desk.project}/knowledge/gnu/?mark={httpx.QueryParams({'mark': marked})['mark']}",
    ]:
        page = shown.open(address)
        assert page.evaluate(ESCAPED) == NOTHING
    shown.said = [line for line in shown.said if "404" not in line]  # pictures of pages that are not there


@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (1280, "dark")])
def test_hum_02_the_page_is_accessible_and_fits(
    desk: Desk, window: Opener, found: dict[str, str], width: int, scheme: str
) -> None:
    shown = window(width=width, scheme=scheme)
    problems: list[str] = []
    for address in (
        "/search/",
        "/search/?q=okapi",
        "/search/?q=qqqqq&project=desk",
        "/search/?q=***",
        "/search/?q=x&project=nowhere",
        f"/search/?q={'okapi' * 200}",
        f"/project/desk/?before={following(found['event'])}&mark=okapi#event-{found['event']}",
        f"/artifact/{found['artifact']}/?mark=okapi OKA_12.count",
    ):
        page = shown.open(address)
        problems += shown.audit()
        problems += [f"{address}: low: {low}" for low in page.evaluate(LOW)]
        if width < 400:
            problems += [f"{address}: smaller than a finger: {small}" for small in page.evaluate(SMALL)]
    assert "\n".join(problems) == ""
