"""Nothing an artifact holds runs in the hub's origin, leaves its frame or calls anybody (HUM-03, ART-04)."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from tests.browser.conftest import Desk, Opener, Window
from tests.browser.test_artifacts import publish, say
from tests.browser.test_artifacts_protected import client, sealed, unlock
from tests.browser.test_injection import ESCAPED, NOTHING
from tests.browser.test_injection import PAYLOADS as OLDER

if TYPE_CHECKING:
    from playwright.sync_api import Frame, Page

__all__ = ["client"]  # a fixture

HOSTILE = (Path(__file__).parent / "hostile.html").read_text()
SILENCE = b"silence"
# What WebRTC and the like may do is closed by a header browsers have known only lately.
KNOWS_ALLOWLISTS = 156
MORE = [
    "<body onload=window.owned=1>",
    "<input autofocus onfocus=window.owned=1>",
    "<details open ontoggle=window.owned=1>x</details>",
    "<video><source onerror=window.owned=1></video>",
    "<object data='data:text/html,<script>parent.owned=1</script>'></object>",
    "<embed src='javascript:window.owned=1'>",
    "<base href='https://evil.example/'>",
    "<meta http-equiv=refresh content='0;url=https://evil.example/'>",
    "<link rel=stylesheet href='https://evil.example/x.css'>",
    "<svg><script>window.owned=1</script></svg>",
    "<svg><a xlink:href='javascript:window.owned=1'><text y=9>x</text></a></svg>",
    "<svg><animate onbegin=window.owned=1 attributeName=x dur=1s>",
    "<a href='jav&#x09;ascript:window.owned=1'>x</a>",
    "[x](<java\tscript:window.owned=1>)",
    "[x]: javascript:window.owned=1\n\n[x]",
    "<javascript:window.owned=1>",
    "<noscript><p title='</noscript><img src=x onerror=window.owned=1>'>",
    "<template><script>window.owned=1</script></template>",
    "&lt;script&gt;window.owned=1&lt;/script&gt;",
    "\u202e<script>window.owned=1</script>",
    '"><iframe sandbox="allow-same-origin allow-scripts" srcdoc="<script>parent.owned=1</script>">',
    "' autofocus onfocus='window.owned=1",
    '" sandbox="allow-scripts allow-same-origin allow-top-navigation',
    "![x](data:image/svg+xml,<svg onload=window.owned=1>)",
]
PAYLOADS = [*OLDER, *MORE]
# A frame may show another document of its own; each of these would be somebody else's.
LEAVING = [
    "<meta http-equiv=refresh content='0;url=FAR/refresh'>",
    "<script>location = 'FAR/location'</script>",
    "<script>location.replace('FAR/replace')</script>",
    "<script>window.open('FAR/self', '_self')</script>",
    "<a id=a href='FAR/link'>x</a><script>a.click()</script>",
    "<script>location = 'HUB/inbox/'</script>",
    "<script>location = 'HUB/logout/'</script>",
    "<script>location = 'javascript:\"<script>top.owned=1<\\/script>\"'</script>",
    "<script>location = 'data:text/html,<script>top.owned=1<\\/script>'</script>",
    "<script>location = URL.createObjectURL(new Blob(['<p>Muster'], {type: 'text/html'}))</script>",
]
FRAMES = """artifacts => document.body.append(...artifacts.map((artifact) => {
    const frame = document.createElement('iframe');
    frame.sandbox = 'allow-scripts';
    frame.src = `/artifact/${artifact}/1/frame/`;
    return frame;
}))"""
CALL = """<script>window.done = (async () => {
    const call = new RTCPeerConnection({iceServers: [{urls: 'STUN'}]});
    const all = new Promise((resolve) => { call.onicecandidate = (event) => event.candidate || resolve(); });
    call.createDataChannel('x');
    await call.setLocalDescription(await call.createOffer());
    await all;
})()</script>"""


@dataclass
class Afar:
    """Somebody else's machine, and who called it."""

    url: str
    stun: str
    calls: list[bytes] = field(default_factory=list)


@pytest.fixture
def afar() -> Iterator[Afar]:
    """Listen where no artifact may call."""
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.bind(("127.0.0.1", 0))
        afar = Afar(f"http://127.0.0.1:{tcp.getsockname()[1]}", f"stun:127.0.0.1:{udp.getsockname()[1]}")
        with listening(lambda: afar.calls.append(taken(tcp))), listening(lambda: afar.calls.append(udp.recv(2048))):
            yield afar
            tcp.shutdown(socket.SHUT_RDWR)
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
                last.sendto(b"", udp.getsockname())


