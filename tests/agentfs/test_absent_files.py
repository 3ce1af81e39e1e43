"""SES-04: reads never create a file, a lock without a write leaves nothing, and a removed file takes no more writes."""

import itertools
import sqlite3
import threading
import time
from pathlib import Path

import pytest

import agentfs
from core.errors import HubError
from tests.agentfs import child, inspection

HOLDER = """
    import pathlib, sys
    import agentfs

    file = agentfs.open_file(pathlib.Path(sys.argv[1]))
    with file.writing() as w:
        print('held', flush=True)
        sys.stdin.readline()
        if sys.argv[2] == 'write':
            w.put('/fs/page', b'theirs', actor='ben')
    print('done', flush=True)
"""
HAMMER = """
    import pathlib, random, sys
    import agentfs

    file = agentfs.open_file(pathlib.Path(sys.argv[1]), synchronous='NORMAL')
    chance = random.Random(sys.argv[2])
    inside = pathlib.Path(sys.argv[1] + '.inside')
    for number in range(int(sys.argv[3])):
        kind = chance.choice(['look', 'look', 'write', 'fail', 'remove'])
        if kind == 'remove':
            file.remove()
            continue
        try:
            with file.writing() as w:
                inside.mkdir()
                if kind != 'look':
                    before = w.stat('/fs/page').size if [row for row in w.list('/fs')] else 0
                    assert w.append('/fs/page', b'x', actor='ada').size == before + 1 == w.last_log_id()
                inside.rmdir()
                if kind == 'fail':
                    raise KeyError
        except KeyError:
            pass
"""


def test_reading_an_absent_file_leaves_nothing(file: agentfs.AgentFile, path: Path) -> None:
    with pytest.raises(HubError) as refused, file.reading():
        pass
    assert refused.value.code == "not_found"
    assert not file.exists()
    assert not path.parent.exists()


def test_a_lock_without_a_write_leaves_nothing(file: agentfs.AgentFile, path: Path) -> None:
    with file.writing() as w:
        assert (w.list("/fs"), w.keys(), w.log()) == ([], [], [])
        assert not file.exists()
        with file.reading() as r, pytest.raises(HubError):
            r.get("/fs/page")
    assert inspection.names(path.parent) == []


def test_a_write_that_fails_leaves_nothing(file: agentfs.AgentFile, path: Path) -> None:
    def fail() -> None:
        with file.writing() as w:
            w.put("/fs/page", b"1" * 100_000, actor="ada")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert inspection.names(path.parent) == []
    with file.writing() as w:
        w.put("/fs/page", b"1", actor="ada")
    with pytest.raises(KeyError):
        fail()
    with file.reading() as r:
        assert r.get("/fs/page").content == b"1"
        assert r.last_log_id() == 1


def put_and_raise(file: agentfs.AgentFile, error: Exception) -> None:
    with file.writing() as w:
        w.put("/fs/page", b"1", actor="ada")
        raise error


def test_a_caller_s_own_error_stays_its_own(file: agentfs.AgentFile, path: Path) -> None:
    for error in (OSError("mine"), sqlite3.ProgrammingError("mine")):
        with pytest.raises(type(error), match="mine"):
            put_and_raise(file, error)
    assert inspection.names(path.parent) == []


def test_what_a_killed_writer_left_is_in_nobody_s_way(file: agentfs.AgentFile, path: Path) -> None:
    path.parent.mkdir()
    for suffix in ("", ".claim", ".new", ".new-wal", "-wal", "-shm"):
        path.with_name(path.name + suffix).write_bytes(b"rubbish" if suffix else b"")
    assert not file.exists()
    with file.writing() as w:
        w.put("/fs/page", b"1", actor="ada")
    with file.reading() as r:
        assert r.get("/fs/page").content == b"1"
    agentfs.close_all()
    assert inspection.names(path.parent) == ["brain.db"]


def test_an_old_journal_is_not_taken_for_the_new_file_s(file: agentfs.AgentFile, path: Path) -> None:
    code = """
        import os, pathlib, signal, sys
        import agentfs
        file = agentfs.open_file(pathlib.Path(sys.argv[1]))
        for number in range(3):
            with file.writing() as w:
                w.put('/fs/old', b'old', actor='ben')
        os.kill(os.getpid(), signal.SIGKILL)
    """
    child.start(code, path).communicate()
    assert inspection.names(path.parent) == ["brain.db", "brain.db-shm", "brain.db-wal"]
    path.unlink()
    with file.writing() as w:
        w.put("/fs/new", b"new", actor="ada")
    with file.reading() as r:
        assert [row.path for row in r.walk("/")] == ["/fs/new"]
        assert r.last_log_id() == 1


