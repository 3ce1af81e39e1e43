"""Writing a project's pages in the browser: nobody's words are lost (KNB-03, KNB-06)."""

import io
import zipfile
from typing import TYPE_CHECKING

from tests.browser.conftest import Desk, Opener

if TYPE_CHECKING:
    from playwright.sync_api import FilePayload


def read(desk: Desk, path: str) -> str:
    """Read a page as an agent."""
    return str(desk.dora.get("/brain/entry", store="project", project=desk.project, path=path).json.get("content"))


def test_knb_03_a_page_is_written_and_its_history_and_trust_say_so(desk: Desk, window: Opener) -> None:
    page = window().open(f"/project/{desk.project}/knowledge/")
    page.get_by_role("link", name="New page").click()
    page.get_by_label("Path").fill("house/rules.md")
    page.get_by_label("Markdown").fill("# Rules\n\nNo ink on the desk.\n")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("heading", name="Rules", exact=True).wait_for()
    page.get_by_text("human-touched").wait_for()
    assert read(desk, "/fs/house/rules.md") == "# Rules\n\nNo ink on the desk.\n"
    page.get_by_role("link", name="History", exact=True).click()
    page.get_by_role("listitem").filter(has_text="putadmin").wait_for()


def test_knb_03_a_conflict_keeps_both_texts_and_lets_the_person_choose(desk: Desk, window: Opener) -> None:
    desk.page("/fs/house/keys.md", "one\n")
    shown = window()
    page = shown.open(f"/project/{desk.project}/edit/house/keys.md")
    page.get_by_label("Markdown").fill("one\nmine\n")
    desk.page("/fs/house/keys.md", "one\ntheirs\n")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Somebody wrote this page while you did").wait_for()
    assert page.get_by_label("Your text").input_value() == "one\nmine\n"
    assert "theirs" in page.locator(".gd").all_inner_texts()[-1]
    assert read(desk, "/fs/house/keys.md") == "one\ntheirs\n"
    page.get_by_role("button", name="Save over theirs").click()
    page.get_by_text("Last written by admin").wait_for()
    assert read(desk, "/fs/house/keys.md") == "one\nmine\n"
    shown.said = [line for line in shown.said if "409" not in line]  # the browser notes the status of the refusal


def test_knb_06_a_page_names_the_pages_that_link_to_it(desk: Desk, window: Opener) -> None:
    desk.page("/fs/links/target.md", "# Target")
    desk.page("/fs/links/from.md", "see [it](target.md) and [[links/target]]")
    page = window().open(f"/project/{desk.project}/knowledge/links/target.md")
    page.get_by_text("Linked from").wait_for()
    page.get_by_role("link", name="links/from.md").click()
    page.get_by_role("link", name="it", exact=True).wait_for()


def test_knb_03_a_page_is_deleted_as_it_was_shown(desk: Desk, window: Opener) -> None:
    desk.page("/fs/old/gone.md", "old")
    page = window().open(f"/project/{desk.project}/knowledge/old/gone.md")
    desk.page("/fs/old/gone.md", "newer")
    page.get_by_role("button", name="Delete").click()
    page.get_by_text("has changed since").wait_for()
    page.goto(f"/project/{desk.project}/knowledge/old/gone.md")
    page.get_by_role("button", name="Delete").click()
    page.get_by_text("Its history stays.").wait_for()
    assert read(desk, "/fs/old/gone.md") == "None"


def test_knb_01_a_folder_goes_in_whole_or_not_at_all(desk: Desk, window: Opener) -> None:
    desk.page("/fs/in/there.md", "theirs")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("in/there.md", "mine")
        archive.writestr("in/new.md", "new")
    upload: FilePayload = {"name": "pages.zip", "mimeType": "application/zip", "buffer": packed.getvalue()}
    shown = window()
    page = shown.open(f"/project/{desk.project}/knowledge/")
    page.get_by_text("Upload a folder").click()
    page.get_by_label("A zip of pages").set_input_files(upload)
    page.get_by_role("button", name="Upload").click()
    page.get_by_text("Nothing was stored").wait_for()
    page.get_by_role("listitem").filter(has_text="/fs/in/there.md").wait_for()
    assert read(desk, "/fs/in/new.md") == "None"
    page.get_by_label("A zip of pages").set_input_files(upload)
    page.get_by_label("Overwrite pages that differ").check()
    page.get_by_role("button", name="Upload").click()
    page.get_by_text("Stored 2 pages").wait_for()
    assert read(desk, "/fs/in/there.md") == "mine"
    shown.said = [line for line in shown.said if "409" not in line]
