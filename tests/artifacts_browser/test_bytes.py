"""ART-04, HUM-03: an artifact's bytes reach a browser as what they are, and never as a page of the hub's origin."""

import base64
import secrets
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from tests.artifacts_browser.conftest import Publish
from tests.inprocess import Tools

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj trailer<</Root 1 0 R>>\n%%EOF\n"
ENVELOPE = {
    "algorithm": "AES-256-GCM",
    "kdf": "PBKDF2-SHA-256",
    "iterations": 600_000,
    "salt": base64.b64encode(b"s" * 16).decode(),
    "iv": base64.b64encode(b"i" * 12).decode(),
}
PLAIN = "text/plain; charset=utf-8"
FILE = "default-src 'none'; sandbox"
FRAME = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:; media-src data: blob:; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'self'"
)


@pytest.mark.parametrize(
    ("kind", "content", "shown_as"),
    [
        ("html", "<script>1</script>", (PLAIN, "inline", "Report.html")),
        ("markdown", "# Hi", (PLAIN, "inline", "Report.md")),
        ("text", "Hi", (PLAIN, "inline", "Report.txt")),
        ("json", "{}", (PLAIN, "inline", "Report.json")),
        ("image", PNG, ("image/png", "inline", "Report.png")),
        ("pdf", PDF, ("application/pdf", "inline", "Report.pdf")),
        ("other", b"\0\1", ("application/octet-stream", "attachment", "Report")),
        ("other", "<script>1</script>", ("application/octet-stream", "attachment", "Report")),
    ],
    ids=lambda value: value if isinstance(value, str) and value.isalpha() else "",
)
def test_art_04_raw_bytes_come_as_themselves_and_never_as_html(
    kind: str, content: str | bytes, shown_as: tuple[str, str, str], publish: Publish, human_client: Client
) -> None:
    at = f"/artifact/{publish(kind, content)}/1/raw/"
    shown = human_client.get(at)
    assert shown.getvalue() == (content.encode() if isinstance(content, str) else content)
    media_type, how, name = shown_as
    assert (shown["Content-Type"], shown["Content-Disposition"]) == (media_type, f'{how}; filename="{name}"')
    assert shown["Content-Security-Policy"] == ("default-src 'none'; frame-ancestors 'self'" if kind == "pdf" else FILE)
    assert shown["X-Frame-Options"] == ("SAMEORIGIN" if kind == "pdf" else "DENY")
    assert shown["X-Content-Type-Options"] == "nosniff"
    assert shown["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "no-store" in shown["Cache-Control"]
    kept = human_client.get(f"{at}?download")
    assert kept["Content-Disposition"].startswith("attachment; ")
    kept.close()


def test_art_04_html_is_framed_with_a_policy_of_its_own(publish: Publish, human_client: Client) -> None:
    at = f"/artifact/{publish('html', '<h1>Hi</h1>')}/1/frame/"
    framed = human_client.get(at, headers={"Sec-Fetch-Dest": "iframe"})
    assert framed.getvalue() == b"<h1>Hi</h1>"
    assert framed["Content-Type"] == "text/html; charset=utf-8"
    assert framed["Content-Security-Policy"] == FRAME
    assert framed["X-Frame-Options"] == "SAMEORIGIN"
    assert framed["X-Content-Type-Options"] == "nosniff"
    assert framed["Referrer-Policy"] == "no-referrer"
    assert framed["X-DNS-Prefetch-Control"] == "off"
    assert framed["Connection-Allowlist"] == "()"
    alone = human_client.get(at, headers={"Sec-Fetch-Dest": "document"})
    assert alone["Location"] == at.replace("/1/frame/", "/?version=1")


@pytest.mark.parametrize("kind", ["text", "markdown", "other", "pdf"])
def test_art_04_nothing_but_html_is_framed(kind: str, publish: Publish, human_client: Client) -> None:
    artifact = publish(kind, PDF if kind == "pdf" else "<script>1</script>")
    assert human_client.get(f"/artifact/{artifact}/1/frame/").status_code == 422


def test_art_03_ciphertext_is_a_download_and_no_frame(publish: Publish, human_client: Client) -> None:
    sealed = secrets.token_bytes(64)
    artifact = publish("html", sealed, envelope=ENVELOPE)
    raw = human_client.get(f"/artifact/{artifact}/1/raw/")
    assert raw.getvalue() == sealed
    assert raw["Content-Type"] == "application/octet-stream"
    assert raw["Content-Disposition"] == 'attachment; filename="Report.html.encrypted"'
    assert human_client.get(f"/artifact/{artifact}/1/frame/").status_code == 422


def test_art_03_the_empty_frame_has_the_policy_of_a_full_one(human_client: Client) -> None:
    shell = human_client.get("/artifact/frame/")
    assert shell["Content-Security-Policy"] == FRAME
    assert shell["X-Frame-Options"] == "SAMEORIGIN"


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("../../etc/passwd", "etc-passwd.txt"),
        ("a/b\\c:d*e?f", "a-b-c-d-e-f.txt"),
        ('x"; filename="evil.exe', "x-- filename--evil.exe.txt"),
        ("report.txt", "report.txt"),
        ("evil\u202etxt.exe", "evil-txt.exe.txt"),
        ("...", None),
        ("<script>alert(1)</script>", "script-alert(1)--script.txt"),
    ],
)
def test_art_04_a_file_name_is_safe(title: str, name: str | None, publish: Publish, human_client: Client) -> None:
    artifact = publish("text", "Hi", title=title)
    answer = human_client.get(f"/artifact/{artifact}/1/raw/?download")
    answer.close()
    expected = name or f"artifact-{artifact}.txt"
    assert answer["Content-Disposition"] == f'attachment; filename="{expected}"'


