"""SES-05: a fork copies the file under the source's writer lock, log included, and the source is untouched."""

import threading
from pathlib import Path

import pytest

import agentfs
from core.errors import HubError
from tests.agentfs import inspection


def test_copies_of_a_file_in_use_are_in_step(path: Path, tmp_path: Path) -> None:
    source = agentfs.open_file(path, synchronous="NORMAL")
    done = threading.Event()

    def write_in_step(name: str) -> None:
        number = 0
        while not done.is_set():
            with source.writing() as w:
                data = f"{name} {number}".encode() * 500
                w.put("/fs/left", data, actor=name)
                w.put("/fs/right", data, actor=name)
            number += 1

    threads = [threading.Thread(target=write_in_step, args=(f"agent-{n}",)) for n in range(4)]
    with source.writing() as w:
        w.put("/fs/left", b"", actor="ada")
        w.put("/fs/right", b"", actor="ada")
    for thread in threads:
        thread.start()
    try:
        copies = [tmp_path / f"copy-{number}.db" for number in range(20)]
        for copy in copies:
            source.copy_to(copy)
    finally:
        done.set()
        for thread in threads:
            thread.join()
    for copy in copies:
        with agentfs.open_file(copy).reading() as r:
            assert r.get("/fs/left").version == r.get("/fs/right").version
            assert len(r.log(limit=100_000)) == r.last_log_id()
    agentfs.close_all()
    inspection.check(copies[-1])


def test_a_copy_and_its_source_part_ways(file: agentfs.AgentFile, tmp_path: Path) -> None:
    with file.writing() as w:
        w.put("/fs/page", b"before", actor="ada")
    file.copy_to(tmp_path / "elsewhere" / "copy.db")
    copy = agentfs.open_file(tmp_path / "elsewhere" / "copy.db")
    with copy.writing() as w:
        w.put("/fs/page", b"after", actor="ben")
        assert [row.actor for row in w.log(path="/fs/page")] == ["ben", "ada"]
    with file.reading() as r:
        assert r.get("/fs/page").content == b"before"
        assert r.last_log_id() == 1
    agentfs.close_all()
    assert inspection.names(tmp_path / "elsewhere") == ["copy.db"]


def test_a_copy_may_be_made_while_holding_the_lock(file: agentfs.AgentFile, tmp_path: Path) -> None:
    with file.writing() as w:
        w.put("/fs/page", b"committed", actor="ada")
    with file.writing() as w:
        w.put("/fs/page", b"not yet", actor="ada")
        file.copy_to(tmp_path / "copy.db")
    with agentfs.open_file(tmp_path / "copy.db").reading() as r:
        assert r.get("/fs/page").content == b"committed"


def test_no_copy_replaces_a_file(file: agentfs.AgentFile, tmp_path: Path) -> None:
    other = agentfs.open_file(tmp_path / "other.db")
    for each in (file, other):
        with each.writing() as w:
            w.put("/fs/page", str(each.path).encode(), actor="ada")
    with pytest.raises(HubError) as refused:
        file.copy_to(other.path)
    assert refused.value.code == "conflict"
    with other.reading() as r:
        assert r.get("/fs/page").content == str(other.path).encode()
    assert "other.db" in inspection.names(tmp_path)
    assert not [name for name in inspection.names(tmp_path) if name.endswith(".partial")]


def test_nothing_comes_of_copying_an_absent_file(file: agentfs.AgentFile, tmp_path: Path) -> None:
    with pytest.raises(HubError) as refused:
        file.copy_to(tmp_path / "copy.db")
    assert refused.value.code == "not_found"
    with pytest.raises(HubError) as refused, file.writing():
        file.copy_to(tmp_path / "copy.db")
    assert refused.value.code == "not_found"
    assert not (tmp_path / "copy.db").exists()
