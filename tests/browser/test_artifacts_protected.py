"""ART-03: the browser opens what the agents' client sealed, and back; the hub learns neither password nor text."""

import base64
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from tests.artifacts.showing import PNG
from tests.browser.conftest import Desk, Opener
from tests.browser.test_artifacts import publish
from tests.running import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Page, Request

PASSWORD = "Zwölf kleine Boxkämpfer"
TEXT = "The password of the safe is on the back of the mirror.\nSecond line <b>"
SEAL = """async ([password, text]) => {
    const { seal } = await import('/static/artifact-envelope.js');
    const { envelope, bytes } = await seal(password, new TextEncoder().encode(text));
    return { envelope, content: btoa(String.fromCharCode(...bytes)) };
}"""
KEPT = """async () => [
    Object.values({ ...localStorage }), Object.values({ ...sessionStorage }), await caches.keys(),
    (await indexedDB.databases()).map((one) => one.name),
]"""


@pytest.fixture(scope="module")
def client() -> Any:
    """The agents' client, as the hub serves it."""
    spec = importlib.util.spec_from_file_location("protect", ROOT / "static/clients/protect.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def sealed(desk: Desk, client: Any, kind: str, content: bytes) -> str:
    """Let Dora publish something under the password; answers the artifact."""
    envelope, ciphertext = client.seal(PASSWORD, content)
    return publish(desk, f"Sealed {kind}", kind, ciphertext, envelope=envelope)


def unlock(page: "Page", password: str = PASSWORD) -> None:
    """Type a password and send it to nobody."""
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Open").click()


def test_art_03_the_browser_opens_what_the_client_sealed(desk: Desk, client: Any, window: Opener) -> None:
    artifact = sealed(desk, client, "text", TEXT.encode())
    page = window().open(f"/artifact/{artifact}/")
    unlock(page, "a guess")
    page.get_by_text("That password does not open it.").wait_for()
    assert page.get_by_label("Password").input_value() == ""
    assert page.locator("#opened").is_hidden()
    unlock(page)
    page.locator("#opened .lines").wait_for()
    assert page.locator("#opened .lines > span").all_inner_texts() == TEXT.splitlines()
    with page.expect_download() as saved:
        page.get_by_role("link", name="Save decrypted").click()
    assert saved.value.suggested_filename == "Sealed text.txt"
    assert Path(saved.value.path()).read_bytes() == TEXT.encode()
    page.get_by_role("button", name="Lock").click()
    assert page.locator("#opened").is_hidden()
    assert "mirror" not in page.content()


def test_art_03_the_client_opens_what_the_browser_sealed(desk: Desk, client: Any, window: Opener) -> None:
    page = window().open("/connect/")
    made = page.evaluate(SEAL, [PASSWORD, TEXT])
    asked = {"title": "From a browser", "kind": "text", "encoding": "base64", "session": desk.session, **made}
    published = desk.dora.post(f"/projects/{desk.project}/artifacts", **asked)
    assert published.status == httpx.codes.OK, published.json
    read = desk.dora.get(f"/artifacts/{published.json['artifact']}").json
    ciphertext = base64.b64decode(read["content"])
    assert client.open_(PASSWORD, read["envelope"], ciphertext) == TEXT.encode()
    with pytest.raises(ValueError, match="wrong"):
        client.open_("a guess", read["envelope"], ciphertext)


def test_art_03_a_composed_letter_is_the_same_password(desk: Desk, client: Any, window: Opener) -> None:
    page = window().open(f"/artifact/{sealed(desk, client, 'text', TEXT.encode())}/")
    unlock(page, "Zwo\u0308lf kleine Boxka\u0308mpfer")
    page.locator("#opened .lines").wait_for()


def test_art_03_neither_hub_nor_browser_keeps_password_or_text(desk: Desk, client: Any, window: Opener) -> None:
    artifact = sealed(desk, client, "markdown", TEXT.encode())
    shown = window()
    sent: list[Request] = []
    shown.page.on("request", lambda request: sent.append(request))  # noqa: PLW0108 - Playwright marks what it calls
    page = shown.open(f"/artifact/{artifact}/")
    unlock(page)
    page.locator("#opened .lines").wait_for()
    page.get_by_text("it is the hub that renders Markdown").wait_for()
    page.get_by_label("Comment on version 1").fill("Read it.")
    page.get_by_role("button", name="Comment", exact=True).click()
    page.locator(".comment", has_text="Read it.").wait_for()
    assert page.locator("#opened .lines").is_visible()
    assert page.evaluate(KEPT) == [[], [], [], []]
    told = "\n".join(f"{one.url} {one.post_data} {one.headers}" for one in sent)
    assert f"/artifact/{artifact}/1/raw/" in told
    stored = desk.hub.manage("dumpdata").stdout + desk.hub.output()
    files = [path.read_bytes() for path in desk.hub.data_dir.rglob("*") if path.is_file()]
    for secret in (PASSWORD, "Boxk", "back of the mirror"):
        assert secret not in told
        assert secret not in stored
        assert not any(secret.encode() in content for content in files)


def test_art_03_each_kind_is_opened_as_what_it_is(desk: Desk, client: Any, window: Opener) -> None:
    html = b"<!doctype html><h1>Opened</h1><script>document.title = 'ran in ' + self.origin</script>"
    shown = window()
    page = shown.open(f"/artifact/{sealed(desk, client, 'html', html)}/")
    unlock(page)
    frame = page.frame_locator("#opened iframe")
    frame.get_by_role("heading", name="Opened").wait_for()
    assert frame.locator("html").evaluate("() => [document.title, document.compatMode]") == [
        "ran in null",
        "CSS1Compat",
    ]
    assert shown.audit() == []
    page.goto(f"/artifact/{sealed(desk, client, 'image', PNG)}/")
    unlock(page)
    page.locator("#opened img").wait_for()
    assert page.locator("#opened img").evaluate("async image => { await image.decode(); return image.naturalWidth; }")
    page.goto(f"/artifact/{sealed(desk, client, 'image', b'<svg onload=window.owned=1>')}/")
    unlock(page)
    page.get_by_text("This is no image a browser shows safely.").wait_for()
    page.goto(f"/artifact/{sealed(desk, client, 'pdf', b'%PDF-1.4')}/")
    unlock(page)
    page.get_by_text("Decrypted. Download it to open it.").wait_for()
    assert page.evaluate("window.owned") is None


def test_art_03_without_script_the_page_says_what_it_needs(desk: Desk, client: Any, window: Opener) -> None:
    page = window(java_script_enabled=False).page
    page.goto(f"/artifact/{sealed(desk, client, 'text', b'x')}/")
    assert "Opening it needs JavaScript." in str(page.locator("noscript").text_content())
    assert page.get_by_label("Password").is_hidden()
