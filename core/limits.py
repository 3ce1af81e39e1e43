"""The limits of what the hub accepts, in one place; each is refused by name before anything is stored."""

from typing import Final

SUMMARY_CHARS: Final = 1024
BODY_CHARS: Final = 65_536
HANDOFF_CHARS: Final = 4096
NAME_CHARS: Final = 63
PAYLOAD_BYTES: Final = 256 * 1024
REQUEST_BYTES: Final = 4 * 1024 * 1024
BRAIN_VALUE_BYTES: Final = 4 * 1024 * 1024
PAGE_BYTES: Final = 1024 * 1024
DEADLINE_SECONDS: Final = (60, 2_592_000)
WAIT_SECONDS: Final = 55
OPTIONS: Final = 20
OPEN_ITEMS_PER_AGENT: Final = 100
OPEN_ITEMS_PER_PROJECT: Final = 1000
EVENTS_PER_PROJECT: Final = 1_000_000
IDEMPOTENCY_HOURS: Final = 24
TOUCH_SECONDS: Final = 60
ACTIVE_WINDOW_SECONDS: Final = 600
