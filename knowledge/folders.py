"""A knowledge base as a folder: one zip of its pages, out through the storage backend and in as one write (KNB-01)."""

import io
import lzma
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import PurePosixPath
from typing import IO, Final

from django.core.files.storage import Storage, storages

from agentfs import canonical
from core import limits
from core.errors import HubError, invalid
from projects.models import Project

MOST_FILES: Final = 2_000
MOST_BYTES: Final = 64 * 1024 * 1024
_READ: Final = 64 * 1024
# What reading a zip raises that is damaged, encrypted, or packed in a way this Python does not know.
_BROKEN: Final = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    RuntimeError,
    ValueError,
    EOFError,
    OSError,
)


def exported(project: Project, folder: str = "") -> IO[bytes]:
    """Answer a zip of the pages below a folder, named as they are in it."""
    storage = storages["knowledge"]
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in _below(storage, f"{project.slug}/{folder.strip('/')}".rstrip("/")):
            with suppress(FileNotFoundError), storage.open(name) as page:  # deleted meanwhile, or a link
                archive.writestr(name.removeprefix(f"{project.slug}/"), page.read())
    made.seek(0)
    return made


def _below(storage: Storage, path: str) -> Iterator[str]:
    try:
        directories, pages = storage.listdir(path)
    except FileNotFoundError:
        return
    yield from (f"{path}/{name}" for name in pages)
    for name in directories:
        yield from _below(storage, f"{path}/{name}")


def unpacked(upload: IO[bytes], folder: str = "") -> dict[str, bytes]:
    """Answer the pages in a zip by canonical path.

    Nothing is trusted of what the zip says of itself: bytes are counted as they are read. `invalid_argument` for
    what is no zip, a name that leaves the folder, two names of one page, or a link; `payload_too_large` past the
    limits, so a zip bomb ends at the first page too large.
    """
    try:
        archive = zipfile.ZipFile(upload)
    except _BROKEN:
        raise invalid("file", "This is not a zip file.") from None
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    if len(entries) > MOST_FILES:
        raise HubError("payload_too_large", f"A folder has at most {MOST_FILES} pages.", field="file", limit=MOST_FILES)
    pages: dict[str, bytes] = {}
    left = MOST_BYTES
    for entry in entries:
        path = _page_path(entry, folder)
        if path in pages:
            raise invalid("file", f"{entry.filename} is in the zip twice.", name=entry.filename)
        pages[path] = _content(archive, entry, min(left, limits.PAGE_BYTES))
        left -= len(pages[path])
    return pages


def _page_path(entry: zipfile.ZipInfo, folder: str) -> str:
    name = entry.filename
    parts = PurePosixPath(name).parts
    is_link = stat.S_ISLNK(entry.external_attr >> 16)
    if name.startswith("/") or "\\" in name or ".." in parts or is_link:
        raise invalid("file", f"{name!r} is not a file inside the folder.", name=name)
    return canonical(f"/fs/{folder.strip('/')}/{name}", pages_only=True)


def _content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, most: int) -> bytes:
    content = bytearray()
    try:
        with archive.open(entry) as packed:
            while part := packed.read(_READ):
                content += part
                if len(content) > most:
                    raise HubError(
                        "payload_too_large", f"{entry.filename} is too large.", field="file", limit=limits.PAGE_BYTES
                    )
    except _BROKEN:
        raise invalid("file", f"{entry.filename} cannot be unpacked.", name=entry.filename) from None
    return bytes(content)
