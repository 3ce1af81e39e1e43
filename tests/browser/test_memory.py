"""A person's memory in a real browser: kept, changed, forgotten, decided on (MEM-02..07, HUM-01, HUM-02)."""

import uuid

import pytest

from tests.browser.conftest import Desk, Opener
from tests.browser.test_pages import SMALL

SECOND_MS = 1000


def told() -> str:
    """Answer a word nobody said before."""
    return f"w{uuid.uuid4().hex[:10]}"


def test_mem_03_remembered_changed_and_forgotten_on_a_phone(desk: Desk, window: Opener) -> None:
    word, other = told(), told()
    shown = window(width=360)
    page = shown.open("/memory/")
    page.get_by_label("Kind").select_option("preference")
    page.get_by_label("Text").fill(f"Short answers, please, {word}.")
    page.get_by_role("button", name="Remember").click()
    page.get_by_role("link", name=word).click()
    page.get_by_label("Text").fill(f"Long answers, please, {other}.")
    page.get_by_role("button", name="Save").click()
    page.locator("section", has_text="Revisions").get_by_text(word).wait_for()
    assert shown.audit() == []
    page.get_by_role("button", name="Forget").click()
    page.get_by_text("Forgotten.").wait_for()
    assert word not in page.content()
    assert other not in page.content()


def test_mem_03_what_was_typed_survives_a_change_made_meanwhile(desk: Desk, window: Opener) -> None:
    entry = desk.person("/memory", kind="goal", text=f"Walk more, {told()}.")["entry"]
    first, late = window().open(f"/memory/{entry}/"), window()
    second = late.open(f"/memory/{entry}/")
    first.get_by_label("Text").fill(f"Walk daily, {told()}.")
    first.get_by_role("button", name="Save").click()
    first.get_by_text("revision").first.wait_for()
    typed = f"Run, {told()}."
    second.get_by_label("Text").fill(typed)
    with second.expect_response(lambda answer: answer.url.endswith("/edit/")) as saved:
        second.get_by_role("button", name="Save").click()
    assert saved.value.status == 409
    second.get_by_role("alert").get_by_text("It was changed meanwhile.").wait_for()
    assert second.get_by_label("Text").input_value() == typed
    late.said = [line for line in late.said if "409" not in line]  # the browser notes the status of the refusal


def test_mem_07_what_a_task_learned_waits_in_the_inbox_and_is_decided(desk: Desk, window: Opener) -> None:
    word = told()
    task = desk.task("Learn something")
    desk.run(task)
    revision = desk.fay.get("/task", task=task["task"]).json["revision"]
    evidence = [{"kind": "rule", "text": f"Never before nine, {word}.", "source_ref": "the kitchen"}]
    asked = {"expected_revision": revision, "memory_evidence": evidence}
    assert desk.fay.post(f"/tasks/{task['task']}/complete", **asked).json["memory_evidence"]["taken"] == 1
    page = window().open("/inbox/")
    item = page.locator("a", has_text="memory").first
    item.wait_for(timeout=30 * SECOND_MS)
    assert word not in page.content()
    shown = window(width=360)
    page = shown.open("/memory/")
    proposal = page.locator("article", has_text=word)
    proposal.wait_for()
    assert shown.audit() == []
    proposal.get_by_role("button", name="Remember").click()
    page.get_by_text("Done.").wait_for()
    page.locator("section", has_text="rule").get_by_role("link", name=word).wait_for()
    assert page.locator("article", has_text=word).count() == 0


def test_mem_04_a_conversation_is_given_what_is_known_and_says_why(desk: Desk, window: Opener) -> None:
    word = told()
    desk.person("/memory", kind="fact", text=f"The attic key is blue, {word}.")
    page = window().open("/memory/")
    page.get_by_text("Start one").click()
    page.get_by_label("What it is about").fill(f"Where is the attic key {word}?")
    page.get_by_label("With").select_option("fay")
    page.get_by_role("button", name="Start").click()
    page.get_by_label("The memory it was given").get_by_text(word).wait_for()
    page.get_by_role("link", name="the recall").click()
    row = page.locator("li", has_text=word)
    row.wait_for()
    assert "chosen: relevant" in row.inner_text()
    assert "lexical" in row.inner_text()


@pytest.mark.parametrize(("scheme", "width"), [("light", 360), ("dark", 1280)])
def test_hum_02_every_page_of_memory_is_accessible_and_fits(
    desk: Desk, window: Opener, scheme: str, width: int
) -> None:
    entry = desk.person("/memory", kind="identity", text=f"Admin, {told()}.")["entry"]
    for text in (f"The attic key is blue and {told()} old.", f"A very long word: {'w' * 300}{told()}"):
        desk.person("/memory", kind="fact", text=text)
    started = desk.person("/memory/conversations", text="Where is the key?", agent="fay")
    shown, problems = window(width=width, scheme=scheme), []
    given = f"/memory/conversation/{started['conversation']}/"
    recall = shown.open(given).get_by_role("link", name="the recall").get_attribute("href")
    addresses = [
        *(f"/memory/?layer={layer}" for layer in ("resident", "semantic", "working")),
        "/memory/?layer=semantic&state=expired",
        f"/memory/{entry}/",
        given,
        str(recall),
    ]
    for address in addresses:
        shown.open(address)
        shown.page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true })")
        problems += shown.audit()
        if width < 400:
            problems += [f"{address}: smaller than a finger: {small}" for small in shown.page.evaluate(SMALL)]
    assert "\n".join(problems) == ""
