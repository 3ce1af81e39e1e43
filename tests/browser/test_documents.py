"""Documents in a real browser: nobody's words are lost, nothing is sent that nobody typed (GOV-01..09, HUM-02)."""

from typing import TYPE_CHECKING, Any

import httpx
import pytest

from tests.browser.conftest import Desk, Opener, Window
from tests.browser.test_pages import SMALL

if TYPE_CHECKING:
    from playwright.sync_api import Page, Request, Route

type Json = dict[str, Any]
SOURCE = {"kind": "url", "url": "https://example.org/why", "title": "Why"}
LONG = 120_000  # ms: no timer of the page waits longer
PAUSE, AGAIN = 1300, 6000  # ms: after the last key; after the hub did not answer


class Papers:
    """Dora's drafts on the desk, and what becomes of them."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def draft(self, title: str, **more: object) -> str:
        """Let Dora begin a document."""
        asked = {"project": self.desk.project, "title": title, "body": "One.", "sources": [SOURCE], **more}
        return str(self._done(self.desk.dora.post("/documents", **asked))["document"])

    def save(self, document: str, revision: int, body: str) -> None:
        """Let Dora save a draft."""
        self._done(self.desk.dora.post("/documents", document=document, body=body, expected_revision=revision))

    def submit(self, document: str, revision: int) -> str:
        """Let Dora ask for review; answers the event."""
        asked = {"expected_revision": revision, "session": self.desk.session}
        return str(self._done(self.desk.dora.post(f"/documents/{document}/review", **asked))["event"])

    def read(self, document: str) -> Json:
        """Read a document's draft, as Dora."""
        return dict(self._done(self.desk.dora.get(f"/documents/{document}", draft=True))["draft"])

    def text(self, document: str) -> str:
        """Answer what the draft says."""
        return str(self.read(document)["body"])

    def published(self, document: str) -> str:
        """Answer what readers have."""
        return str(self._done(self.desk.dora.get(f"/documents/{document}"))["body"])

    def _done(self, answer: Any) -> Json:
        assert answer.status == httpx.codes.OK, answer.json
        return dict(answer.json)


@pytest.fixture
def papers(desk: Desk) -> Papers:
    """Dora's drafts."""
    return Papers(desk)


def sent(page: "Page") -> list[str]:
    """Note every form and autosave a page sends."""
    seen: list[str] = []

    def note(request: "Request") -> None:
        if request.method == "POST":
            seen.append(request.url)

    page.on("request", note)
    return seen


def saves(request: "Request") -> bool:
    """Tell an autosave from everything else."""
    return request.method == "POST" and "x-autosave" in request.headers


def editor(shown: Window, document: str) -> "Page":
    """Open an editor whose clock a test can move on."""
    shown.page.clock.install()
    return shown.open(f"/document/{document}/edit/")


def write(page: "Page", text: str) -> None:
    """Type a text and let the pause pass after which the editor saves and renders it."""
    page.get_by_label("Text, in Markdown").fill(text)
    page.clock.fast_forward(PAUSE)


def state(page: "Page", says: str) -> None:
    """Wait until the editor says how its text is kept."""
    page.locator("#save-state").get_by_text(says).wait_for()


def test_gov_03_an_editor_that_is_only_opened_and_left_sends_nothing(
    desk: Desk, window: Opener, papers: Papers
) -> None:
    document = papers.draft("Opened")
    page = window().page
    posts = sent(page)
    page.clock.install()
    page.goto(f"/document/{document}/edit/")
    page.get_by_label("Title", exact=True).focus()
    page.get_by_label("Text, in Markdown").focus()
    page.clock.run_for(LONG)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.clock.run_for(LONG)
    page.reload()
    page.clock.run_for(LONG)
    page.get_by_role("link", name="Back to the document").click()
    page.get_by_role("heading", name="Opened").wait_for()
    assert posts == []
    assert papers.text(document) == "One."


def test_gov_03_what_is_typed_is_shown_and_saved_by_itself(desk: Desk, window: Opener, papers: Papers) -> None:
    document = papers.draft("Typed")
    page = editor(window(), document)
    write(page, "Two **bold** words.")
    page.locator("#preview strong").get_by_text("bold").wait_for()
    state(page, "Saved as revision 2.")
    page.get_by_label("Title", exact=True).fill("Typed again")
    page.clock.fast_forward(PAUSE)
    state(page, "Saved as revision 3.")
    shown = papers.read(document)
    assert (shown["body"], shown["title"]) == ("Two **bold** words.", "Typed again")
    page.reload()
    assert page.get_by_label("Text, in Markdown").input_value() == "Two **bold** words."
    page.get_by_label("Text, in Markdown").fill("Three *leaning* words.")
    page.get_by_role("button", name="Show it").click()
    page.locator("#preview em").get_by_text("leaning").wait_for()
    assert page.url.endswith("/edit/")


