"""ART-01..03 against a hub that runs: what an upload costs it, and that it learns nothing of what is protected."""

import base64
import json
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
import psycopg
import pytest
from psycopg import sql

from core import limits
from hubsite import uploads
from static.clients import protect
from tests.artifacts.showing import FORM, form
from tests.running import ROOT, Hub

PLACE = "/api/v1/projects/shown/artifacts/upload"
FIELDS: dict[str, object] = {"title": "Report", "kind": "text", "content": b"one"}
HEAD, TAIL = form(FIELDS).rsplit(b"one", 1)
STEP = b"0123456789abcde\n" * 65_536


@dataclass(frozen=True, slots=True)
class Desk:
    """An agent with a live session in project ``shown`` of a hub."""

    hub: Hub
    token: str

    def post(self, content: bytes | Iterator[bytes], **headers: str) -> httpx.Response:
        """Upload a body."""
        headers |= {"Authorization": f"Bearer {self.token}", "Content-Type": FORM}
        return httpx.post(self.hub.url + PLACE, content=content, headers=headers, timeout=60, trust_env=False)

    def half(self) -> socket.socket:
        """Begin an upload and leave it there."""
        client = socket.create_connection(("127.0.0.1", self.hub.port), timeout=30)
        lines = [f"POST {PLACE} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {self.token}"]
        lines += [f"Content-Type: {FORM}", "Content-Length: 10000000", "", ""]
        client.sendall("\r\n".join(lines).encode() + HEAD + b"x" * 600_000)
        return client

    def incoming(self) -> list[Path]:
        return list((self.hub.data_dir / "artifacts" / ".incoming").glob("*"))

    def protect(self, *arguments: str, password: str) -> subprocess.CompletedProcess[bytes]:
        """Run the client."""
        given = {"HUB_URL": self.hub.url, "HUB_TOKEN": self.token, "HUB_ARTIFACT_PASSWORD": password}
        return subprocess.run(  # noqa: S603 - our own client
            [sys.executable, "static/clients/protect.py", *arguments],
            cwd=ROOT,
            env=os.environ | given | {"NO_PROXY": "127.0.0.1"},
            capture_output=True,
            timeout=60,
            check=False,
        )


@pytest.fixture(scope="module")
def desk(hub: Hub) -> Desk:
    hub.project("shown")
    token = hub.agent("shower")
    with hub.api(token) as api:
        assert api.post("/projects/shown/sessions", name="main").status == 200
    return Desk(hub, token)


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def memory(hub: Hub, line: str) -> int:
    """Answer a figure of the serving process in bytes."""
    assert hub.process is not None
    status = Path(f"/proc/{hub.process.pid}/status").read_text()
    return int(status.partition(f"{line}:")[2].split()[0]) * 1024


