"""Every operation stands behind the door, and a stranger is refused there before anything is looked at."""

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

APPS = ("artifacts", "identity", "inbox", "knowledge", "memory", "projects", "sessions_app", "tasks")


def operation_modules() -> Iterator[types.ModuleType]:
    """Import every operations module there is."""
    for app in APPS:
        package = importlib.import_module(f"{app}.operations")
        yield package
        for found in pkgutil.iter_modules(getattr(package, "__path__", [])):
            yield importlib.import_module(f"{app}.operations.{found.name}")


def test_the_apps_with_operations_are_all_looked_at() -> None:
    ours = {config.name for config in apps.get_app_configs() if Path(config.path).parent == ROOT}
    assert ours - {"hubsite", "search", *APPS} == set()  # what is searched is derived, by other apps' operations


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
    places = (slug,) if operation.takes_project else (1,) if operation.takes_subject else ()
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
