"""A desk to look at: one project on the shared hub, two agents at work in it, and browser pages signed in as admin."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import httpx
import pytest

from tests.faces import RemoteApi
from tests.running import ADMIN_PASSWORD, Hub

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

AXE = (Path(__file__).parent / "axe.min.js").read_text()
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
type Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Desk:
    """What the tests of the browser share."""

    hub: Hub
    project: str
    dora: RemoteApi
    eli: RemoteApi
    fay: RemoteApi
    session: str
    cookies: dict[str, str]

    def signal(self, summary: str, **more: object) -> str:
        """Let Dora report; answers the event."""
        return self._post("signals", summary=summary, **more)

    def ask(self, subject: str, **more: object) -> str:
        """Let Dora ask a question; answers the event."""
        return self._post("questions", subject=subject, **more)

    def approve(self, subject: str, **more: object) -> str:
        """Let Dora ask for an approval; answers the event."""
        return self._post("approvals", subject=subject, **more)

    def answer(self, question: str, timeout_s: int = 5) -> Json:
        """Read the answer as the agent that asked gets it."""
        return dict(self.dora.get(f"/questions/{question}/answer", timeout_s=timeout_s).json)

    @contextmanager
    def waiting(self, question: str) -> Iterator[Callable[[], tuple[Json, float]]]:
        """Let Dora wait for the answer meanwhile; yields the function that gives it and the moment it came."""

        def wait() -> tuple[Json, float]:
            answer = self.answer(question, timeout_s=20)
            return answer, time.monotonic()

        with ThreadPoolExecutor(1) as pool:
            future = pool.submit(wait)
            time.sleep(0.2)  # until the call hangs in the hub
            yield future.result

    def page(self, path: str, content: str) -> None:
        """Let Dora write a knowledge page."""
        written = self.dora.put("/brain/entry", store="project", project=self.project, path=path, content=content)
        assert written.status == httpx.codes.OK, written.json

    def person(self, path: str, /, **body: object) -> Json:
        """Do something as the person who is signed in, over the human API."""
        with httpx.Client(base_url=self.hub.url, cookies=self.cookies, trust_env=False, timeout=60) as client:
            headers = {"X-CSRFToken": self.cookies["csrftoken"], "Referer": self.hub.url}
            answer = client.post(f"/human/api/v1{path}", json=body, headers=headers)
            assert answer.status_code == httpx.codes.OK, answer.text
            return dict(answer.json())

    def task(self, title: str, **more: object) -> Json:
        """Create a task of the person's for Fay, prepared."""
        asked = {"title": title, "text": "Sort **all** drawers.", "agent": "fay", **more}
        return self.person(f"/projects/{self.project}/tasks", **asked)

    def run(self, task: Json) -> None:
        """Let a session of Fay's run a task; Dora has one session alone."""
        asked = {"name": task["task"].lower(), "task": task["task"]}
        answer = self.fay.post(f"/projects/{self.project}/sessions", **asked)
        assert answer.status == httpx.codes.OK, answer.json

    def _post(self, noun: str, **body: object) -> str:
        answer = self.dora.post(f"/projects/{self.project}/{noun}", session=self.session, **body)
        assert answer.status == httpx.codes.OK, answer.json
        return str(answer.json["event"])


def sign_in(hub: Hub) -> dict[str, str]:
    """Sign the admin in; answers the cookies."""
    with httpx.Client(base_url=hub.url, trust_env=False, timeout=60) as client:
        client.get("/login/")
        form = {"username": "admin", "password": ADMIN_PASSWORD, "csrfmiddlewaretoken": client.cookies["csrftoken"]}
        assert client.post("/login/?next=/", data=form).status_code == httpx.codes.FOUND
        return dict(client.cookies)


@pytest.fixture(scope="session")
def desk(hub: Hub) -> Iterator[Desk]:
    """Set the desk up, with a little of everything on it."""
    project = hub.project("desk", "--name", "The desk")
    dora, eli, fay = (hub.api(hub.agent(name)) for name in ("dora", "eli", "fay"))
    session = dora.post(f"/projects/{project}/sessions", name="sorting").json["session"]
    desk = Desk(hub, project, dora, eli, fay, session, sign_in(hub))
    desk.signal("Sorted the first drawer", payload={"drawer": 1, "kept": [1, 2, 3]})
    desk.signal("Sorting is finished", kind="finished", payload={"drawers": 4})
    desk.ask("Keep the old letters?", body="There are **forty**.\n\n- 1990s\n- 2000s", options=["Keep", "Burn"])
    desk.approve("Shred the receipts", proposal={"years": [2010, 2011]}, deadline_s=7200)
    desk.page("/fs/README.md", "# The desk\n\nSee [drawers](drawers/first.md).\n\n```python\nprint('hi')\n```")
    desk.page("/fs/drawers/first.md", "### Only a third level heading\n\n| a | b |\n|---|---|\n| 1 | 2 |")
    dora.put("/brain/entry", store="session", session=session, path="/fs/plan.md", content="# Plan\n\n1. Sort")
    dora.put("/brain/entry", store="session", session=session, path="/kv/state", content='{"drawer": 2}')
    with dora, eli, fay:
        yield desk


class Window:
    """A page that remembers what its console said."""

    def __init__(self, page: "Page") -> None:
        self.page = page
        self.said: list[str] = []
        page.on("console", lambda message: self._note(message.type, message.text))
        page.on("pageerror", lambda error: self.said.append(f"page error: {error}"))

    def _note(self, kind: str, text: str) -> None:
        if kind in {"error", "warning"}:
            self.said.append(f"{kind}: {text}")

    def open(self, path: str) -> "Page":
        """Open an address and wait until it is live."""
        self.page.goto(path)
        self.page.wait_for_selector("body[data-connected]", state="attached")
        return self.page

    def audit(self, *rules: str) -> list[str]:
        """Answer what axe finds, by some rules or all, and whether the page scrolls sideways."""
        self.page.evaluate(AXE)
        only = {"runOnly": list(rules)} if rules else {}
        options = {"resultTypes": ["violations"], **only}
        found = self.page.evaluate("options => axe.run(document, options)", options)["violations"]
        problems = [
            f"{self.page.url}: {rule['id']}: {node['html'][:160]}" for rule in found for node in rule["nodes"][:3]
        ]
        sideways = self.page.evaluate(SIDEWAYS)
        return problems + ([f"{self.page.url}: scrolls {sideways} px sideways"] if sideways > 0 else [])


type Scheme = Literal["light", "dark"]
type Opener = Callable[..., Window]


@pytest.fixture
def window(browser: "Browser", desk: Desk) -> Iterator[Opener]:
    """Open windows signed in as admin; whatever a console says against them fails the test."""
    opened: list[Window] = []

    def make(*, width: int = 1280, scheme: Scheme = "light", signed_in: bool = True, **more: Any) -> Window:
        context = browser.new_context(
            base_url=desk.hub.url, color_scheme=scheme, viewport={"width": width, "height": 800}, **more
        )
        if signed_in:
            context.add_cookies(
                [{"name": name, "value": value, "url": desk.hub.url} for name, value in desk.cookies.items()]
            )
        opened.append(Window(context.new_page()))
        return opened[-1]

    yield make
    for one in opened:
        one.page.context.close()
    assert [line for one in opened for line in one.said] == []
