"""OPS-01: one command starts the hub, makes its admin and its secrets, and shows how to connect."""

import signal
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.running import ADMIN_PASSWORD, ROOT, Hub, fresh_hub


def signed_in(hub: Hub, password: str) -> bool:
    """Tell whether `password` opens the admin."""
    with httpx.Client(base_url=hub.url, trust_env=False, follow_redirects=True, timeout=60) as client:
        client.get("/login/")
        form = {
            "username": "admin",
            "password": password,
            "csrfmiddlewaretoken": client.cookies["csrftoken"],
            "next": "/",
        }
        answer = client.post("/login/", data=form, headers={"Referer": hub.url})
        return answer.is_success and "sessionid" in client.cookies


def lock_note(hub: Hub) -> str:
    """Answer who holds the data directory; there is no lock on PostgreSQL."""
    lock = hub.data_dir / "hub.lock"
    return lock.read_text() if lock.exists() else ""


def test_ops_01_first_start_makes_the_admin_and_says_how_to_connect(tmp_path: Path) -> None:
    with fresh_hub(tmp_path / "empty", migrated=False) as hub:
        hub.start()
        shown = hub.output()
        assert hub.url in shown
        assert "as admin with HUB_ADMIN_PASSWORD" in shown
        assert ADMIN_PASSWORD not in shown
        assert "claude mcp add" in shown
        assert f"{hub.url}/mcp" in shown
        assert signed_in(hub, ADMIN_PASSWORD)
        assert not signed_in(hub, "another password")


def test_ops_01_a_generated_password_is_shown_once_and_opens_the_admin(own_hub: Hub) -> None:
    del own_hub.environment["HUB_ADMIN_PASSWORD"]
    own_hub.start()
    shown = own_hub.output()
    password = shown.partition("with the password ")[2].partition(" ")[0]
    assert len(password) >= 16
    assert signed_in(own_hub, password)
    assert own_hub.end() == 0
    own_hub.start()
    assert own_hub.output().count(password) == 1
    assert signed_in(own_hub, password)


def test_ops_01_the_secret_key_is_made_once_and_readable_by_its_owner_alone(own_hub: Hub) -> None:
    own_hub.start()
    key = own_hub.data_dir / "secret.key"
    first = key.read_text()
    assert len(first) >= 50
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert stat.S_IMODE(own_hub.data_dir.stat().st_mode) == 0o700
    own_hub.end()
    own_hub.start()
    assert key.read_text() == first


def test_ops_01_health_answers_without_a_sign_in(hub: Hub) -> None:
    alive = httpx.get(f"{hub.url}/healthz", trust_env=False)
    assert (alive.status_code, alive.json()) == (200, {"status": "ok"})
    ready = httpx.get(f"{hub.url}/readyz", trust_env=False)
    assert ready.json()["checks"] == {"database": True, "data_directory": True, "migrations": True}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_ops_03_a_stop_is_graceful_and_leaves_no_journal(own_hub: Hub, number: signal.Signals) -> None:
    own_hub.start()
    token = own_hub.agent("ada")
    with own_hub.api(token) as api:
        api.get("/whoami")
    assert own_hub.end(number) == 0
    assert "Traceback" not in own_hub.output()
    assert lock_note(own_hub) == ""
    assert [path.name for path in own_hub.data_dir.rglob("*-wal") if path.stat().st_size] == []


def test_ops_03_who_waits_when_the_hub_stops_is_answered(own_hub: Hub) -> None:
    own_hub.start()
    own_hub.project("atlas")
    token = own_hub.agent("ada")
    with own_hub.api(token) as api, own_hub.api(token) as waiting, ThreadPoolExecutor(1) as pool:
        api.post("/projects/atlas/sessions", name="main")
        question = api.post("/projects/atlas/questions", subject="Well?").json["event"]
        answer = pool.submit(waiting.get, f"/questions/{question}/answer", timeout_s=55)
        while not answer.running():
            pass
        for _ in range(20):  # each goes through the hub after the wait has come in
            assert api.get("/whoami").status == 200
        assert own_hub.end() == 0
        assert answer.result(5).json["status"] == "pending"


def test_ops_01_runserver_serves_the_same_hub(own_hub: Hub) -> None:
    own_hub.manage("migrate")
    own_hub.start(sys.executable, "manage.py", "runserver", "--noreload", str(own_hub.port))
    assert httpx.get(f"{own_hub.url}/healthz", trust_env=False).json() == {"status": "ok"}
    token = own_hub.agent("ada")
    with own_hub.mcp(token) as mcp:
        assert mcp.tool("whoami")["agent"] == "ada"
        mcp.tool("session_start", project="~ada", name="main")
    answer = httpx.post(
        f"{own_hub.url}/api/v1/projects/~ada/artifacts/upload",
        data={"title": "Report", "kind": "text"},
        files={"content": b"x" * 1_000_000},
        headers={"Authorization": f"Bearer {token}"},
        trust_env=False,
    )
    assert (answer.status_code, answer.json()["size"]) == (200, 1_000_000)
    own_hub.end()
    assert "Traceback" not in own_hub.output()
    assert lock_note(own_hub) == ""


def test_ops_01_unknown_commands_of_make_name_the_ones_there_are() -> None:
    shown = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout  # noqa: S607
    assert all(target in shown for target in ("run", "test", "check", "bench", "demo"))
