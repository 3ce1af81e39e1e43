"""KNB-05, KNB-06: every write is one log row, found by path and actor without reading the log."""

import time
from pathlib import Path

import pytest

import agentfs
from tests.agentfs import inspection


@pytest.fixture
def filled(file: agentfs.AgentFile) -> agentfs.AgentFile:
    with file.writing() as w:
        w.put("/fs/a", b"1", actor="ada", op="promote", note={"from": "/kv/x", "path": "no", "actor": "no"})
        w.append("/fs/a", b"2", actor="ben")
        w.put("/fs/b", b"3", actor="ada")
        w.delete("/fs/a", actor="ada", note={"why": "done \ud800"})
    return file


def test_what_a_row_says(filled: agentfs.AgentFile) -> None:
    with filled.reading() as r:
        newest, *_, oldest = r.log()
    assert abs(oldest.at - time.time()) < 5
    assert oldest == agentfs.LogRow(
        1, "promote", "/fs/a", "ada", oldest.at, agentfs.version_of(b"1"), error=None, note={"from": "/kv/x"}
    )
    assert (newest.op, newest.version, newest.note) == ("delete", agentfs.ABSENT, {"why": "done \ud800"})


def test_filters_and_order(filled: agentfs.AgentFile) -> None:
    with filled.reading() as r:
        assert [row.id for row in r.log()] == [4, 3, 2, 1]
        assert [row.id for row in r.log(path="/fs/./a")] == [4, 2, 1]
        assert [row.id for row in r.log(path="/fs/a", actor="ada")] == [4, 1]
        assert [row.id for row in r.log(op="put")] == [3]
        assert [row.id for row in r.log(actor="ada", op="put")] == [3]
        assert [row.id for row in r.log(before_id=3, limit=1)] == [2]
        assert [row.id for row in r.log(after_id=1, limit=2)] == [2, 3]
        assert [row.id for row in r.log(path="/fs/a", after_id=1, before_id=4)] == [2]
        assert r.log(path="/fs/c") == r.log(actor="cy") == []
        assert r.last_log_id() == 4


def test_the_last_write(filled: agentfs.AgentFile) -> None:
    with filled.reading() as r:
        assert r.last_write("/fs/a") == r.log()[0]
        assert r.last_write("/fs/b") == r.log()[1]
        assert r.last_write("/fs/c") is None


@pytest.mark.parametrize("column", ["path", "actor"])
def test_a_filter_uses_its_index(filled: agentfs.AgentFile, column: str) -> None:
    with filled.reading() as r:
        statements: list[str] = []
        r._conn.set_trace_callback(statements.append)
        r.log(path="/fs/a", limit=1) if column == "path" else r.log(actor="/fs/a", limit=1)
        r._conn.set_trace_callback(None)
        plan = " ".join(row[3] for row in r._conn.execute(f"EXPLAIN QUERY PLAN {statements[0]}"))
    assert f"idx_hub_log_{column}" in plan
    assert "SCAN" not in plan
    assert "TEMP B-TREE" not in plan


def test_the_row_as_the_format_wants_it(filled: agentfs.AgentFile, path: Path) -> None:
    filled.close()
    rows = inspection.query(
        path,
        """SELECT json_extract(parameters, '$.actor'), json_extract(result, '$.size'), error, status,
        typeof(started_at), completed_at >= started_at FROM tool_calls WHERE json_valid(parameters)""",
    )
    assert rows == [
        ("ada", 1, None, "success", "integer", 1),
        ("ben", 2, None, "success", "integer", 1),
        ("ada", 1, None, "success", "integer", 1),
        ("ada", 0, None, "success", "integer", 1),
    ]
