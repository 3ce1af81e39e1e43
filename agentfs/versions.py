"""The version token: a hash over the bytes a read returns (KNB-03)."""

import hashlib
import re
from typing import Final

from core.errors import HubError, invalid

ABSENT: Final = "absent"
_TOKEN: Final = re.compile(r"sha256:[0-9a-f]{64}")


def version_of(data: bytes) -> str:
    """Answer the token of these bytes."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def check_token(token: str | None) -> None:
    """Refuse with `invalid_argument` a token that no read ever answered."""
    if token is not None and token != ABSENT and not _TOKEN.fullmatch(token):
        raise invalid("if_version", "Not a version: give `sha256:` and 64 hex digits, or `absent`.")


def compare(token: str, content: bytes | None) -> None:
    """Refuse with `version_mismatch`, naming the current version, when the content has moved on."""
    current = ABSENT if content is None else version_of(content)
    if token != current:
        raise HubError("version_mismatch", "The content has changed since it was read.", current=current)
