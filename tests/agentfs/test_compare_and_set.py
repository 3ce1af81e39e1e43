"""KNB-03, KNB-05: of two writers that hold one version exactly one wins, and a conflict leaves no log row."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import agentfs
from core.errors import HubError
from tests.agentfs import child

ROUNDS = 200
WRITER = """
    import pathlib, sys
    import agentfs
    from core.errors import HubError

    file = agentfs.open_file(pathlib.Path(sys.argv[1]), synchronous='NORMAL')
    for number, token in enumerate(sys.stdin):
        try:
            with file.writing() as w:
                print('won', w.put('/fs/page', f'{sys.argv[2]} {number}'.encode(), actor=sys.argv[2],
                                   if_version=token.strip()).version, flush=True)
        except HubError as error:
            print('lost', error.code, error.details['current'], flush=True)
"""


def test_of_two_threads_one_wins_each_round(path: Path) -> None:
    file = agentfs.open_file(path, synchronous="NORMAL")
    start = threading.Barrier(2)

    def attempt(name: str, number: int, token: str) -> str | None:
        start.wait()
        with file.writing() as w:
            try:
                return w.put("/fs/page", f"{name} {number}".encode(), actor=name, if_version=token).version
            except HubError as error:
                return None if error.details == {"current": w.stat("/fs/page").version} else repr(error)

    token = agentfs.ABSENT
    with ThreadPoolExecutor(2) as pool:
        for number in range(ROUNDS):
            answers = [pool.submit(attempt, name, number, token) for name in ("ada", "ben")]
            (token,) = [version for answer in answers if (version := answer.result())]
    with file.reading() as r:
        assert len(r.log(limit=1000)) == r.last_log_id() == ROUNDS
        assert r.get("/fs/page").version == token


def test_of_two_processes_one_wins_each_round(path: Path) -> None:
    writers = [child.start(WRITER, path, name) for name in ("ada", "ben")]
    token = agentfs.ABSENT
    for _ in range(ROUNDS):
        for writer in writers:
            child.say(writer, token)
        answers = sorted(child.hear(writer).split() for writer in writers)
        assert [answer[0] for answer in answers] == ["lost", "won"]
        token = answers[1][1]
        assert answers[0][1:] == ["version_mismatch", token]
    for writer in writers:
        child.finish(writer)
    with agentfs.open_file(path).reading() as r:
        assert len(r.log(limit=1000)) == r.last_log_id() == ROUNDS
        assert r.get("/fs/page").version == token


def test_absent_creates_only_where_nothing_is(file: agentfs.AgentFile) -> None:
    with file.writing() as w:
        for target in ("/fs/a/page", "/kv/a/key"):
            written = w.put(target, b"1", actor="ada", if_version=agentfs.ABSENT)
            assert written.created
            with pytest.raises(HubError) as refused:
                w.put(target, b"2", actor="ada", if_version=agentfs.ABSENT)
            assert refused.value.details == {"current": written.version}
            assert w.get(target).content == b"1"


def test_a_write_without_a_version_wins(file: agentfs.AgentFile) -> None:
    with file.writing() as w:
        w.put("/fs/page", b"1", actor="ada")
        assert not w.put("/fs/page", b"2", actor="ben").created
        assert w.get("/fs/page").content == b"2"


@pytest.mark.parametrize("token", ["", "ABSENT", "sha256:", "sha256:" + "A" * 64, "md5:" + "a" * 64, "a" * 64])
def test_a_token_no_read_answers_is_refused(file: agentfs.AgentFile, token: str) -> None:
    for attempt in ("put", "append", "delete"):
        with file.writing() as w:
            w.put("/fs/page", b"1", actor="ada")
            arguments = ("/fs/page",) if attempt == "delete" else ("/fs/page", b"2")
            with pytest.raises(HubError) as refused:
                getattr(w, attempt)(*arguments, actor="ada", if_version=token)
        assert (refused.value.code, refused.value.details["field"]) == ("invalid_argument", "if_version")


def test_append_and_delete_compare_too(file: agentfs.AgentFile) -> None:
    with file.writing() as w:
        first = w.append("/fs/log", b"1", actor="ada", if_version=agentfs.ABSENT).version
        second = w.append("/fs/log", b"2", actor="ada", if_version=first).version
        with pytest.raises(HubError, match="changed") as refused:
            w.append("/fs/log", b"3", actor="ada", if_version=first)
        assert refused.value.details == {"current": second}
        with pytest.raises(HubError, match="changed"):
            w.delete("/fs/log", actor="ada", if_version=first)
        w.delete("/fs/log", actor="ada", if_version=second)
        assert len(w.log()) == 3


def test_the_version_of_an_empty_page() -> None:
    assert agentfs.version_of(b"") == "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
