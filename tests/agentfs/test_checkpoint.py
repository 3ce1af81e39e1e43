"""SES-07: ending a session folds the write-ahead log in; only the file itself remains."""

from pathlib import Path

import agentfs
from agentfs.limits import MEBIBYTE
from tests.agentfs import inspection


def test_only_the_file_remains(file: agentfs.AgentFile, path: Path) -> None:
    for number in range(10):
        with file.writing() as w:
            w.put(f"/fs/page-{number}", bytes([number]) * MEBIBYTE, actor="ada")
    assert file.checkpoint()
    assert inspection.names(path.parent) == ["brain.db"]
    pages, size = inspection.query(path, "SELECT page_count, page_size FROM pragma_page_count, pragma_page_size")[0]
    assert path.stat().st_size == file.size_bytes() == pages * size
    with file.reading() as r:
        assert r.get("/fs/page-9").content == bytes([9]) * MEBIBYTE


def test_a_file_nobody_opened_is_folded_too(file: agentfs.AgentFile, path: Path) -> None:
    with file.writing() as w:
        w.put("/fs/page", b"1", actor="ada")
    file.close()
    assert file.checkpoint()
    assert inspection.names(path.parent) == ["brain.db"]


def test_an_absent_file_stays_absent(file: agentfs.AgentFile, path: Path) -> None:
    assert file.checkpoint()
    assert not path.parent.exists()
