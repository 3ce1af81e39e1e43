"""What an artifact is called once it lies on somebody's disk: its title, made safe, with the ending of its kind."""

import unicodedata
from typing import Final

from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from artifacts.models import Artifact, ArtifactVersion, Kind

NAME_CHARS: Final = 100
_ENDINGS: Final[dict[str, str]] = {
    Kind.HTML: ".html",
    Kind.MARKDOWN: ".md",
    Kind.TEXT: ".txt",
    Kind.JSON: ".json",
    Kind.PDF: ".pdf",
    Kind.OTHER: "",
}
_IMAGES: Final = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/webp": ".webp",
    "image/avif": ".avif",
}


def plain_name(artifact: Artifact, version: ArtifactVersion) -> str:
    """Answer the name of what can be read: of a protected version, once the browser has opened it."""
    stem = _safe(artifact.title) or f"artifact-{artifact.pk}"
    ending = _ending(artifact.kind, version)
    return stem if stem.lower().endswith(ending) else stem + ending


def file_name(artifact: Artifact, version: ArtifactVersion) -> str:
    """Answer the name of the stored bytes."""
    return plain_name(artifact, version) + (".encrypted" if version.protected else "")


def _safe(title: str) -> str:
    """Keep letters, digits and what no file system or shell minds; nothing hidden, nothing that turns the writing."""
    kept = "".join(
        letter if letter.isalnum() or letter in "._- ()" or unicodedata.category(letter).startswith("M") else "-"
        for letter in unicodedata.normalize("NFC", title)
    )
    return " ".join(kept.split())[:NAME_CHARS].strip(". -")


def _ending(kind: str, version: ArtifactVersion) -> str:
    if kind == Kind.IMAGE:
        return _IMAGES.get(version.media_type, "")
    return _ending_of(version.language) if kind == Kind.CODE else _ENDINGS[kind]


def _ending_of(language: str) -> str:
    try:
        patterns = get_lexer_by_name(language).filenames
    except ClassNotFound:
        patterns = []
    return next((name[1:] for name in patterns if name[:2] == "*." and name[2:].isalnum()), ".txt")
