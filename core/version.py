"""The version of the hub."""

from typing import Final

VERSION: Final = "0.1.0"
