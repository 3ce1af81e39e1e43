"""What the doors rest on: where operations stand, who may write behind them, and that no face finds a way around."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps
from django.utils.module_loading import autodiscover_modules

from core.operation import REGISTRY
from tests.running import ROOT

FACE_MODULES = {"agent_calls", "human_api", "human_urls", "pages", "admin", "model_admin", "mcp_server", "agent_api"}
FACE_PACKAGES = {"agent_calls", "human_api", "mcp", "pages"}
# Which modules may reach the feed: operations, and the steps they share.
MAY_APPEND = {"inbox.entries", "knowledge.publication", "sessions_app.transitions", "tasks.transitions"}
# Steps of operations: of use only inside a transaction that has authorized.
BEHIND_THE_DOOR = {
    "projects.feed",
    "projects.removal",
    "inbox.entries",
    "sessions_app.transitions",
    "tasks.transitions",
    "core.operation.write_transaction",
    "core.gate",
    "django.db.connection",
    "django.db.connections",
    "django.db.transaction",
}
WRITES = {"save", "create", "update", "delete", "get_or_create", "update_or_create", "bulk_create", "bulk_update"}
WRITES |= {f"a{name}" for name in WRITES}
# Raw SQL, and the write lock of an AgentFS file.
BYPASSES = {"execute", "executemany", "raw", "extra", "cursor", "writing", "select_for_update"}


def modules() -> Iterator[tuple[str, ast.Module]]:
    """Parse every module of ours, tests and migrations aside; answers dotted names."""
    for config in ("core", *(app.name for app in apps.get_app_configs() if Path(app.path).parent == ROOT)):
        for path in sorted((ROOT / config).rglob("*.py")):
            if "migrations" not in path.parts:
                name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
                yield name, ast.parse(path.read_text())


def faces() -> list[tuple[str, ast.Module]]:
    return [
        (name, tree)
        for name, tree in modules()
        if name.rpartition(".")[2] in FACE_MODULES or FACE_PACKAGES & set(name.split(".")[1:-1])
    ]


def imports(tree: ast.Module) -> set[str]:
    """Answer what a module imports anywhere in it: modules, and names of modules."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def is_row_write(function: ast.Attribute) -> bool:
    """Tell whether a call by this name writes rows: on a manager or queryset, or a row saving or deleting itself."""
    if function.attr not in WRITES:
        return False
    on_manager = any(isinstance(part, ast.Attribute) and part.attr == "objects" for part in ast.walk(function.value))
    return on_manager or function.attr not in {"update", "create"}


def violations(tree: ast.Module) -> list[str]:
    """Find what a face may not do."""
    found = [f"imports {name}" for name in sorted(imports(tree) & BEHIND_THE_DOOR)]
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr in BYPASSES or is_row_write(node.func):
            found.append(f"line {node.lineno}: {ast.unparse(node.func)}()")
    return found


def test_every_face_is_looked_at() -> None:
    names = {name for name, _ in faces()}
    assert {"inbox.agent_calls", "inbox.human_api", "inbox.pages", "knowledge.pages", "identity.admin"} <= names
    assert {"hubsite.mcp_server", "hubsite.agent_api", "hubsite.mcp.dispatch", "hubsite.pages.home"} <= names


def test_no_face_writes_nor_reaches_behind_the_door() -> None:
    assert {name: found for name, tree in faces() if (found := violations(tree))} == {}


@pytest.mark.parametrize(
    "source",
    [
        "Event.objects.create(id='x')",
        "Event.objects.filter(pk=1).update(kind='x')",
        "Grant.objects.filter(pk=1).delete()",
        "row.save()",
        "row.delete()",
        "await row.asave()",
        "Event.objects.bulk_create([])",
        "cursor.execute('DELETE FROM x')",
        "Event.objects.raw('x')",
        "brain_of(session).writing()",
        "from projects import feed",
        "from projects.feed import append",
        "def late():\n    import projects.feed",
        "from django.db import transaction",
        "from core.operation import write_transaction",
        "from inbox.entries import resolve",
    ],
)
def test_a_face_that_would_write_is_found(source: str) -> None:
    assert violations(ast.parse(source))


def test_only_operations_and_their_shared_steps_reach_the_feed() -> None:
    importers = {name for name, tree in modules() if "projects.feed" in imports(tree)}
    beside = {name for name in importers if name.split(".")[1] != "operations"}
    assert beside == MAY_APPEND
    # And those steps are reached from operations alone.
    users = {
        name
        for name, tree in modules()
        if MAY_APPEND & imports(tree) and name.split(".")[1] != "operations" and name not in MAY_APPEND
    }
    assert users == set()


def test_operations_are_registered_in_operations_modules_alone() -> None:
    for module in ("agent_calls", "human_api", "pages", "admin", "jobs", "storage"):
        autodiscover_modules(module)
    assert len(REGISTRY) > 20
    elsewhere = {name for name in REGISTRY if name.split(".")[1] != "operations"}
    assert elsewhere == set()


def test_only_operations_decorate_themselves() -> None:
    decorators = {"operation", "staff_operation", "file_operation", "held_operation", "subject_operation"}
    importers = {
        name for name, tree in modules() if {f"core.operation.{decorator}" for decorator in decorators} & imports(tree)
    }
    assert importers
    assert {name for name in importers if name.split(".")[1] != "operations"} == set()


def test_no_operation_calls_another() -> None:
    """Each opens its own durable transaction and takes its turn: one inside another would wait for itself."""
    operations = {name.rpartition(".")[2] for name in REGISTRY}
    calling = [
        f"{name}: {node.func.id}"
        for name, tree in modules()
        if name.split(".")[1:2] == ["operations"]
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in operations
    ]
    assert calling == []
