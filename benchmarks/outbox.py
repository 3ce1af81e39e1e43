"""Delivering to memory while a fifth of all deliveries goes wrong: ``python -m benchmarks.outbox`` (MEM-08)."""

import json
import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from tests.running import ROOT, fresh_database

_RUN: Final = "import django; django.setup(); from benchmarks.outbox_store import main"


def measure(number: int = 600, workers: int = 4, share: float = 0.2) -> dict[str, Any]:
    """Run it on fresh databases, those of PostgreSQL where DATABASE_URL names one; answers what came of it."""
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="muster-bench-")))
        hub, memory = (stack.enter_context(fresh_database()) for _ in range(2))
        environment = {name: value for name, value in os.environ.items() if not name.startswith("HUB_")} | {
            "DJANGO_SETTINGS_MODULE": "hubsite.settings",
            "HUB_DATA_DIR": str(directory),
            "HUB_DURABILITY": "normal",
            "DATABASE_URL": hub,
            "HUB_MEMORY_DATABASE_URL": memory,
        }
        command = [sys.executable, "-c", f"{_RUN}; main({number}, {workers}, {share})"]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise RuntimeError(done.stderr)
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def show(told: dict[str, Any]) -> None:
    """Print what was done to the deliveries, and what came of them."""
    print("\nOutbox: deliveries to memory, some of which go wrong")
    for name, value in told.items():
        print(f"{name:16} {value}")


if __name__ == "__main__":
    show(measure())
