"""The engine's bounds: what a deployment or a test may turn, and what the format fixes."""

from dataclasses import dataclass
from typing import Final

MEBIBYTE: Final = 1024 * 1024
WARN_FILE_BYTES: Final = 256 * MEBIBYTE
MAX_FILE_BYTES: Final = 1024 * MEBIBYTE
CHUNK_BYTES: Final = 16_384
JOURNAL_BYTES: Final = 4 * MEBIBYTE


@dataclass(slots=True)
class Limits:
    """The bounds of one process: how long to wait for another process, how many files stay open."""

    busy_seconds: float = 5.0
    # Three descriptors each: 128 files stay well under the usual 1,024.
    open_files: int = 128


limits = Limits()
