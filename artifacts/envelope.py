"""The envelope of a protected artifact: how its bytes were encrypted, never the key (ART-03).

The password stays with whoever made the artifact and with the browser; the hub stores ciphertext. So all it can check
is the shape: parameters too weak to protect, or that no browser can use, are refused by name.
"""

import base64
import binascii
from typing import Any, Final

from core.errors import invalid

ALGORITHM: Final = "AES-256-GCM"
DERIVATION: Final = "PBKDF2-SHA-256"
ITERATIONS: Final = (600_000, 10_000_000)
SALT_BYTES: Final = (16, 64)
IV_BYTES: Final = 12
TAG_BYTES: Final = 16
_MEMBERS: Final = ("algorithm", "kdf", "iterations", "salt", "iv")


def checked(envelope: dict[str, Any], size: int) -> dict[str, Any]:
    """Answer the envelope of a ciphertext of `size` bytes (the GCM tag at its end), or refuse it by member."""
    if set(envelope) != set(_MEMBERS):
        raise invalid("envelope", f"envelope must have exactly {', '.join(_MEMBERS)}.")
    if envelope["algorithm"] != ALGORITHM:
        raise invalid("envelope.algorithm", f"algorithm must be {ALGORITHM}.")
    if envelope["kdf"] != DERIVATION:
        raise invalid("envelope.kdf", f"kdf must be {DERIVATION}.")
    _check_iterations(envelope["iterations"])
    least, most = SALT_BYTES
    if not least <= len(_decoded(envelope, "salt")) <= most:
        raise invalid("envelope.salt", f"salt must be {least} to {most} bytes, base64.", limit=[least, most])
    if len(_decoded(envelope, "iv")) != IV_BYTES:
        raise invalid("envelope.iv", f"iv must be {IV_BYTES} bytes, base64.", limit=IV_BYTES)
    if size < TAG_BYTES:
        raise invalid("content", f"Ciphertext ends with a tag of {TAG_BYTES} bytes: this is shorter.", limit=TAG_BYTES)
    return envelope


def _check_iterations(iterations: Any) -> None:  # noqa: ANN401 - whatever was sent
    least, most = ITERATIONS
    if not isinstance(iterations, int) or isinstance(iterations, bool) or not least <= iterations <= most:
        message = f"iterations must be a whole number from {least} to {most}."
        raise invalid("envelope.iterations", message, limit=[least, most])


def _decoded(envelope: dict[str, Any], name: str) -> bytes:
    try:
        return base64.b64decode(envelope[name], validate=True)
    except (TypeError, ValueError, binascii.Error):
        raise invalid(f"envelope.{name}", f"{name} must be base64.") from None