def test_art_01_an_upload_of_50_mib_costs_the_server_no_memory(desk: Desk) -> None:
    assert desk.post(form(FIELDS)).status_code == 200  # what it needs at its first is there now
    assert desk.hub.process is not None
    with suppress(OSError):  # let the peak begin at what is in use now, where the kernel can
        Path(f"/proc/{desk.hub.process.pid}/clear_refs").write_text("5")
    before = memory(desk.hub, "VmRSS")

    def body() -> Iterator[bytes]:
        yield HEAD
        for _ in range(limits.ARTIFACT_BYTES // len(STEP)):
            yield STEP
        yield TAIL

    length = len(HEAD) + limits.ARTIFACT_BYTES + len(TAIL)
    answer = desk.post(body(), **{"Content-Length": str(length)})
    assert (answer.status_code, answer.json()["size"]) == (200, limits.ARTIFACT_BYTES)
    assert memory(desk.hub, "VmHWM") - before < 30 * 1024 * 1024
    version = {"version": 1, "limit": 16, "offset": limits.ARTIFACT_BYTES - 16}
    with desk.hub.api(desk.token) as api:
        shown = api.get(f"/artifacts/{answer.json()['artifact']}", **version).json
    assert (shown["content"], shown["next_offset"], shown["sha256"]) == (
        "0123456789abcde\n",
        None,
        answer.json()["sha256"],
    )


def test_art_01_over_the_cap_is_refused_however_it_is_sent(desk: Desk) -> None:
    def chunked() -> Iterator[bytes]:
        yield HEAD
        yield from [STEP] * (limits.ARTIFACT_BYTES // len(STEP) + 2)
        yield TAIL

    answer = desk.post(chunked())
    assert (answer.status_code, answer.json()["details"]["field"]) == (413, "content")
    lines = [f"POST {PLACE} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {desk.token}"]
    lines += [f"Content-Type: {FORM}", f"Content-Length: {uploads.MOST_BYTES + 1}", "", ""]
    with socket.create_connection(("127.0.0.1", desk.hub.port), timeout=30) as client:
        client.sendall("\r\n".join(lines).encode())
        answered = b""
        while b"payload_too_large" not in answered and (part := client.recv(65_536)):
            answered += part
    assert answered.startswith(b"HTTP/1.1 413 ")
    wait_until(lambda: desk.incoming() == [])


def test_art_02_uploads_that_stop_hold_up_nobody_and_leave_nothing(desk: Desk) -> None:
    clients = [desk.half() for _ in range(9)]
    try:
        wait_until(lambda: len(desk.incoming()) == len(clients))
        with desk.hub.api(desk.token) as api:
            assert api.get("/whoami").status == 200
        assert desk.post(form(FIELDS)).status_code == 200
    finally:
        for client in clients:
            client.close()
    wait_until(lambda: desk.incoming() == [])
    assert "Traceback" not in desk.hub.output()


def test_agt_01_a_refusal_is_a_problem_like_any_other(desk: Desk) -> None:
    answer = httpx.post(desk.hub.url + PLACE, headers={"Content-Type": FORM}, content=form(FIELDS), trust_env=False)
    assert (answer.status_code, answer.headers["content-type"]) == (401, "application/problem+json")
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert answer.json()["code"] == "unauthenticated"
    answer = desk.post(form(FIELDS)[:-4])
    assert (answer.status_code, answer.json()["details"]["field"]) == (422, "content")
    answer = httpx.get(desk.hub.url + PLACE, trust_env=False)
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def test_art_03_the_client_publishes_what_only_the_password_opens(desk: Desk, tmp_path: Path) -> None:
    password, plain = f"geheim \u00e9 {secrets.token_hex(12)}", f"the plan {secrets.token_hex(24)}".encode() * 50
    file = tmp_path / "plan.html"
    file.write_bytes(plain)
    about = ("--project", "shown", "--title", 'A "plan"', "--kind", "html", "--label", "secret")
    made = desk.protect("publish", str(file), *about, password=password)
    assert made.returncode == 0, made.stderr
    artifact = json.loads(made.stdout)["artifact"]
    with desk.hub.api(desk.token) as api:
        shown = api.get(f"/artifacts/{artifact}").json
    assert (shown["title"], shown["label"], shown["protected"]) == ('A "plan"', "secret", True)
    sealed = base64.b64decode(shown["content"])
    assert protect.open_(password, shown["envelope"], sealed) == plain
    # The same letters, composed in another way, are the same password; a wrong one is told as such.
    assert protect.open_(password.replace("\u00e9", "e\u0301"), shown["envelope"], sealed) == plain
    assert desk.protect("read", artifact, password=password).stdout == plain
    assert desk.protect("read", artifact, password="wrong").returncode == 1

    file.write_bytes(plain + b"2")
    changed = desk.protect("update", artifact, str(file), "--base-version", "1", password=password)
    assert json.loads(changed.stdout)["version"] == 2
    stale = desk.protect("update", artifact, str(file), "--base-version", "1", password=password)
    assert (stale.returncode, b"version_mismatch" in stale.stderr) == (1, True)
    assert desk.protect("read", artifact, "--version", "1", password=password).stdout == plain

    for word in (password.encode(), plain, *_keys(password, shown)):
        assert found(desk.hub, word) == []
    assert found(desk.hub, sealed) != []  # it would have found them


def _keys(password: str, shown: dict[str, dict[str, str]]) -> list[bytes]:
    salt = base64.b64decode(shown["envelope"]["salt"])
    key = protect.key_of(password, salt, protect.ITERATIONS)
    return [key, key.hex().encode(), base64.b64encode(key)]


def found(hub: Hub, word: bytes) -> list[str]:
    """Answer where in a hub's files, log and database some bytes are."""
    part = word[:100]
    files = [hub.log, *(path for path in hub.data_dir.rglob("*") if path.is_file())]
    return [str(path) for path in files if part in path.read_bytes()] + _tables(hub, part)


def _tables(hub: Hub, word: bytes) -> list[str]:
    try:
        text = word.decode()
    except UnicodeDecodeError:
        return []
    url = hub.environment["DATABASE_URL"]
    if not url:
        return []  # the database is one of the files
    query = sql.SQL("SELECT count(*) FROM {} AS line WHERE strpos(line::text, %s) > 0")
    with psycopg.connect(url) as connection:
        names = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        return [
            name
            for (name,) in names
            if connection.execute(query.format(sql.Identifier(name)), [text]).fetchone() != (0,)
        ]


def test_art_03_the_client_takes_no_password_as_an_argument_and_says_what_it_lacks(desk: Desk, tmp_path: Path) -> None:
    refused = desk.protect("read", "x", "--password", "secret", password="x")
    assert (refused.returncode, b"unrecognized" in refused.stderr) == (2, True)
    missing = desk.protect("read", "01J00000000000000000000000", password="x")
    assert (missing.returncode, b"not_found" in missing.stderr) == (1, True)


def test_art_03_the_hub_serves_the_client_its_guide_speaks_of(desk: Desk) -> None:
    guide = httpx.get(f"{desk.hub.url}/SKILL.md", trust_env=False).text
    assert f"{desk.hub.url}/static/clients/protect.py" in guide
    served = httpx.get(f"{desk.hub.url}/static/clients/protect.py", trust_env=False)
    assert served.content == (ROOT / "static" / "clients" / "protect.py").read_bytes()
