"""Fixtures: the world in this process, running hubs, a browser."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.test import Client

import agentfs
from projects.models import Project
from tasks.models import Task
from tests import world
from tests.faces import AgentApi
from tests.inprocess import HttpTools, HumanApi
from tests.running import ADMIN_PASSWORD, Hub, fresh_hub

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

LONG = {"hub", "own_hub", "browser", "served", "walk"}
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the modules that run a hub or a browser first: they take longest, and a worker left with one ends late.

    Who may use a database may use that of memory too.
    """
    for item in items:
        asked = item.get_closest_marker("django_db")
        if asked or {"db", "transactional_db"} & set(getattr(item, "fixturenames", ())):
            given = asked.kwargs if asked else {}
            item.add_marker(pytest.mark.django_db(**{**given, "databases": "__all__"}), append=False)
    long = {item.path for item in items if LONG & set(getattr(item, "fixturenames", ()))}
    items.sort(key=lambda item: item.path not in long)


@pytest.fixture(autouse=True)
def data_dir(settings: Any, tmp_path: Path) -> Iterator[Path]:
    """Give each test an empty data directory; files it opened are closed after it."""
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()
    yield settings.DATA_DIR
    agentfs.close_all()


@pytest.fixture(autouse=True)
def tasks_go(request: pytest.FixtureRequest) -> Iterator[None]:
    """After a transactional test, let tasks go before all tables are emptied: what hangs on one stays while it does."""
    yield
    asked = request.node.get_closest_marker("django_db")
    if "transactional_db" in request.fixturenames or (asked and asked.kwargs.get("transaction")):
        Task.objects.all().delete()


@pytest.fixture
def project(db: None) -> Project:
    """Answer an open project."""
    return world.make_project("atlas", name="Atlas")


@pytest.fixture
def ada(db: None) -> world.AgentWithToken:
    """Answer a trusted agent."""
    return world.make_agent("ada")


@pytest.fixture
def ben(db: None) -> world.AgentWithToken:
    """Answer another trusted agent."""
    return world.make_agent("ben")


@pytest.fixture
def stranger(db: None) -> world.AgentWithToken:
    """Answer an agent without rights."""
    return world.make_agent("stranger", trusted=False)


@pytest.fixture
def human(db: None) -> world.Person:
    """Answer the person who runs the hub."""
    return world.make_person("kim")


@pytest.fixture
def human_client(human: world.Person) -> Client:
    """Answer a client the human has signed in with."""
    client = Client()
    client.force_login(human.user)
    return client


@pytest.fixture
def ada_api(ada: world.AgentWithToken) -> AgentApi:
    """Answer Ada's HTTP client in this process."""
    return AgentApi(ada.token)


@pytest.fixture
def ben_api(ben: world.AgentWithToken) -> AgentApi:
    """Answer Ben's HTTP client in this process."""
    return AgentApi(ben.token)


@pytest.fixture
def cleo(db: None) -> world.AgentWithToken:
    """Answer a third trusted agent."""
    return world.make_agent("cleo")


@pytest.fixture
def ada_tools(ada: world.AgentWithToken) -> HttpTools:
    """Answer Ada's calls by name."""
    return HttpTools(ada.token)


@pytest.fixture
def ben_tools(ben: world.AgentWithToken) -> HttpTools:
    """Answer Ben's calls by name."""
    return HttpTools(ben.token)


@pytest.fixture
def cleo_tools(cleo: world.AgentWithToken) -> HttpTools:
    """Answer Cleo's calls by name."""
    return HttpTools(cleo.token)


@pytest.fixture
def human_api(human_client: Client) -> HumanApi:
    """Answer the human's JSON API, signed in."""
    return HumanApi(human_client)


@pytest.fixture(scope="session")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    """Run one hub for all tests of this process that do not stop it. Give projects and agents names of your own."""
    with fresh_hub(tmp_path_factory.mktemp("hub") / "data") as running:
        yield running.start()


@pytest.fixture
def own_hub(tmp_path: Path) -> Iterator[Hub]:
    """Answer a hub of this test's own, not started yet; for tests that stop or kill it."""
    with fresh_hub(tmp_path / "own-hub") as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """Run Debian's Chromium. The module that uses it must not run asyncio tests: Playwright's loop holds the thread."""
    path = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if path is None:
        message = "no chromium is installed: browser tests do not run (Debian: apt-get install chromium)"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - slow to import, and few modules need it

    flags = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=flags)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: "Browser", hub: Hub) -> Iterator["Page"]:
    """Open a page of the running hub, nobody signed in."""
    context = browser.new_context(base_url=hub.url)
    yield context.new_page()
    context.close()


@pytest.fixture
def admin_page(page: "Page") -> "Page":
    """Answer a page with the admin signed in, at home."""
    page.goto("/login/")
    page.fill("input[name=username]", "admin")
    page.fill("input[name=password]", ADMIN_PASSWORD)
    page.press("input[name=password]", "Enter")
    page.wait_for_url("**/")
    return page
