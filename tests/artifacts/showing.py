"""Artifacts as tests publish them and look at them: forms, bytes of each kind, and what lies in the blob store."""

import asyncio
import base64
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from asgiref.sync import async_to_sync, sync_to_async
from django.conf import settings

from artifacts.models import ArtifactVersion
from hubsite.uploads import UploadEndpoint
from tests.inprocess import Json, Outcome, Tools

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
PDF = b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n"
ENVELOPE: Json = {
    "algorithm": "AES-256-GCM",
    "kdf": "PBKDF2-SHA-256",
    "iterations": 600_000,
    "salt": base64.b64encode(b"s" * 16).decode(),
    "iv": base64.b64encode(b"i" * 12).decode(),
}
CIPHERTEXT = base64.b64encode(b"\xff" * 40).decode()
BOUNDARY = "0f1e2d3c"
FORM = f"multipart/form-data; boundary={BOUNDARY}"


def text(content: str = "one", **more: object) -> Json:
    """Answer the arguments of a small publication in atlas."""
    return {"project": "atlas", "title": "Report", "kind": "text", "content": content, **more}


def publish(tools: Tools, content: str = "one", **more: object) -> str:
    """Publish a small artifact; answers its id."""
    artifact: str = tools("artifact_publish", **text(content, **more))["artifact"]
    return artifact


def sealed(**changes: object) -> Json:
    """Answer the arguments of a protected publication in atlas, with changes to its envelope."""
    envelope = {name: value for name, value in {**ENVELOPE, **changes}.items() if value is not None}
    return text(CIPHERTEXT, encoding="base64", envelope=envelope)


def blobs() -> list[Path]:
    """Answer every file of the blob store, those on their way in too."""
    return sorted(path for path in (Path(settings.DATA_DIR) / "artifacts").rglob("*") if path.is_file())


def blob_names() -> list[str]:
    """Answer the files of the blob store as versions name them."""
    root = Path(settings.DATA_DIR) / "artifacts"
    return [str(path.relative_to(root)) for path in blobs()]


def versions_and_blobs_agree() -> None:
    """Fail unless the store holds exactly the bytes of the versions there are."""
    assert blob_names() == sorted(ArtifactVersion.objects.values_list("blob", flat=True))


def part(name: str, value: object, *lines: str) -> bytes:
    """Answer one part of a form; bytes are a file."""
    is_file = isinstance(value, bytes)
    value = value if isinstance(value, bytes) else _written(value)
    named = f'Content-Disposition: form-data; name="{name}"' + ('; filename="x"' if is_file else "")
    return "\r\n".join([f"--{BOUNDARY}", named, *lines, "", ""]).encode() + value + b"\r\n"


def _written(value: object) -> bytes:
    return (value if isinstance(value, str) else json.dumps(value)).encode()


def form(fields: Json) -> bytes:
    """Answer a whole form."""
    return b"".join([*(part(name, value) for name, value in fields.items()), f"--{BOUNDARY}--\r\n".encode()])


class Uploader:
    """Uploads in this process, the database work on the test's own thread; ``read`` counts the messages taken."""

    def __init__(self, token: str | None) -> None:
        self.token = token
        self.read = 0
        self.status = 0
        self.headers: dict[str, str] = {}

    def publish(self, project: str = "atlas", /, **fields: object) -> Outcome:
        """Upload an artifact."""
        return self.send(f"/projects/{project}/artifacts/upload", [form(fields)])

    def update(self, artifact: str, /, **fields: object) -> Outcome:
        """Upload a version."""
        return self.send(f"/artifacts/{artifact}/versions/upload", [form(fields)])

    def send(  # noqa: PLR0913 - what a request is made of
        self,
        path: str,
        chunks: Sequence[bytes],
        *,
        method: str = "POST",
        content_type: str = FORM,
        length: int | None = None,
        stays: bool = True,
    ) -> Outcome:
        """Send a body in chunks; a client that does not stay is gone after the last, its body unfinished."""
        lines = {"host": "127.0.0.1", "content-type": content_type}
        lines |= {"authorization": f"Bearer {self.token}"} if self.token else {}
        lines |= {} if length is None else {"content-length": str(length)}
        headers = [(name.encode(), value.encode()) for name, value in lines.items()]
        scope = {"type": "http", "method": method, "path": f"/api/v1{path}", "scheme": "http", "headers": headers}
        return async_to_sync(self._exchange)(scope, chunks, stays=stays)

    async def _exchange(self, scope: Json, chunks: Iterable[bytes], *, stays: bool) -> Outcome:
        waiting, body = list(chunks), bytearray()
        self.read = self.status = 0

        async def receive() -> Json:
            self.read += 1
            if waiting:
                return {"type": "http.request", "body": waiting.pop(0), "more_body": bool(waiting) or not stays}
            if stays:
                await asyncio.Event().wait()
            return {"type": "http.disconnect"}

        async def send(event: Json) -> None:
            if event["type"] == "http.response.start":
                self.status = event["status"]
                self.headers = {name.decode(): value.decode() for name, value in event["headers"]}
            body.extend(event.get("body", b""))

        await UploadEndpoint(_on_this_thread, _on_this_thread)(scope, receive, send)
        return Outcome(json.loads(bytes(body)) if body else {}, refused=self.status >= 400)


def _on_this_thread(work: Callable[[], Any]) -> Any:
    return sync_to_async(work)()
