"""One `AgentFile` for each path in a process, so that one lock and one connection serve it."""

import atexit
import os
import threading
import weakref
from pathlib import Path

from agentfs.file import AgentFile, Synchronous
from agentfs.limits import MAX_FILE_BYTES
from agentfs.pool import Pool


class Registry:
    """The files that somebody refers to or that are open; the others need no object."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._files: weakref.WeakValueDictionary[Path, AgentFile] = weakref.WeakValueDictionary()
        self._inherited: list[object] = []
        self.pool = Pool()

    def file(self, path: Path) -> AgentFile:
        """Answer the one object of an absolute path."""
        with self._mutex:
            found = self._files.get(path)
            if found is None:
                found = self._files[path] = AgentFile(path, self.pool)
            return found

    def start_over_after_fork(self) -> None:
        """Leave the parent's handles and locks alone: SQLite forbids a child even to close what it inherits."""
        self._mutex = threading.Lock()
        self.pool.start_over_after_fork()
        for file in list(self._files.values()):
            # Kept, because the end of a connection object closes it.
            self._inherited.append(file.handle)
            file.forget_handle()


_registry = Registry()
os.register_at_fork(after_in_child=_registry.start_over_after_fork)


def open_file(path: Path, *, synchronous: Synchronous = "FULL", max_bytes: int = MAX_FILE_BYTES) -> AgentFile:
    """Answer the shared object of a path, without touching the disk; the settings of the last call hold."""
    file = _registry.file(Path(os.path.abspath(path)))  # noqa: PTH100 - resolve() would read the disk
    file.synchronous, file.max_bytes = synchronous, max_bytes
    return file


def close_all() -> None:
    """Close every open file, each after whoever uses it; the objects stay good."""
    for file in _registry.pool.all():
        file.close()


@atexit.register
def _close_idle() -> None:
    # Not close_all: a thread that never lets go would keep the process from ending.
    for file in _registry.pool.all():
        file.close_if_idle()
