"""Whether all of an image is there. Nothing is decoded: its end is looked for where its format has it."""

from collections.abc import Callable
from pathlib import Path
from typing import IO, Final

_TAIL: Final = 64 * 1024
_BOXES: Final = 64


def is_whole(path: Path, media_type: str) -> bool:
    """Tell whether an image of a known type was not cut short."""
    with path.open("rb") as file:
        return _CHECKS[media_type](file, path.stat().st_size)


def _tail(file: IO[bytes], size: int) -> bytes:
    file.seek(max(0, size - _TAIL))
    return file.read()


def _png(file: IO[bytes], size: int) -> bool:
    return file.read(16)[:8] == b"\x89PNG\r\n\x1a\n" and b"IEND\xaeB`\x82" in _tail(file, size)


def _jpeg(file: IO[bytes], size: int) -> bool:
    return size > len(b"\xff\xd8\xff\xd9") and b"\xff\xd9" in _tail(file, size)


def _gif(file: IO[bytes], size: int) -> bool:
    return _tail(file, size).rstrip(b"\0").endswith(b";")


def _webp(file: IO[bytes], size: int) -> bool:
    head = file.read(12)
    return int.from_bytes(head[4:8], "little") + 8 <= size


def _avif(file: IO[bytes], size: int) -> bool:
    """Walk the boxes of the file: each begins with its length; one of length 0 goes on to the end."""
    at = boxes = 0
    while at < size and boxes < _BOXES:
        file.seek(at)
        head = file.read(16)
        length = int.from_bytes(head[:4])
        if length == 0:
            return True
        at += max(int.from_bytes(head[8:]) if length == 1 else length, 8)
        boxes += 1
    return at == size


_CHECKS: Final[dict[str, Callable[[IO[bytes], int], bool]]] = {
    "image/png": _png,
    "image/jpeg": _jpeg,
    "image/gif": _gif,
    "image/webp": _webp,
    "image/avif": _avif,
}
IMAGES: Final = frozenset(_CHECKS)
"""Image types a browser shows, and runs nothing of."""
