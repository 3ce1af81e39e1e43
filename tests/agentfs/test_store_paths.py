"""No plain file call reaches a live database: closing its descriptor would drop SQLite's locks."""

import ast
from collections.abc import Iterator
from pathlib import Path

import agentfs

ROOT = Path(agentfs.__file__).parent
FORBIDDEN = {
    "open",
    "fdopen",
    "read_bytes",
    "read_text",
    "write_bytes",
    "write_text",
    "touch",
    "copy",
    "move",
    "copyfile",
}
# Each with the reason the file it touches is not a live one.
ALLOWED = {
    ("handle.py", "open"),  # O_PATH, which takes and drops no locks
    ("claims.py", "open"),  # the claim, which is no database; a draft nobody has open; a directory
    ("drafts.py", "touch"),  # makes the draft
    ("file.py", "copy"),  # drafts.copy, by way of SQLite
}


def calls(path: Path) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            yield path.name, name


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def test_no_plain_file_call_on_a_store_path() -> None:
    found = {call for path in ROOT.glob("*.py") for call in calls(path) if call[1] in FORBIDDEN}
    assert found == ALLOWED


def test_the_engine_stands_alone() -> None:
    found = {name.partition(".")[0] for path in ROOT.glob("*.py") for name in imports(path)}
    assert not found & {"shutil", "io", "django", "mmap"}
    assert found - {"agentfs", "core"} <= {
        *("atexit", "collections", "contextlib", "dataclasses", "hashlib", "itertools", "json", "os", "pathlib", "re"),
        *("sqlite3", "stat", "threading", "time", "typing", "unicodedata", "urllib", "weakref", "fcntl"),
    }
