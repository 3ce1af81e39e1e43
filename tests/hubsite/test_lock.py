"""OPS-02: a second process on one SQLite data directory is refused, naming the first."""

import json
import os
import signal
import subprocess
import sys

import pytest

from tests.running import ROOT, Hub, free_port

needs_sqlite = pytest.mark.skipif(bool(os.environ.get("DATABASE_URL")), reason="on PostgreSQL several processes serve")

SERVERS = {
    "serve": ("manage.py", "serve", "--port", "{port}"),
    "runserver": ("manage.py", "runserver", "--noreload", "{port}"),
    "uvicorn": ("-m", "uvicorn", "hubsite.asgi:application", "--port", "{port}"),
}


def second(hub: Hub, server: str) -> subprocess.CompletedProcess[str]:
    """Start another server on the hub's data directory and wait for its end."""
    command = [part.format(port=free_port()) for part in SERVERS[server]]
    return subprocess.run(  # noqa: S603 - our own server
        [sys.executable, *command],
        cwd=ROOT,
        env=hub.environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@needs_sqlite
@pytest.mark.parametrize("server", SERVERS)
def test_ops_02_a_second_server_is_refused_naming_the_first(hub: Hub, server: str) -> None:
    assert hub.process is not None
    refused = second(hub, server)
    assert refused.returncode == 1
    assert f"pid {hub.process.pid} at {hub.url}" in refused.stderr
    assert str(hub.data_dir) in refused.stderr
    assert "Traceback" not in refused.stderr
    assert hub.process.poll() is None


@needs_sqlite
def test_ops_02_the_lock_falls_with_a_killed_process(own_hub: Hub) -> None:
    own_hub.start()
    assert json.loads((own_hub.data_dir / "hub.lock").read_text())["address"] == own_hub.url
    assert own_hub.end(signal.SIGKILL) == -signal.SIGKILL
    own_hub.start()


def test_ops_02_commands_run_beside_a_serving_hub(hub: Hub) -> None:
    token = hub.agent("lock-beside")
    with hub.api(token) as api:
        assert api.get("/whoami").json["agent"] == "lock-beside"


@pytest.mark.skipif(not os.environ.get("DATABASE_URL"), reason="several processes need PostgreSQL")
def test_ops_04_several_processes_serve_one_postgresql_hub(own_hub: Hub) -> None:
    own_hub.start()
    other = Hub(own_hub.data_dir, own_hub.environment["DATABASE_URL"])
    try:
        other.start()
        token = own_hub.agent("ada")
        for server in (own_hub, other):
            with server.api(token) as api:
                assert api.get("/whoami").json["agent"] == "ada"
    finally:
        other.close()
