"""An artifact's bytes on their way to a browser: as a document of no origin, or as a file; never as a page of the hub.

An artifact is written by an agent, and opened beside the hub's own pages. HTML is answered with a policy of its own:
scripts run, but in an origin nothing else shares, without storage, forms, windows or network (HUM-03, ART-04).
"""

from collections.abc import AsyncIterator
from typing import Final

from asgiref.sync import sync_to_async
from django.http import FileResponse, HttpResponse
from django.http.response import HttpResponseBase

from artifacts.blobs import open_blob
from artifacts.file_names import file_name
from artifacts.models import TEXTUAL, Artifact, ArtifactVersion, Kind
from core.errors import HubError

FRAME_POLICY: Final = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:; media-src data: blob:; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'self'"
)
FILE_POLICY: Final = "default-src 'none'; sandbox"
# A browser's own viewer shows it, outside the hub's origin; in a sandbox most show nothing.
PDF_POLICY: Final = "default-src 'none'; frame-ancestors 'self'"
# Waits for a document from the page around it, and becomes it: the text of a protected artifact is never on the hub.
# A frame made from a text or a blob would be bound to that page's policy instead of its own.
SHELL: Final = """<!doctype html><meta charset="utf-8"><title>Artifact</title><script>
addEventListener('message', function take(event) {
  if (event.source !== parent || typeof event.data !== 'string') return;
  removeEventListener('message', take);
  document.open();
  document.write(event.data);
  document.close();
});
</script>"""


class StoredFile(FileResponse):
    """A file read a piece at a time, off the request threads, however long the browser takes."""

    block_size = 64 * 1024

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Answer the pieces; Django would read the whole file first."""
        if self.file_to_stream is not None:
            read = sync_to_async(self.file_to_stream.read, thread_sensitive=False)
            while chunk := await read(self.block_size):
                yield chunk


def stored(artifact: Artifact, version: ArtifactVersion, *, download: bool) -> HttpResponseBase:
    """Answer the stored bytes; what no browser shows safely, or may not be read here, is a download."""
    media_type = _shown_as(artifact, version)
    response = _file(artifact, version, media_type or "application/octet-stream", download=download or not media_type)
    is_pdf = artifact.kind == Kind.PDF and not version.protected
    response["Content-Security-Policy"] = PDF_POLICY if is_pdf else FILE_POLICY
    response["X-Frame-Options"] = "SAMEORIGIN" if is_pdf else "DENY"
    return response


def frame(artifact: Artifact, version: ArtifactVersion) -> HttpResponseBase:
    """Answer an HTML version as a document of no origin."""
    return _framed(_file(artifact, version, "text/html; charset=utf-8", download=False))


def shell() -> HttpResponseBase:
    """Answer the document that becomes what the page around it opened."""
    return _framed(HttpResponse(SHELL))


def _shown_as(artifact: Artifact, version: ArtifactVersion) -> str | None:
    if version.protected:
        return None
    if artifact.kind in TEXTUAL:
        return "text/plain; charset=utf-8"
    return version.media_type if artifact.kind in {Kind.IMAGE, Kind.PDF} else None


def _file(artifact: Artifact, version: ArtifactVersion, media_type: str, *, download: bool) -> StoredFile:
    try:
        file = open_blob(version)
    except FileNotFoundError:
        raise HubError("unavailable", "The bytes of this version are gone.", version=version.number) from None
    name = file_name(artifact, version)
    response = StoredFile(file, as_attachment=download, filename=name, content_type=media_type)
    response["X-Content-Type-Options"] = "nosniff"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    return response


def _framed[Response: HttpResponseBase](response: Response) -> Response:
    response["Content-Security-Policy"] = FRAME_POLICY
    # The policy has no word for WebRTC and the like that browsers know; this header closes them where it is known.
    response["Connection-Allowlist"] = "()"
    response["X-DNS-Prefetch-Control"] = "off"
    response["Referrer-Policy"] = "no-referrer"
    response["X-Frame-Options"] = "SAMEORIGIN"
    response["X-Content-Type-Options"] = "nosniff"
    return response
