"""Where in a version a comment points: a quote from its text, or lines of it (INB-07)."""

from typing import Any, Final

from artifacts import blobs
from artifacts.models import TEXTUAL, Artifact, ArtifactVersion
from core import limits
from core.checks import check_text
from core.errors import HubError, invalid

# A text longer than this is not read through to find a quote in it.
READ_BYTES: Final = 8 * 1024 * 1024


def checked(anchor: dict[str, Any], artifact: Artifact, version: ArtifactVersion) -> dict[str, Any]:
    """Answer an anchor that points somewhere: ``{"quote": text}`` or ``{"line": first, "end_line"?: last}``.

    `invalid_argument` for ciphertext and for what is not text: nobody could be shown the place.
    """
    if version.protected:
        raise invalid("anchor", "This version is protected: the hub cannot read it, so nothing in it can be quoted.")
    if artifact.kind not in TEXTUAL:
        raise invalid("anchor", f"Only text can be quoted, not {artifact.kind}.")
    if set(anchor) == {"quote"} and isinstance(anchor["quote"], str):
        return _quote(check_text(anchor["quote"], "anchor.quote", limits.QUOTE_CHARS), version)
    if {"line"} <= set(anchor) <= {"line", "end_line"}:
        return _lines(anchor["line"], anchor.get("end_line", anchor["line"]), version)
    raise invalid("anchor", 'anchor is {"quote": text} or {"line": number, "end_line": number}.')


def _quote(quote: str, version: ArtifactVersion) -> dict[str, Any]:
    if quote not in _text(version):
        raise invalid("anchor.quote", f"Version {version.number} does not hold this quote.")
    return {"quote": quote}


def _lines(first: Any, last: Any, version: ArtifactVersion) -> dict[str, Any]:  # noqa: ANN401 - whatever was sent
    for name, number in (("line", first), ("end_line", last)):
        if not isinstance(number, int) or isinstance(number, bool):
            raise invalid(f"anchor.{name}", f"{name} must be a whole number.")
    number = len(_text(version).splitlines())
    if not 1 <= first <= last <= number:
        raise invalid("anchor.line", f"line and end_line must be from 1 to {number}, in order.", limit=number)
    return {"line": first, "end_line": last}


def _text(version: ArtifactVersion) -> str:
    try:
        with blobs.open_blob(version) as file:
            return file.read(READ_BYTES).decode(errors="replace")
    except FileNotFoundError:
        raise HubError("unavailable", "The bytes of this version are gone.", version=version.number) from None
