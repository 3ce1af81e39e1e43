"""A hub that really runs: ``manage.py serve`` (or ``runserver``) in a process of its own."""

import atexit
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import httpx
import psycopg
from psycopg import sql

from tests.faces import McpAgent, RemoteApi

ROOT = Path(__file__).resolve().parent.parent
ADMIN_PASSWORD = "correct horse battery staple"
START_SECONDS = 60
# What would change the hub under test; and starts are slow where modules are not kept compiled.
NOT_INHERITED = ("HUB_", "DJANGO_", "REDIS_", "PYTHONDONTWRITEBYTECODE")


def free_port() -> int:
    """Answer a port nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def fresh_database(template: str = "template1") -> Iterator[str]:
    """Make a PostgreSQL database beside the one DATABASE_URL names; answers its address, '' on SQLite."""
    server = os.environ.get("DATABASE_URL", "")
    if not server:
        yield ""
        return
    name = f"muster_hub_{uuid.uuid4().hex[:12]}"
    identifier = sql.Identifier(name)
    with psycopg.connect(server, autocommit=True) as connection:
        made = sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(identifier, sql.Identifier(template))
        connection.execute(made)
        try:
            yield urlunsplit(urlsplit(server)._replace(path=f"/{name}"))
        finally:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(identifier))


class Hub:
    """A data directory, a database and the server process on them."""

    def __init__(self, data_dir: Path, database_url: str = "", **environment: str) -> None:
        self.data_dir = data_dir
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = data_dir.with_name(data_dir.name + ".log")
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("HUB_", "DJANGO_", "REDIS_", "PYTHONDONT"))
        }
        self.environment = kept | {
            "HUB_DATA_DIR": str(data_dir),
            "HUB_PORT": str(self.port),
            "HUB_ADMIN_PASSWORD": ADMIN_PASSWORD,
            "DATABASE_URL": database_url,
            "PYTHONUNBUFFERED": "1",
            **environment,
        }
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, *command: str) -> "Hub":
        """Start ``manage.py serve``, or `command`, and wait until the hub is ready."""
        arguments = command or (sys.executable, "manage.py", "serve")
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(  # noqa: S603 - our own server
                arguments, cwd=ROOT, env=self.environment, stdout=log, stderr=log
            )
        self._wait_until_ready()
        return self

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            assert self.process is not None
            assert self.process.poll() is None, f"the hub ended: {self.output()}"
            try:
                if httpx.get(f"{self.url}/readyz", timeout=5, trust_env=False).status_code == httpx.codes.OK:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.05)
        raise AssertionError(f"the hub did not become ready: {self.output()}")

    def output(self) -> str:
        """Answer what the server printed so far."""
        return self.log.read_text(errors="replace")

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send the process a signal and answer how it ended."""
        assert self.process is not None
        self.process.send_signal(number)
        try:
            return self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise

    def close(self) -> None:
        """End the process if it still runs."""
        if self.process is not None and self.process.poll() is None:
            self.end()

    def manage(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a management command on this hub's data, beside the server."""
        return subprocess.run(  # noqa: S603 - our own commands
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=check,
        )

    def copy_stores(self, other: "Hub") -> None:
        """Begin with the SQLite databases of another hub."""
        self.data_dir.mkdir(mode=0o700, parents=True)
        for path in other.data_dir.glob("*.sqlite3"):
            shutil.copy2(path, self.data_dir)

    def project(self, slug: str, *options: str) -> str:
        """Create a project by command; answers its slug."""
        self.manage("create_project", slug, *options)
        return slug

    def agent(self, name: str, *options: str) -> str:
        """Create an agent by command; answers its token."""
        return self.manage("create_agent", name, *options).stdout.splitlines()[-1]

    def api(self, token: str | None) -> RemoteApi:
        """Answer a client of the agent HTTP API."""
        return RemoteApi(self.url, token)

    def mcp(self, token: str | None) -> McpAgent:
        """Answer a raw MCP client."""
        return McpAgent(self.url, token)


@cache
def _migrated() -> Hub:
    """Answer a hub that was migrated and never started, to copy from: a migration takes longer than many a test."""
    stack = ExitStack()
    atexit.register(stack.close)
    directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="muster-migrated-"))
    hub = Hub(Path(directory) / "data", stack.enter_context(fresh_database()))
    hub.manage("migrate")
    return hub


@contextmanager
def fresh_hub(data_dir: Path, *, migrated: bool = True) -> Iterator[Hub]:
    """Make a hub that is not started yet, on databases of its own: empty, or as they were never touched."""
    template = urlsplit(_migrated().environment["DATABASE_URL"]).path.lstrip("/") if migrated else ""
    with fresh_database(template or "template1") as database_url:
        hub = Hub(data_dir, database_url)
        if migrated:
            hub.copy_stores(_migrated())
        try:
            yield hub
        finally:
            hub.close()