@contextmanager
def listening(take: Any) -> Iterator[None]:
    """Take calls in a thread until the socket is shut, or an empty one comes."""

    def run() -> None:
        try:
            while True:
                take()
        except OSError:
            return

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    yield


def taken(tcp: socket.socket) -> bytes:
    """Answer the first bytes of the next call."""
    connection, _ = tcp.accept()
    with connection:
        connection.settimeout(1)
        try:
            return connection.recv(200)
        except TimeoutError:
            return SILENCE


def knows_allowlists(page: "Page") -> bool:
    """Tell whether the browser keeps a document from opening connections it then makes no use of, and WebRTC."""
    browser = page.context.browser
    return browser is not None and int(browser.version.partition(".")[0]) >= KNOWS_ALLOWLISTS


def aimed(source: str, desk: Desk, afar: Afar) -> str:
    """Answer a document with the addresses it attacks."""
    return source.replace("FAR", afar.url).replace("HUB", desk.hub.url)


class Watch:
    """What a page does beside showing itself."""

    def __init__(self, shown: Window) -> None:
        self.did: list[str] = []
        self.answered: list[str] = []
        page = shown.page
        page.on("dialog", lambda dialog: self._note("dialog", dialog))
        page.on("popup", lambda popup: self._note("popup", popup))
        page.on("download", lambda download: self._note("download", download))
        page.on("crash", lambda _: self._note("crash", page))
        page.on("response", lambda response: self.answered.append(response.url))

    def _note(self, what: str, thing: object) -> None:
        self.did.append(f"{what}: {thing}")


def settled(frame: "Frame") -> dict[str, str]:
    """Answer what came of the attempts of the hostile document."""
    frame.wait_for_function("() => Object.keys(results).length > 60 && !Object.values(results).includes('pending')")
    return dict(frame.evaluate("results"))


def frame_of(page: "Page", selector: str) -> "Frame":
    """Answer the document in a frame."""
    element = page.wait_for_selector(selector)
    frame = None if element is None else element.content_frame()
    assert frame is not None
    return frame


def still_the_hub(page: "Page", address: str, desk: Desk, afar: Afar, watch: Watch) -> None:
    """Fail if the page was led away, marked, or signed out, or if anybody was called."""
    assert page.url == f"{desk.hub.url}{address}"
    assert page.evaluate("window.owned") is None
    assert "owned" not in page.evaluate("document.cookie")
    assert watch.did == []
    assert [call for call in afar.calls if call not in {b"", SILENCE} or knows_allowlists(page)] == []
    elsewhere = [url for url in watch.answered if not url.startswith(desk.hub.url)]
    assert [url for url in elsewhere if not url.startswith(("data:", "blob:"))] == []
    signed_in = httpx.get(f"{desk.hub.url}/human/api/v1/projects", cookies=desk.cookies, trust_env=False, timeout=60)
    assert signed_in.status_code == httpx.codes.OK


def test_hum_03_a_hostile_page_gets_hold_of_nothing(desk: Desk, afar: Afar, window: Opener) -> None:
    address = f"/artifact/{publish(desk, 'Hostile', 'html', aimed(HOSTILE, desk, afar))}/"
    shown = window()
    watch = Watch(shown)
    shown.page.goto("/connect/")  # somewhere to be led back to
    page = shown.open(address)
    results = settled(frame_of(page, "iframe#viewer"))
    assert {name: got for name, got in results.items() if got not in {"refused", "nothing"}} == {}
    page.get_by_label("Comment on version 1").fill("The page still works.")
    page.get_by_role("button", name="Comment", exact=True).click()
    page.locator(".comment", has_text="The page still works.").wait_for()
    still_the_hub(page, address, desk, afar, watch)
    hub = {url.removeprefix(desk.hub.url).partition("?")[0] for url in watch.answered}
    assert not hub & {"/inbox/", "/logout/", "/storage/", "/human/api/v1/projects"}
    shown.said = []  # a browser notes each refusal


def test_hum_03_a_hostile_page_that_was_sealed_gets_hold_of_nothing(
    desk: Desk, afar: Afar, client: Any, window: Opener
) -> None:
    address = f"/artifact/{sealed(desk, client, 'html', aimed(HOSTILE, desk, afar).encode())}/"
    shown = window()
    watch = Watch(shown)
    page = shown.open(address)
    unlock(page)
    results = settled(frame_of(page, "#opened iframe"))
    assert {name: got for name, got in results.items() if got not in {"refused", "nothing"}} == {}
    page.get_by_role("button", name="Lock").click()
    still_the_hub(page, address, desk, afar, watch)
    shown.said = []