def test_gov_03_an_emptied_text_waits_for_a_button(desk: Desk, window: Opener, papers: Papers) -> None:
    document = papers.draft("Emptied")
    page = editor(window(), document)
    write(page, "")
    state(page, "An empty text is not saved by itself.")
    assert papers.text(document) == "One."
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Saved as revision 2.").wait_for()
    assert papers.text(document) == ""


def in_conflict(shown: Window, papers: Papers, title: str) -> str:
    """Type while Dora saves something else; answers the document."""
    document = papers.draft(title)
    page = editor(shown, document)
    papers.save(document, 1, "Hers.")
    write(page, "Mine, all of it.")
    page.get_by_role("heading", name="Somebody saved this draft while you wrote").wait_for()
    return document


def test_gov_03_an_autosave_that_meets_another_text_stops_and_loses_neither(
    desk: Desk, window: Opener, papers: Papers
) -> None:
    shown = window()
    page = shown.page
    document = in_conflict(shown, papers, "Over")
    assert page.locator("#conflict .gd").all_inner_texts()[-1] == "-Hers."
    posts = sent(page)
    page.get_by_label("Text, in Markdown").press("End")
    page.get_by_label("Text, in Markdown").press_sequentially(" And more.")
    page.clock.fast_forward(LONG)
    state(page, "Not saved: somebody else saved meanwhile.")
    page.locator("#preview").get_by_text("And more.").wait_for()
    assert [url for url in posts if url.endswith("/edit/")] == []
    assert papers.text(document) == "Hers."
    assert shown.audit() == []
    page.get_by_role("button", name="Save mine over theirs").click()
    page.get_by_text("Saved as revision 3.").wait_for()
    assert papers.text(document) == "Mine, all of it. And more."
    shown.said = [line for line in shown.said if "409" not in line]  # the browser notes the status of the refusal


def test_gov_03_theirs_is_taken_by_who_chooses_to(desk: Desk, window: Opener, papers: Papers) -> None:
    shown = window()
    page = shown.page
    document = in_conflict(shown, papers, "Taken")
    page.get_by_role("link", name="Take theirs").click()
    page.locator("#text").filter(has_text="Hers.").wait_for()
    state(page, "Saved.")
    write(page, "Both of us.")
    state(page, "Saved as revision 3.")
    assert papers.text(document) == "Both of us."
    shown.said = [line for line in shown.said if "409" not in line]


def test_gov_04_a_button_waits_for_the_save_that_is_under_way(desk: Desk, window: Opener, papers: Papers) -> None:
    document = papers.draft("Under way")
    page = editor(window(), document)
    held: list[Route] = []

    def hold(route: "Route") -> None:
        if saves(route.request) and not held:
            held.append(route)
        else:
            route.continue_()

    page.route("**/edit/", hold)
    with page.expect_request(saves):
        write(page, "Two.")
    page.get_by_label("Text, in Markdown").fill("Three.")
    page.get_by_role("button", name="Publish").click(no_wait_after=True)
    held[0].continue_()
    page.get_by_text("Published as version 1.").wait_for()
    assert papers.published(document) == "Three."


def test_gov_03_a_hub_that_does_not_answer_costs_no_words(desk: Desk, window: Opener, papers: Papers) -> None:
    document = papers.draft("Away")
    shown = window()
    page = editor(shown, document)
    page.route("**/edit/", lambda route: route.abort())
    write(page, "Typed while away.")
    state(page, "Not saved yet: the hub does not answer.")
    page.unroute("**/edit/")
    page.clock.fast_forward(AGAIN)
    state(page, "Saved as revision 2.")
    assert papers.text(document) == "Typed while away."
    shown.said = [line for line in shown.said if "ERR_FAILED" not in line]


def test_hum_02_a_document_is_written_cited_and_published_without_script(desk: Desk, window: Opener) -> None:
    page = window(java_script_enabled=False).page
    page.goto(f"/project/{desk.project}/documents/")
    page.get_by_text("New document").click()
    page.get_by_label("Title", exact=True).fill("Without script")
    page.get_by_role("button", name="Begin a draft").click()
    page.get_by_label("Text, in Markdown").fill("Plain **words**.")
    page.get_by_role("button", name="Show it").click()
    page.locator("#preview strong").get_by_text("words").wait_for()
    page.get_by_label("Kind").select_option("page")
    assert not page.locator("#url-url").is_visible()
    page.get_by_label("Page").fill("drawers/first.md")
    page.get_by_role("button", name="Add the source").click()
    page.locator(".source").get_by_role("link", name="drawers/first.md").wait_for()
    assert page.get_by_label("Text, in Markdown").input_value() == "Plain **words**."
    page.get_by_role("button", name="Publish").click()
    page.get_by_text("Published as version 1.").wait_for()
    page.get_by_role("link", name="drawers/first.md").click()
    page.get_by_text("promoted").wait_for()
    page.get_by_role("link", name="Without script").wait_for()


