"""Fixtures: one file in an empty directory, and the engine put back as it was."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import agentfs
from tests.agentfs import child


@pytest.fixture(autouse=True)
def _engine() -> Iterator[None]:
    before = replace(agentfs.limits)
    yield
    child.end_all()
    agentfs.close_all()
    agentfs.limits.busy_seconds, agentfs.limits.open_files = before.busy_seconds, before.open_files


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store" / "brain.db"


@pytest.fixture
def file(path: Path) -> agentfs.AgentFile:
    return agentfs.open_file(path)
