"""Every size comes back as it went in, and growth stops at the limits."""

import threading
from pathlib import Path

import pytest

import agentfs
from agentfs.limits import CHUNK_BYTES, MEBIBYTE
from core.errors import HubError
from tests.agentfs import inspection

SIZES = [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, MEBIBYTE]


def test_every_size_comes_back(file: agentfs.AgentFile, path: Path) -> None:
    for size in [*SIZES, *reversed(SIZES)]:
        data = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
        with file.writing() as w:
            written = w.put("/fs/page", data, actor="ada")
        file.close()
        with file.reading() as r:
            entry = r.get("/fs/page")
        assert (entry.content, entry.size, entry.version) == (data, size, written.version)
        assert r is not None
    agentfs.close_all()
    inspection.check(path)
    assert inspection.query(path, "SELECT count(*) FROM fs_data") == [(0,)]


def test_chunks_are_whole_but_for_the_last(file: agentfs.AgentFile, path: Path) -> None:
    with file.writing() as w:
        for size in (10, CHUNK_BYTES, CHUNK_BYTES + 10):
            w.append("/fs/page", b"x" * size, actor="ada")
    agentfs.close_all()
    chunks = inspection.query(path, "SELECT length(data), typeof(data) FROM fs_data ORDER BY chunk_index")
    assert chunks == [(CHUNK_BYTES, "blob"), (CHUNK_BYTES, "blob"), (20, "blob")]


def test_appends_from_eight_threads_lose_nothing(path: Path) -> None:
    file = agentfs.open_file(path, synchronous="NORMAL")

    def append(name: str) -> None:
        for number in range(40):
            with file.writing() as w:
                w.append("/fs/log", f"{name}-{number:02};".encode() * 20, actor=name)

    threads = [threading.Thread(target=append, args=(f"agent-{n}",)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with file.reading() as r:
        parts = r.get("/fs/log").content.decode().split(";")[:-1]
        assert r.last_log_id() == 320
    assert len(parts) == 320 * 20
    assert sorted(set(parts)) == [f"agent-{n}-{i:02}" for n in range(8) for i in range(40)]


def test_a_page_has_a_limit(file: agentfs.AgentFile) -> None:
    with file.writing() as w:
        w.put("/fs/page", b"1234", actor="ada", max_bytes=4)
        for attempt in (w.put, w.append):
            with pytest.raises(HubError) as refused:
                attempt("/fs/page", b"12345", actor="ada", max_bytes=4)
            assert (refused.value.code, refused.value.details["limit"]) == ("payload_too_large", 4)
        assert w.get("/fs/page").content == b"1234"
        assert len(w.log()) == 1


def test_a_full_file_takes_less_but_no_more(path: Path) -> None:
    file = agentfs.open_file(path, max_bytes=2 * MEBIBYTE)
    with file.writing() as w:
        w.put("/fs/one", b"x" * MEBIBYTE, actor="ada")
        with pytest.raises(HubError) as refused:
            w.put("/fs/two", b"x" * MEBIBYTE, actor="ada")
        assert refused.value.details["limit"] == 2 * MEBIBYTE
        w.put("/fs/one", b"x", actor="ada")
        w.put("/fs/two", b"x" * MEBIBYTE, actor="ada")
        w.delete("/fs/two", actor="ada")


def test_the_size_on_disk(file: agentfs.AgentFile, path: Path) -> None:
    assert file.size_bytes() == 0
    with file.writing() as w:
        w.put("/fs/page", b"x" * MEBIBYTE, actor="ada")
    with file.writing() as w:
        w.put("/fs/page", b"y" * MEBIBYTE, actor="ada")
    assert file.size_bytes() > 2 * MEBIBYTE
    file.checkpoint()
    assert MEBIBYTE < file.size_bytes() == path.stat().st_size < 2 * MEBIBYTE
