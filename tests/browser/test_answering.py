"""Answering and deciding in the browser, with and without script (INB-01, INB-04)."""

import json
import re
import time

from tests.browser.conftest import Desk, Opener


def test_inb_04_an_option_answers_and_the_agent_has_it(desk: Desk, window: Opener) -> None:
    question = desk.ask("Which ink?", options=["Blue", "Black"])
    page = window().open(f"/inbox/{question}/")
    page.get_by_role("button", name="Black").click()
    page.get_by_text("Answered by admin").wait_for()
    answer = desk.answer(question)
    assert answer["status"] == "answered"
    assert answer["answer"]["payload"]["body"] == "Black"
    assert answer["answer"]["actor"] == "human:admin"


def test_inb_04_a_free_answer_keeps_its_lines(desk: Desk, window: Opener) -> None:
    question = desk.ask("Where does the lamp go?")
    page = window().open(f"/inbox/{question}/")
    page.get_by_label("Answer", exact=True).fill("On the left.\n\nIt is *hot*.")
    page.get_by_role("button", name="Answer").click()
    page.locator(".outcome em", has_text="hot").wait_for()
    body = desk.answer(question)["answer"]["payload"]["body"]
    assert body.splitlines() == ["On the left.", "", "It is *hot*."]


def test_inb_04_an_edited_proposal_reaches_the_agent(desk: Desk, window: Opener) -> None:
    item = desk.approve("Order paper", proposal={"sheets": 500, "colour": "white"})
    page = window().open(f"/inbox/{item}/")
    editor = page.get_by_label("Proposal, yours to edit")
    editor.fill('{"sheets": 200,')
    page.get_by_text("Not valid JSON yet").wait_for()
    editor.fill('{"sheets": 200, "colour": "white"}')
    page.get_by_label("Note").fill("Half is enough.")
    page.get_by_role("button", name="Approve").click()
    page.get_by_text("Approved by admin").wait_for()
    payload = desk.answer(item)["answer"]["payload"]
    assert payload["approved"] is True
    assert payload["note"] == "Half is enough."
    assert payload["proposal"] == {"sheets": 200, "colour": "white"}


def test_inb_04_an_unreadable_proposal_is_refused_and_nothing_typed_is_lost(desk: Desk, window: Opener) -> None:
    item = desk.approve("Order pens", proposal={"pens": 10})
    shown = window()
    page = shown.open(f"/inbox/{item}/")
    page.get_by_label("Proposal, yours to edit").fill("{pens: 3}")
    page.get_by_label("Note").fill("Three will do.")
    page.get_by_role("button", name="Approve").click()
    page.get_by_role("alert").filter(has_text="not valid JSON").wait_for()
    assert page.get_by_label("Proposal, yours to edit").input_value() == "{pens: 3}"
    assert page.get_by_label("Note").input_value() == "Three will do."
    assert desk.answer(item, timeout_s=0)["status"] == "pending"
    shown.said = [line for line in shown.said if "422" not in line]  # the browser notes the status of the refusal


def test_inb_04_declining_says_why(desk: Desk, window: Opener) -> None:
    item = desk.approve("Paint the desk pink", deadline_s=3600)
    page = window().open(f"/inbox/{item}/")
    assert page.get_by_text("Without a decision it counts as declined.").is_visible()
    page.get_by_label("Note").fill("No.")
    page.get_by_role("button", name="Decline").click()
    page.get_by_text("Declined by admin").wait_for()
    payload = desk.answer(item)["answer"]["payload"]
    assert (payload["approved"], payload["note"]) == (False, "No.")


def test_inb_01_opening_changes_nothing_and_the_read_axis_is_by_hand(desk: Desk, window: Opener) -> None:
    done = desk.signal("The left drawer is finished", kind="finished")
    page = window().open(f"/inbox/{done}/")
    page.reload()
    page.get_by_role("button", name="Mark read").click()
    page.get_by_role("button", name="Mark unread").wait_for()
    page.get_by_role("button", name="Mark unread").click()
    page.get_by_role("button", name="Mark read").wait_for()


def test_inb_05_a_deadline_counts_down(desk: Desk, window: Opener) -> None:
    question = desk.ask("Quick?", deadline_s=600)
    page = window().open(f"/inbox/{question}/")
    due = page.locator(".item time.due")
    first = due.inner_text()
    assert "min" in first
    assert "soon" in (due.get_attribute("class") or "")
    page.wait_for_function("first => document.querySelector('.item time.due').innerText !== first", arg=first)


