"""Publish artifacts to a Muster hub that only somebody with the password can read.

The bytes are encrypted here, before they are sent; the hub keeps ciphertext and never sees the password or the key.
People open such an artifact in their browser, which asks for the password. Needs Python 3.10 and `cryptography`.

    export HUB_URL=http://127.0.0.1:8000 HUB_TOKEN=hub_... HUB_ARTIFACT_PASSWORD=...
    python protect.py publish report.html --project atlas --title "Quarter" --kind html
    python protect.py update ARTIFACT report.html --base-version 1
    python protect.py read ARTIFACT > report.html

Without HUB_ARTIFACT_PASSWORD it asks for the password. It takes none as an argument: other users of the machine can
read those. Title, description, label, kind, size and comments stay readable on the hub.

The format: key = PBKDF2-HMAC-SHA-256(password, salt, iterations), 32 bytes, the password as UTF-8 in normal form C;
ciphertext = AES-256-GCM(key, iv), no additional data, with the tag of 16 bytes at its end. The envelope holds
algorithm, kdf, iterations, and salt and iv as base64.
"""

import argparse
import base64
import getpass
import hashlib
import json
import os
import sys
import unicodedata
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

ITERATIONS = 600_000
PART_BYTES = 3 * 1024 * 1024
Json = dict[str, Any]


def key_of(password: str, salt: bytes, iterations: int) -> bytes:
    """Answer the key a password makes with a salt."""
    secret = unicodedata.normalize("NFC", password).encode()
    return hashlib.pbkdf2_hmac("sha256", secret, salt, iterations, 32)


def seal(password: str, data: bytes) -> tuple[Json, bytes]:
    """Answer the envelope and the ciphertext of `data`. Salt and iv are new each time: never use a pair twice."""
    salt, iv = os.urandom(16), os.urandom(12)
    envelope = {
        "algorithm": "AES-256-GCM",
        "kdf": "PBKDF2-SHA-256",
        "iterations": ITERATIONS,
        "salt": base64.b64encode(salt).decode(),
        "iv": base64.b64encode(iv).decode(),
    }
    return envelope, AESGCM(key_of(password, salt, ITERATIONS)).encrypt(iv, data, None)


def open_(password: str, envelope: Json, ciphertext: bytes) -> bytes:
    """Answer what was sealed; ValueError for a wrong password, or bytes that were changed."""
    salt, iv = (base64.b64decode(envelope[name]) for name in ("salt", "iv"))
    try:
        return AESGCM(key_of(password, salt, envelope["iterations"])).decrypt(iv, ciphertext, None)
    except InvalidTag:
        raise ValueError("The password is wrong, or the content was changed.") from None


class Hub:
    """The hub's HTTP API, as far as artifacts need it."""

    def __init__(self, url: str, token: str) -> None:
        self._url = url.rstrip("/") + "/api/v1"
        self._headers = {"Authorization": f"Bearer {token}"}

    def upload(self, path: str, fields: dict[str, str], content: bytes) -> Json:
        """Send a form with the file ``content``."""
        boundary = os.urandom(16).hex()
        parts = [
            f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
            for name, value in fields.items()
        ]
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="content"; filename="content"\r\n\r\n'
        body = b"".join([*parts, head.encode(), content, f"\r\n--{boundary}--\r\n".encode()])
        return self._call(path, body, {"Content-Type": f"multipart/form-data; boundary={boundary}"})

    def read(self, artifact: str, version: int | None) -> tuple[Json, bytes]:
        """Answer a version and its bytes, a part at a time."""
        content, offset = b"", 0
        while True:
            wanted = {"encoding": "base64", "offset": offset, "limit": PART_BYTES}
            wanted |= {"version": version} if version else {}
            part = self._call(f"/artifacts/{urllib.parse.quote(artifact)}?{urllib.parse.urlencode(wanted)}")
            if part["content"] is None:
                raise SystemExit("The bytes of this version are gone.")
            content += base64.b64decode(part["content"])
            if part["next_offset"] is None:
                return part, content
            version, offset = part["version"], part["next_offset"]

    def _call(self, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> Json:
        request = urllib.request.Request(self._url + path, body, self._headers | (headers or {}))  # noqa: S310 - the hub's
        try:
            with urllib.request.urlopen(request) as response:  # noqa: S310 - so too
                return dict(json.load(response))
        except urllib.error.HTTPError as error:
            raise SystemExit(f"The hub refused ({error.code}): {error.read().decode(errors='replace')}") from None


def publish(hub: Hub, given: argparse.Namespace, password: str) -> Json:
    """Publish a file as a new artifact."""
    envelope, ciphertext = seal(password, given.file.read_bytes())
    return hub.upload(
        f"/projects/{urllib.parse.quote(given.project)}/artifacts/upload", _fields(given, envelope), ciphertext
    )


def update(hub: Hub, given: argparse.Namespace, password: str) -> Json:
    """Publish a file as an artifact's next version."""
    envelope, ciphertext = seal(password, given.file.read_bytes())
    path = f"/artifacts/{urllib.parse.quote(given.artifact)}/versions/upload"
    return hub.upload(path, _fields(given, envelope), ciphertext)


def _fields(given: argparse.Namespace, envelope: Json) -> dict[str, str]:
    names = ("title", "kind", "description", "label", "language", "session", "base_version", "idempotency_key")
    told = {name: str(value) for name in names if (value := getattr(given, name, None)) is not None}
    return told | {"envelope": json.dumps(envelope)}


def parser() -> argparse.ArgumentParser:
    """Describe the command line."""
    whole = argparse.ArgumentParser(description="Publish artifacts only somebody with the password can read.")
    commands = whole.add_subparsers(dest="command", required=True)
    new = commands.add_parser("publish", help="publish a file as a new artifact")
    new.add_argument("file", type=Path)
    for name in ("project", "title", "kind"):
        new.add_argument(f"--{name}", required=True)
    change = commands.add_parser("update", help="publish a file as the next version of an artifact")
    change.add_argument("artifact")
    change.add_argument("file", type=Path)
    change.add_argument("--base-version", type=int, required=True)
    change.add_argument("--title")
    for command in (new, change):
        for name in ("description", "label", "language", "session", "idempotency-key"):
            command.add_argument(f"--{name}")
    read = commands.add_parser("read", help="write what an artifact holds to standard output")
    read.add_argument("artifact")
    read.add_argument("--version", type=int)
    return whole


def ask(*, twice: bool) -> str:
    """Ask for a password; one that seals is typed twice, for nobody can reset it."""
    password = getpass.getpass("Password of the artifact: ")
    if not password or (twice and getpass.getpass("Once more: ") != password):
        raise SystemExit("These were not the same password, or there was none.")
    return password


def main() -> None:
    """Do what the command line says."""
    given = parser().parse_args()
    if "HUB_TOKEN" not in os.environ:
        raise SystemExit("Set HUB_TOKEN to the agent's token.")
    hub = Hub(os.environ.get("HUB_URL", "http://127.0.0.1:8000"), os.environ["HUB_TOKEN"])
    password = os.environ.get("HUB_ARTIFACT_PASSWORD") or ask(twice=given.command != "read")
    if given.command == "read":
        version, content = hub.read(given.artifact, given.version)
        sys.stdout.buffer.write(open_(password, version["envelope"], content) if version["protected"] else content)
        return
    answer = (publish if given.command == "publish" else update)(hub, given, password)
    sys.stdout.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()
