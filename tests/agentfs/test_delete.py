"""What is deleted is gone: from the listing, after a reopen, and from the bytes of the file."""

from pathlib import Path

import pytest

import agentfs
from core.errors import HubError
from tests.agentfs import inspection

SECRET = b"a secret nobody should find again"


@pytest.mark.parametrize("target", ["/fs/dir/page", "/kv/dir/key"])
def test_a_deleted_path_stays_deleted(file: agentfs.AgentFile, target: str) -> None:
    data = b'"text"'
    with file.writing() as w:
        first = w.put(target, data, actor="ada").version
        w.delete(target, actor="ada")
    file.close()
    with file.writing() as w:
        with pytest.raises(HubError, match="No such"):
            w.get(target)
        with pytest.raises(HubError) as refused:
            w.delete(target, actor="ada")
        assert refused.value.code == "not_found"
        with pytest.raises(HubError) as refused:
            w.put(target, data, actor="ada", if_version=first)
        assert refused.value.details == {"current": agentfs.ABSENT}
        assert w.put(target, data, actor="ada", if_version=agentfs.ABSENT).version == first
        assert [row.op for row in w.log(path=target)] == ["put", "delete", "put"]


def test_no_chunk_of_a_deleted_page_is_left(file: agentfs.AgentFile, path: Path) -> None:
    with file.writing() as w:
        w.put("/fs/page", SECRET * 10_000, actor="ada")
        w.put("/kv/key", b'"' + SECRET + b'"', actor="ada")
    with file.writing() as w:
        w.delete("/fs/page", actor="ada")
        w.delete("/kv/key", actor="ada")
    file.checkpoint()
    assert inspection.query(path, "SELECT count(*) FROM fs_data") == [(0,)]
    assert inspection.query(path, "SELECT ino FROM fs_inode") == [(1,)]
    assert SECRET not in path.read_bytes()
    inspection.check(path)


def test_a_directory_goes_only_when_empty(file: agentfs.AgentFile) -> None:
    with file.writing() as w:
        w.put("/fs/dir/page", b"1", actor="ada")
        with pytest.raises(HubError, match="not empty"):
            w.delete("/fs/dir", actor="ada")
        w.delete("/fs/dir/page", actor="ada")
        assert w.list("/fs/dir") == []
        w.delete("/fs/dir", actor="ada")
        assert w.list("/fs") == []
        w.put("/kv/dir/key", b"1", actor="ada")
        with pytest.raises(HubError, match="directory"):
            w.delete("/kv/dir", actor="ada")


@pytest.mark.parametrize("target", ["/", "/fs", "/kv"])
def test_the_top_is_neither_written_nor_deleted(file: agentfs.AgentFile, target: str) -> None:
    with file.writing() as w:
        for attempt in (lambda: w.delete(target, actor="ada"), lambda: w.put(target, b"1", actor="ada")):
            with pytest.raises(HubError) as refused:
                attempt()
            assert refused.value.details["field"] == "path"
