"""AgentFS: an agent's files, keys and tool calls in one SQLite file, readable by the AgentFS SDK (SPEC 0.4).

Usable alone: it needs `core.errors` and the standard library.
"""

from agentfs.entries import Entry, LogRow, Row, Written
from agentfs.file import AgentFile
from agentfs.limits import MAX_FILE_BYTES, WARN_FILE_BYTES, limits
from agentfs.paths import canonical
from agentfs.reader import Reader
from agentfs.registry import close_all, open_file
from agentfs.versions import ABSENT, version_of
from agentfs.writer import Writer

__all__ = [
    "ABSENT",
    "MAX_FILE_BYTES",
    "WARN_FILE_BYTES",
    "AgentFile",
    "Entry",
    "LogRow",
    "Reader",
    "Row",
    "Writer",
    "Written",
    "canonical",
    "close_all",
    "limits",
    "open_file",
    "version_of",
]