def test_hum_03_a_frame_that_leaves_arrives_nowhere(desk: Desk, afar: Afar, window: Opener) -> None:
    leaving = [publish(desk, "Leaving", "html", aimed(payload, desk, afar)) for payload in LEAVING]
    address = f"/artifact/{leaving[0]}/"
    shown = window()
    watch = Watch(shown)
    page = shown.open(address)
    page.evaluate(FRAMES, leaving[1:])
    page.wait_for_load_state("networkidle")
    still_the_hub(page, address, desk, afar, watch)
    inside = [frame for frame in page.frames if frame is not page.main_frame]
    assert len(inside) == len(LEAVING)
    assert [frame.url for frame in inside if frame.url.startswith((afar.url, "data:", "blob:"))] == []
    assert [frame.title() for frame in inside if "Muster" in frame.content()] == []  # no page of the hub in a frame
    shown.said = []


def test_hum_03_opened_by_itself_a_page_has_no_origin_either(desk: Desk, afar: Afar, window: Opener) -> None:
    artifact = publish(desk, "Alone", "html", "<script>document.title = self.origin</script>")
    shown = window()
    page = shown.page
    page.goto(f"/artifact/{artifact}/1/frame/")
    assert page.url == f"{desk.hub.url}/artifact/{artifact}/?version=1"  # shown where it is framed
    page.route("**/1/frame/", lambda route: route.fulfill(response=route.fetch(headers={"cookie": cookie(desk)})))
    page.goto(f"/artifact/{artifact}/1/frame/")  # as for a browser that does not say where it shows it
    assert page.title() == "null"
    page.goto(f"/artifact/{artifact}/1/raw/")
    assert "document.title" in page.locator("body").inner_text()
    shown.said = []


def cookie(desk: Desk) -> str:
    """Answer the cookies of who is signed in, as a header."""
    return "; ".join(f"{name}={value}" for name, value in desk.cookies.items())


def test_hum_03_a_call_from_browser_to_browser_reaches_nobody(desk: Desk, afar: Afar, window: Opener) -> None:
    shown = window()
    if not knows_allowlists(shown.page):
        pytest.skip("this browser does not know Connection-Allowlist")
    page = shown.open(f"/artifact/{publish(desk, 'Caller', 'html', CALL.replace('STUN', afar.stun))}/")
    frame_of(page, "iframe#viewer").evaluate("Promise.race([window.done, new Promise(end => setTimeout(end, 2000))])")
    assert afar.calls == []
    shown.said = []


def hostile_words(desk: Desk) -> list[str]:
    """Let hostile words stand wherever an agent writes some; answers the pages that show them."""
    lines = [" ".join(payload.split()) for payload in PAYLOADS]
    everything = "\n\n".join(PAYLOADS)
    shown = [
        publish(desk, line[:200], "text", line, description=payload, label=line[:63])
        for line, payload in zip(lines, PAYLOADS, strict=True)
    ]
    document = publish(desk, lines[3], "markdown", everything, description=everything[:2000])
    desk.dora.post(f"/artifacts/{document}/versions", content=everything[::-1], base_version=1)
    for payload in PAYLOADS:
        say(desk, document, payload, version=1, anchor={"quote": payload})
    code = publish(desk, lines[42], "code", everything, language="html")
    text = publish(desk, lines[5], "text", everything)
    numbers = publish(desk, lines[6], "json", httpx.Request("POST", "http://x", json=PAYLOADS).content.decode())
    sealed_name = publish(desk, lines[41], "other", everything.encode())
    comment = say(desk, text, everything[:8000])
    return [
        f"/project/{desk.project}/artifacts/",
        f"/project/{desk.project}/artifacts/?by=agent",
        f"/project/{desk.project}/?kind=artifact",
        f"/session/{desk.session}/",
        "/",
        f"/inbox/{comment}/",
        f"/artifact/{document}/?version=1",
        f"/artifact/{document}/?version=1&source=1",
        f"/artifact/{document}/diff/",
        *(f"/artifact/{artifact}/" for artifact in (code, text, numbers, sealed_name, shown[3], shown[4], shown[-3])),
    ]


def test_hum_03_no_payload_runs_wherever_an_agent_writes(desk: Desk, window: Opener) -> None:
    assert len(PAYLOADS) >= 30
    shown = window()
    watch = Watch(shown)
    for address in hostile_words(desk):
        page = shown.open(address)
        page.locator("main details").evaluate_all("all => all.forEach(details => { details.open = true; })")
        escaped = page.evaluate(ESCAPED)
        assert escaped == NOTHING, address
        assert page.locator("main iframe").count() == 0, address
    assert watch.did == []
    assert {url.split("/")[2] for url in watch.answered if url.startswith("http")} == {desk.hub.url.split("/")[2]}
    shown.said = [line for line in shown.said if "404" not in line]  # pictures of pages that are not there
