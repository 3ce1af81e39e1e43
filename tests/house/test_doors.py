"""One door for writes: faces never write, every operation is registered, and a stranger is refused at the door."""

import ast
import importlib
import inspect
import pkgutil
import types
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps

from core.actor import Actor
from core.errors import HubError
from core.operation import REGISTRY, Registered
from projects.models import Event, Project
from tests.running import ROOT
from tests.world import AgentWithToken

APPS = ("identity", "inbox", "knowledge", "projects", "sessions_app")
FACES = ("agent_api", "agent_calls", "human_api", "human_calls", "pages", "admin", "mcp_server")
WRITES = {
    "abulk_create",
    "acreate",
    "adelete",
    "asave",
    "aupdate",
    "bulk_create",
    "bulk_update",
    "create",
    "create_user",
    "delete",
    "get_or_create",
    "save",
    "update",
    "update_or_create",
}


def faces() -> Iterator[Path]:
    """Find the modules of every face."""
    for path in ROOT.glob("*/**/*.py"):
        if {".venv", ".uv", "tests", "agentfs"} & set(path.relative_to(ROOT).parts):
            continue
        if path.stem in FACES or {"pages", "mcp"} & set(path.relative_to(ROOT).parts[:-1]):
            yield path


def on_rows(node: ast.expr) -> bool:
    """Tell whether an expression begins at a model's manager: ``Model.objects...`` or a queryset named so."""
    return any(isinstance(part, ast.Attribute) and part.attr == "objects" for part in ast.walk(node))


def written_in(source: str) -> list[str]:
    """Find what writes rows in a source text."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name = node.func.attr
            if name in {"save", "asave"} or (name in WRITES and on_rows(node.func.value)):
                found.append(f"{node.lineno}: {ast.unparse(node.func)}")
        if isinstance(node, ast.ImportFrom) and (node.module, "transaction") in {
            (node.module, alias.name) for alias in node.names
        }:
            found.append(f"{node.lineno}: imports transaction")
    return found


def test_no_face_writes() -> None:
    looked_at = list(faces())
    assert len(looked_at) > 10
    written = {str(path.relative_to(ROOT)): written_in(path.read_text()) for path in looked_at}
    assert {path: found for path, found in written.items() if found} == {}


@pytest.mark.parametrize(
    "source",
    [
        "Event.objects.filter(pk=1).update(kind='x')",
        "Event.objects.create()",
        "row.save()",
        "from django.db import transaction",
    ],
)
def test_a_face_that_writes_would_be_found(source: str) -> None:
    assert written_in(source)


def operation_modules() -> Iterator[types.ModuleType]:
    """Import every operations module there is."""
    for app in APPS:
        package = importlib.import_module(f"{app}.operations")
        yield package
        for found in pkgutil.iter_modules(getattr(package, "__path__", [])):
            yield importlib.import_module(f"{app}.operations.{found.name}")


def test_the_apps_with_operations_are_all_looked_at() -> None:
    ours = {config.name for config in apps.get_app_configs() if Path(config.path).parent == ROOT}
    assert ours - {"hubsite", *APPS} == set()


def test_every_public_function_of_an_operations_module_is_an_operation() -> None:
    registered = {operation.function for operation in REGISTRY.values()}
    public = [
        f"{module.__name__}.{name}"
        for module in operation_modules()
        for name, function in vars(module).items()
        if inspect.isfunction(function)
        and not name.startswith("_")
        and function.__module__ == module.__name__
        and function not in registered
    ]
    assert public == []


@pytest.fixture
def everything(project: Project) -> list[tuple[str, Registered]]:
    """Answer every operation, once all modules are loaded."""
    assert list(operation_modules())
    return sorted(REGISTRY.items())


def refused(operation: Registered, actor: Actor, slug: str) -> str:
    """Call an operation with arguments that are nonsense; answers the code of the refusal."""
    signature = inspect.signature(operation.function)
    nonsense = {
        name: object() for name, parameter in signature.parameters.items() if parameter.kind is parameter.KEYWORD_ONLY
    }
    nonsense.pop("idempotency_key", None)
    places = (slug,) if operation.takes_project else ()
    with pytest.raises(HubError) as refusal:
        operation.function(actor, *places, **nonsense)
    return refusal.value.code


def test_idn_03_a_stranger_is_refused_by_every_operation_before_its_arguments_are_looked_at(
    everything: list[tuple[str, Registered]], stranger: AgentWithToken, project: Project
) -> None:
    before = Event.objects.count()
    codes = {name: refused(operation, stranger.actor, project.slug) for name, operation in everything}
    expected = {name: "not_found" if operation.takes_project else "forbidden" for name, operation in everything}
    assert codes == expected
    assert len(codes) > 20
    assert Event.objects.count() == before


def test_idn_03_a_hidden_project_is_refused_as_one_that_does_not_exist(
    everything: list[tuple[str, Registered]], stranger: AgentWithToken, project: Project
) -> None:
    for name, operation in everything:
        if operation.takes_project:
            assert refused(operation, stranger.actor, project.slug) == refused(operation, stranger.actor, "nowhere"), (
                name
            )


def test_a_trusted_agent_is_no_staff(everything: list[tuple[str, Registered]], ada: AgentWithToken) -> None:
    staff = [operation for _, operation in everything if operation.right == "staff"]
    assert {refused(operation, ada.actor, ada.space) for operation in staff} == {"forbidden"}
