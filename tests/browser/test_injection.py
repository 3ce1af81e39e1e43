"""Nothing an agent writes runs, or leaves its place on the page (HUM-03)."""

import httpx

from tests.browser.conftest import Desk, Opener

PAYLOADS = [
    "<script>window.owned = 1</script>",
    "<img src=x onerror=window.owned=1>",
    "<svg onload=window.owned=1>",
    '"><script>window.owned = 1</script>',
    "' onmouseover='window.owned=1' x='",
    "</textarea><script>window.owned = 1</script>",
    "</title></style><script>window.owned = 1</script>",
    "{{ 7|add:7 }}{% load hub %}",
    "[click](javascript:window.owned=1)",
    "[click](data:text/html,<script>window.owned=1</script>)",
    '![x](x" onerror="window.owned=1)',
    "![far](https://evil.example/pixel.png) ![far](//evil.example/pixel.png)",
    '<a href="javascript:window.owned=1" hx-on:click="window.owned=1">x</a>',
    '<div hx-get="/inbox/" hx-trigger="load" data-live="inbox">x</div>',
    "<style>body { display: none }</style>",
    "<iframe srcdoc='<script>parent.owned=1</script>'></iframe>",
    "<form action=/logout/ method=post><button>Free money</button></form>",
    "<math><mtext><table><mglyph><style><img src=x onerror=window.owned=1>",
    "```html\n<script>window.owned = 1</script>\n```",
    "<!--><img src=x onerror=window.owned=1>-->",
]
ESCAPED = """() => [
    window.owned,
    document.querySelectorAll('main :is(script, iframe, style, form[action="/logout/"], [onerror])').length,
    [...document.querySelectorAll('.prose *')].flatMap((e) => [...e.attributes])
        .filter((a) => /^(on|hx-|data-|style)/.test(a.name)).length,
    [...document.querySelectorAll('main a')].filter((a) => !['http:', 'https:', 'mailto:'].includes(a.protocol)).length,
    [...document.querySelectorAll('main img')].filter((i) => new URL(i.src).origin !== location.origin).length,
]"""
NOTHING = [None, 0, 0, 0, 0]


def test_hum_03_no_payload_runs_anywhere(desk: Desk, window: Opener) -> None:
    everything = "\n\n".join(PAYLOADS)
    nasty = [payload.replace("\n", " ") for payload in PAYLOADS]
    signals = [desk.signal(payload, payload={payload: payload}) for payload in nasty]
    question = desk.ask(nasty[0], body=everything, context=everything, options=nasty)
    item = desk.approve(nasty[3], body=everything, proposal={payload: payload for payload in PAYLOADS})
    done = desk.signal(nasty[1], kind="finished", payload={"html": everything})
    desk.page("/fs/nasty/<img src=x onerror=window.owned=1>.md", everything)
    desk.page("/fs/nasty/page.html", everything)
    for path in ("/fs/nasty.md", "/kv/nasty"):
        content = everything if path.startswith("/fs") else '["<script>window.owned=1</script>"]'
        written = desk.dora.put("/brain/entry", store="session", session=desk.session, path=path, content=content)
        assert written.status == httpx.codes.OK
    shown = window()
    for address in [
        "/",
        "/inbox/",
        f"/inbox/{question}/",
        f"/inbox/{item}/",
        f"/inbox/{done}/",
        f"/project/{desk.project}/",
        f"/session/{desk.session}/brain/fs/nasty.md",
        f"/session/{desk.session}/brain/kv/nasty",
        f"/project/{desk.project}/knowledge/nasty/%3Cimg%20src=x%20onerror=window.owned=1%3E.md",
        f"/project/{desk.project}/knowledge/nasty/page.html",
    ]:
        page = shown.open(address)
        for details in page.locator("main details").all():
            details.evaluate("element => element.open = true")
        assert page.evaluate(ESCAPED) == NOTHING, address
    assert signals
    shown.said = [line for line in shown.said if "404" not in line]  # pictures of pages that are not there


def test_hum_03_an_answered_payload_stays_text(desk: Desk, window: Opener) -> None:
    question = desk.ask("Which payload?", options=PAYLOADS[:2])
    page = window().open(f"/inbox/{question}/")
    page.get_by_role("button", name="<script>").click()
    page.get_by_text("Answered by admin").wait_for()
    assert page.evaluate(ESCAPED) == NOTHING
    assert desk.answer(question)["answer"]["payload"]["body"] == PAYLOADS[0]


def test_hum_03_raw_files_are_text_in_a_sandbox(desk: Desk) -> None:
    desk.page("/fs/raw.html", "<script>alert(1)</script>")
    answer = httpx.get(
        f"{desk.hub.url}/project/{desk.project}/raw/raw.html", cookies=desk.cookies, trust_env=False, timeout=60
    )
    assert answer.text == "<script>alert(1)</script>"
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_hub_07_a_picture_in_a_text_does_not_open_a_feed(desk: Desk, window: Opener) -> None:
    desk.signal("Never looked at")
    address = f"/project/{desk.project}/"
    headers = {"Sec-Fetch-Dest": "image"}
    httpx.get(desk.hub.url + address, cookies=desk.cookies, headers=headers, trust_env=False, timeout=60)
    page = window().open("/connect/")
    page.locator("#nav a", has_text="The desk").locator(".dot").wait_for()