def test_gov_09_a_review_is_approved_in_the_inbox_which_shows_what_it_changes(
    desk: Desk, window: Opener, papers: Papers
) -> None:
    document = papers.draft("Reviewed")
    event = papers.submit(document, 1)
    shown = window()
    page = shown.open(f"/inbox/{event}/")
    page.locator(".gi").get_by_text("+Title: Reviewed").wait_for()
    papers.save(document, 1, "Moved.")
    page.get_by_role("button", name="Approve").click()
    page.get_by_role("alert").get_by_text("The draft is at revision 2 now").wait_for()
    page.get_by_text("It cannot be approved as it is.").wait_for()
    again = papers.submit(document, 2)
    page.goto("/reviews/")
    asked = page.locator(f"#review-{again}")
    asked.get_by_text("+Moved.").wait_for()
    asked.get_by_role("button", name="Approve and publish").click()
    page.get_by_text("Published.").wait_for()
    assert papers.published(document) == "Moved."
    shown.said = [line for line in shown.said if "409" not in line]


def test_gov_08_a_decision_is_accepted_in_anothers_place_and_its_chain_drawn(
    desk: Desk, window: Opener, papers: Papers
) -> None:
    old, new = (papers.draft(title, kind="decision") for title in ("Burn the letters", "Keep the letters"))
    page = window().open(f"/document/{old}/")
    page.get_by_role("button", name="Accept").click()
    page.get_by_text("accepted", exact=True).first.wait_for()
    page.goto(f"/document/{new}/")
    page.get_by_text("It takes the place of…").click()
    page.get_by_label("Burn the letters").check()
    page.get_by_role("button", name="Accept").click()
    chain = page.locator(".chain")
    chain.get_by_role("link", name="Burn the letters").click()
    page.get_by_role("heading", name="Burn the letters").wait_for()
    assert page.locator(".chain [aria-current]").inner_text().endswith("Burn the letters")
    page.get_by_role("link", name="Decisions", exact=True).click()
    page.get_by_role("heading", name="What took the place of what").wait_for()
    assert page.locator(".chain").get_by_role("link").all_inner_texts()[-1].endswith("Keep the letters")


@pytest.fixture
def addresses(desk: Desk, papers: Papers, window: Opener) -> list[str]:
    """Answer every kind of page of documents there is, each with something on it."""
    document = papers.draft("A title that is rather long for the screen of a telephone, and wraps")
    papers.submit(document, 1)
    published, proposal = papers.draft("Published"), papers.draft("Proposed", kind="decision")
    page = window().open(f"/document/{published}/edit/")
    page.get_by_role("button", name="Publish").click()
    page.get_by_text("Published as version 1.").wait_for()
    papers.save(published, 1, "One.\n\n" + "word" * 60)
    page.goto(f"/document/{published}/edit/")
    page.get_by_role("button", name="Publish").click()
    page.get_by_text("Published as version 2.").wait_for()
    return [
        f"/project/{desk.project}/documents/",
        f"/project/{desk.project}/documents/?state=archived",
        f"/project/{desk.project}/documents/drifted/",
        f"/project/{desk.project}/documents/from/?page=drawers/first.md",
        f"/project/{desk.project}/decisions/",
        f"/document/{document}/",
        f"/document/{document}/edit/",
        f"/document/{published}/",
        f"/document/{published}/?version=1",
        f"/document/{published}/diff/",
        f"/document/{published}/edit/",
        f"/document/{proposal}/",
        "/reviews/",
        "/knowledge/space/",
        "/knowledge/space/add/",
        "/knowledge/maintainer/",
        "/knowledge/maintainer/add/",
        "/knowledge/share/add/",
    ]


def test_hum_02_every_page_of_documents_is_accessible_on_a_phone_and_in_the_dark(
    desk: Desk, window: Opener, addresses: list[str]
) -> None:
    phone, dark = window(width=360), window(scheme="dark")
    problems: list[str] = []
    for address in addresses:
        phone.page.goto(address)
        phone.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        problems += phone.audit()
        problems += [f"{address}: smaller than a finger: {small}" for small in phone.page.evaluate(SMALL)]
        if address.startswith("/document"):
            dark.page.goto(address)
            problems += dark.audit("color-contrast")
    assert "\n".join(problems) == ""