def test_hum_02_the_inbox_by_keyboard(desk: Desk, window: Opener) -> None:
    older = desk.signal("Keyboard drawer one is finished", kind="finished")
    newer = desk.signal("Keyboard drawer two is finished", kind="finished")
    page = window().open(f"/inbox/{newer}/")
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.id") == f"entry-{older}"
    page.keyboard.press("k")
    assert page.evaluate("document.activeElement.id") == f"entry-{newer}"
    page.keyboard.press("e")
    page.wait_for_selector(f"#entry-{newer}[data-status=read]")
    page.keyboard.press("u")
    page.wait_for_selector(f"#entry-{newer}[data-status=unread]")
    page.wait_for_function("id => document.activeElement.id === id", arg=f"entry-{newer}")
    page.keyboard.press("j")
    page.wait_for_function("id => document.activeElement.id === id", arg=f"entry-{older}")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/inbox/{older}/")  # which changes before the page does
    page.locator(".item .subject", has_text="Keyboard drawer one is finished").wait_for()
    page.keyboard.press("?")
    page.get_by_role("heading", name="Keys").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    page.get_by_text("Marked").wait_for()
    assert page.locator(".entry[data-status=unread]").count() == 0


def test_inb_04_a_half_typed_answer_survives_what_arrives(desk: Desk, window: Opener) -> None:
    question = desk.ask("What shall the label say?")
    page = window().open(f"/inbox/{question}/")
    field = page.get_by_label("Answer", exact=True)
    field.click()
    page.keyboard.type("Letters, ")
    desk.ask("Another question arrives meanwhile")
    page.locator(".entry", has_text="Another question arrives meanwhile").wait_for()
    page.keyboard.type("1990 to 1999")
    assert field.input_value() == "Letters, 1990 to 1999"
    page.reload()
    assert field.input_value() == "Letters, 1990 to 1999"


def test_inb_04_two_people_answer_and_the_second_is_told(desk: Desk, window: Opener) -> None:
    question = desk.ask("First come?", options=["Yes", "No"])
    shown = window(java_script_enabled=False)
    shown.page.goto(f"/inbox/{question}/")
    assert desk.eli.post(f"/questions/{question}/answers", body="Me first.").status == 200
    shown.page.get_by_role("button", name="Yes").click()
    assert shown.page.get_by_role("alert").inner_text() == "It was resolved before."
    assert shown.page.get_by_text("Answered by eli").is_visible()
    shown.said = [line for line in shown.said if "409" not in line]


def test_hum_02_every_form_works_without_script(desk: Desk, window: Opener) -> None:
    question = desk.ask("Without script?", options=["Yes"])
    item = desk.approve("Approve without script", proposal={"a": 1})
    done = desk.signal("Finished without script", kind="finished")
    page = window(java_script_enabled=False).page
    page.goto(f"/inbox/{question}/")
    page.get_by_role("button", name="Yes").click()
    assert page.url.endswith(f"/inbox/{question}/")
    assert page.get_by_text("Answered by admin").is_visible()
    page.goto(f"/inbox/{item}/")
    page.get_by_label("Proposal, yours to edit").fill(json.dumps({"a": 2}))
    page.get_by_role("button", name="Approve").click()
    assert page.get_by_text("Proposal as approved, edited").is_visible()
    page.goto(f"/inbox/{done}/")
    page.get_by_role("button", name="Mark read").click()
    assert page.get_by_role("button", name="Mark unread").is_visible()
    page.goto("/inbox/")
    desk.signal("One more finished without script", kind="finished")
    page.reload()
    page.get_by_role("button", name="Mark all read").click()
    assert re.search(r"Marked \d+ read", page.locator(".note").inner_text())
    assert page.locator(".entry[data-status=unread]").count() == 0


def test_inb_04_the_waiting_agent_has_the_answer_within_a_second(desk: Desk, window: Opener) -> None:
    question = desk.ask("Fast?", options=["Now"])
    page = window().open(f"/inbox/{question}/")
    button = page.get_by_role("button", name="Now")
    with desk.waiting(question) as answered:
        button.click()
        clicked = time.monotonic()
        answer, at = answered()
    assert answer["answer"]["payload"]["body"] == "Now"
    assert at - clicked < 1


def test_hum_02_a_hub_that_is_away_loses_nothing_typed(desk: Desk, window: Opener) -> None:
    question = desk.ask("Still there?")
    shown = window()
    page = shown.open(f"/inbox/{question}/")
    field = page.get_by_label("Answer", exact=True)
    field.fill("I was typing")
    page.route("**/answer/", lambda route: route.abort())
    page.get_by_role("button", name="Answer").click()
    page.get_by_text("The hub did not answer.").wait_for()
    assert field.input_value() == "I was typing"
    page.unroute("**/answer/")
    page.get_by_role("button", name="Answer").click()
    page.get_by_text("Answered by admin").wait_for()
    assert page.evaluate("Object.keys(sessionStorage).length") == 0
    shown.said = [line for line in shown.said if "ERR_FAILED" not in line and "Failed to fetch" not in line]