def test_art_04_a_file_name_keeps_its_letters(publish: Publish, human_client: Client) -> None:
    answer = human_client.get(f"/artifact/{publish('text', 'Hi', title='Übersicht 日本')}/1/raw/?download")
    answer.close()
    assert answer["Content-Disposition"] == ("attachment; filename*=utf-8''%C3%9Cbersicht%20%E6%97%A5%E6%9C%AC.txt")


@pytest.mark.parametrize(("language", "ending"), [("python", ".py"), ("rust", ".rs"), ("text", ".txt"), ("", ".txt")])
def test_art_04_code_ends_as_its_language_does(
    language: str, ending: str, publish: Publish, human_client: Client
) -> None:
    answer = human_client.get(f"/artifact/{publish('code', 'x', title='Run', language=language)}/1/raw/")
    answer.close()
    assert answer["Content-Disposition"] == f'inline; filename="Run{ending}"'


@pytest.mark.parametrize("at", ["raw", "frame"])
def test_art_02_bytes_that_are_gone_are_said_to_be_gone(at: str, publish: Publish, human_client: Client) -> None:
    artifact = publish("html", "<h1>Hi</h1>")
    for blob in (Path(settings.DATA_DIR) / "artifacts" / "atlas").iterdir():
        blob.unlink()
    answer = human_client.get(f"/artifact/{artifact}/1/{at}/")
    assert answer.status_code == 503
    assert "The bytes of this version are gone." in answer.text
    page = human_client.get(f"/artifact/{artifact}/")
    assert "The bytes of this version are gone." in page.text
    assert "<iframe" not in page.text


@pytest.mark.parametrize("at", ["", "1/raw/", "1/frame/", "diff/", "2/raw/"])
def test_art_04_only_people_who_run_the_hub_see_artifacts(
    at: str, publish: Publish, tools: Tools, client: Client
) -> None:
    answer = client.get(f"/artifact/{publish('html', 'secret')}/{at}")
    assert answer.status_code == 302
    assert answer["Location"].startswith("/login/")


@pytest.mark.parametrize("at", ["2/raw/", "0/raw/", "99999999999/raw/", "?version=2", "?version=x", "?version=-1"])
def test_art_01_a_version_that_never_was_is_not_found(at: str, publish: Publish, human_client: Client) -> None:
    assert human_client.get(f"/artifact/{publish('text', 'x')}/{at}").status_code == 404