def test_a_write_that_fails_half_way_is_undone_alone(file: agentfs.AgentFile) -> None:
    with file.writing() as w:
        w.put("/fs/page", b"1", actor="ada")
        with pytest.raises(TypeError):
            w.put("/fs/dir/other", b"2", actor="ada", note={"not": object()})
        assert [row.path for row in w.list("/fs")] == ["/fs/page"]
    with file.reading() as r:
        assert [row.path for row in r.list("/fs")] == ["/fs/page"]
        assert r.last_log_id() == 1


@pytest.mark.parametrize("what", ["write", "look"])
def test_an_absent_file_held_elsewhere_is_unavailable(file: agentfs.AgentFile, path: Path, what: str) -> None:
    agentfs.limits.busy_seconds = 0.1
    holder = child.start(HOLDER, path, what)
    child.hear(holder)
    with pytest.raises(HubError) as refused, file.writing():
        pass
    assert (refused.value.code, refused.value.retryable) == ("unavailable", True)
    assert refused.value.details == {"reason": "busy"}
    child.say(holder, "go on")
    child.finish(holder)
    assert inspection.names(path.parent) == (["brain.db"] if what == "write" else [])
    with file.writing() as w:
        assert w.put("/fs/page", b"ours", actor="ada").created == (what == "look")


def test_a_file_held_elsewhere_is_read_but_not_written(file: agentfs.AgentFile, path: Path) -> None:
    agentfs.limits.busy_seconds = 0.1
    with file.writing() as w:
        w.put("/fs/page", b"ours", actor="ada")
    holder = child.start(HOLDER, path, "write")
    child.hear(holder)
    with file.reading() as r:
        assert r.get("/fs/page").content == b"ours"
    with pytest.raises(HubError, match="another process"), file.writing():
        pass
    with pytest.raises(HubError, match="another process"):
        file.remove()
    child.say(holder, "go on")
    child.finish(holder)
    with file.reading() as r:
        assert r.get("/fs/page").content == b"theirs"


def test_a_waiting_writer_goes_on_with_the_next_file(file: agentfs.AgentFile, path: Path) -> None:
    with file.writing() as w:
        w.put("/fs/page", b"old", actor="ada")
    code = """
        import pathlib, sys
        import agentfs
        file = agentfs.open_file(pathlib.Path(sys.argv[1]))
        with file.reading() as r:
            print(r.get('/fs/page').content.decode(), flush=True)
        sys.stdin.readline()
        print(file.exists(), flush=True)
        with file.writing() as w:
            written = w.put('/fs/page', b'new', actor='ben', if_version='absent')
        print(written.log_id, flush=True)
        sys.stdin.readline()
    """
    other = child.start(code, path)
    assert child.hear(other) == "old"
    file.remove()
    assert inspection.names(path.parent) == []
    child.say(other, "go on")
    assert [child.hear(other), child.hear(other)] == ["False", "1"]
    with file.reading() as r:
        assert r.get("/fs/page").content == b"new"
    child.say(other, "go on")
    child.finish(other)


def test_a_removed_file_takes_no_more_writes(file: agentfs.AgentFile, path: Path) -> None:
    writer_done = threading.Event()
    deadline = time.monotonic() + 60
    seen: list[int] = []

    def write() -> None:
        # Until it has met a removed file often enough: who goes first is the scheduler's business.
        while seen.count(1) < 10 and time.monotonic() < deadline:
            with file.writing() as w:
                seen.append(w.append("/fs/page", b"x", actor="ada").log_id)
        writer_done.set()

    thread = threading.Thread(target=write)
    thread.start()
    while not writer_done.is_set():
        file.remove()
    thread.join()
    file.remove()
    assert seen.count(1) == 10
    assert all(number in (1, before + 1) for before, number in itertools.pairwise(seen))
    assert not file.exists()
    assert inspection.names(path.parent) == []


def test_processes_that_make_and_remove_one_file(path: Path) -> None:
    path.parent.mkdir()
    hammers = [child.start(HAMMER, path, seed, 60) for seed in ("one", "two", "three")]
    for hammer in hammers:
        child.finish(hammer)
    assert set(inspection.names(path.parent)) <= {"brain.db"}
    if path.exists():
        inspection.check(path)


def test_removing_what_is_not_there(file: agentfs.AgentFile, path: Path) -> None:
    file.remove()
    assert not path.parent.exists()


def test_blocks_of_one_file_do_not_nest_but_reads_may(file: agentfs.AgentFile) -> None:
    with file.writing() as w:
        w.put("/fs/page", b"1", actor="ada")
        with file.reading() as r:
            assert r.get("/fs/page").content == b"1"
        for forbidden in (file.writing().__enter__, file.checkpoint, file.remove, file.close):
            with pytest.raises(RuntimeError):
                forbidden()
    with file.reading() as r, file.reading() as again:
        assert again.get("/fs/page") == r.get("/fs/page")
        with pytest.raises(RuntimeError):
            file.writing().__enter__()
