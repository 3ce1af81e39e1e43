"""The engine against a dictionary: whatever is done in whatever order, it holds what the dictionary holds."""

import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

import agentfs
from core.errors import HubError
from tests.agentfs import inspection

PAGES = st.sampled_from(["/fs/a", "/fs/b/c", "/fs/b/d/e", "/fs/\u00e9", "/fs/B/C"])
KEYS = st.sampled_from(["/kv/a", "/kv/a/b", "/kv/A", "/kv/\u00e9"])
PATHS = st.one_of(PAGES, KEYS)
DATA = st.one_of(
    st.binary(max_size=40),
    st.integers(-2, 2).map(lambda extra: b"y" * (16_384 + extra)),
    st.sampled_from([b"null", b'"text"', b"[1, 2]"]),
)


class Engine(RuleBasedStateMachine):
    """The file, and the dictionary it should be like."""

    def __init__(self) -> None:
        super().__init__()
        self.directory = Path(tempfile.mkdtemp())
        self.file = agentfs.open_file(self.directory / "a.db", synchronous="NORMAL")
        self.model: dict[str, bytes] = {}
        self.logged = 0
        self.copies = 0

    def version(self, path: str) -> str:
        return agentfs.version_of(self.model[path]) if path in self.model else agentfs.ABSENT

    @rule(path=PAGES, data=DATA, versioned=st.booleans())
    def put_page(self, path: str, data: bytes, versioned: bool) -> None:  # noqa: FBT001 - drawn
        with self.file.writing() as w:
            written = w.put(path, data, actor="ada", if_version=self.version(path) if versioned else None)
        assert written.created == (path not in self.model)
        self.model[path] = data
        self.logged += 1
        assert (written.version, written.log_id) == (self.version(path), self.logged)

    @rule(path=KEYS, value=st.sampled_from([b"null", b"0", b'"\xc3\xa9"', b"[]"]))
    def put_key(self, path: str, value: bytes) -> None:
        with self.file.writing() as w:
            w.put(path, value, actor="ada", if_version=self.version(path))
        self.model[path] = value
        self.logged += 1

    @rule(path=PAGES, data=DATA)
    def append(self, path: str, data: bytes) -> None:
        with self.file.writing() as w:
            w.append(path, data, actor="ada", if_version=self.version(path))
        self.model[path] = self.model.get(path, b"") + data
        self.logged += 1

    @rule(path=PATHS, versioned=st.booleans())
    def delete(self, path: str, versioned: bool) -> None:  # noqa: FBT001 - drawn
        token = self.version(path) if versioned else None
        if path in self.model:
            with self.file.writing() as w:
                w.delete(path, actor="ada", if_version=token)
            del self.model[path]
            self.logged += 1
            return
        with pytest.raises(HubError) as refused, self.file.writing() as w:
            w.delete(path, actor="ada", if_version=token)
        assert refused.value.code in ("not_found", "invalid_argument")  # the latter: longer keys are there

    @rule(path=PATHS, data=DATA)
    def put_with_a_stale_version(self, path: str, data: bytes) -> None:
        with pytest.raises(HubError) as refused, self.file.writing() as w:
            w.put(path, data, actor="ada", if_version=agentfs.version_of(self.model.get(path, b"") + b"stale"))
        assert refused.value.details == {"current": self.version(path)}

    @rule(path=PAGES, data=DATA)
    def roll_back(self, path: str, data: bytes) -> None:
        with suppress(KeyError), self.file.writing() as w:
            w.put(path, data, actor="ada")
            raise KeyError

    @rule(how=st.sampled_from(["close", "checkpoint"]))
    def reopen(self, how: str) -> None:
        getattr(self.file, how)()

    @rule()
    def remove(self) -> None:
        self.file.remove()
        self.model, self.logged = {}, 0

    @precondition(lambda self: self.logged)
    @rule()
    def go_on_in_a_copy(self) -> None:
        self.copies += 1
        copy = self.directory / f"{self.copies}.db"
        self.file.copy_to(copy)
        self.file.remove()
        self.file = agentfs.open_file(copy, synchronous="NORMAL")

    @invariant()
    def holds_what_the_model_holds(self) -> None:
        assert self.file.exists() == bool(self.logged)
        if not self.logged:
            return
        with self.file.reading() as r:
            assert {row.path: row.size for row in r.walk("/")} == {path: len(data) for path, data in self.model.items()}
            assert {path: r.get(path).content for path in self.model} == self.model
            assert r.keys() == sorted((path[4:] for path in self.model if path.startswith("/kv/")), key=str.encode)
            assert sum(1 for row in r.log(limit=1000) if row.path) == r.last_log_id() == self.logged

    @invariant()
    def lists_one_level(self) -> None:
        if self.logged:
            with self.file.reading() as r:
                for top in ("/fs", "/kv"):
                    below = {path.split("/")[2] for path in self.model if path.startswith(top)}
                    assert below <= {row.name for row in r.list(top)} <= below | {"b", "B"}

    def teardown(self) -> None:
        path = self.file.path
        self.file.close()
        if path.exists():
            inspection.check(path)
        shutil.rmtree(self.directory)


def test_the_engine_is_like_a_dictionary() -> None:
    run_state_machine_as_test(
        Engine,
        settings=settings(max_examples=25, stateful_step_count=20, deadline=None),
    )
