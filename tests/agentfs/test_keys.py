"""Keys: listed by exact, case-sensitive prefix; values are JSON text, stored as it came."""

import pytest

import agentfs
from core.errors import HubError

VALUES = [
    b"null",
    b"0",
    b'""',
    b"[]",
    b"{}",
    b"false",
    '"é\u2028\U0001f600"'.encode(),
    b' {"a": 1.50, "a": 2}\n',
    b"-0.0",
]


@pytest.mark.parametrize("value", VALUES)
def test_a_value_comes_back_as_it_was(file: agentfs.AgentFile, value: bytes) -> None:
    with file.writing() as w:
        written = w.put("/kv/key", value, actor="ada")
    file.close()
    with file.reading() as r:
        entry = r.get("/kv/key")
    assert (entry.content, entry.type, entry.size) == (value, "key", len(value))
    assert entry.version == written.version == agentfs.version_of(value)
    assert entry.modified


def test_a_stored_null_is_not_missing(file: agentfs.AgentFile) -> None:
    with file.writing() as w:
        w.put("/kv/key", b"null", actor="ada")
        assert w.get("/kv/key").content == b"null"
        with pytest.raises(HubError) as refused:
            w.get("/kv/other")
        assert refused.value.code == "not_found"


def test_a_prefix_is_exact(file: agentfs.AgentFile) -> None:
    with file.writing() as w:
        for key in ("k_1", "k_2", "kx1", "K_2", "k", "k%", "l", "\U0010ffff", "k_\U0010ffff"):
            w.put(f"/kv/{key}", b"1", actor="ada")
        assert w.keys("k_") == ["k_1", "k_2", "k_\U0010ffff"]
        assert w.keys("k%") == ["k%"]
        assert w.keys("K") == ["K_2"]
        assert w.keys("\U0010ffff") == ["\U0010ffff"]
        assert w.keys("x") == w.keys("k_\udcff") == []
        assert len(w.keys()) == 9


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"NaN",
        b"Infinity",
        b"{'a': 1}",
        b"\xff",
        "1".encode("utf-16"),
        b"\xef\xbb\xbf1",
        b"[" * 100_000,
        b"1 2",
    ],
)
def test_what_is_no_json_is_refused(file: agentfs.AgentFile, content: bytes) -> None:
    with pytest.raises(HubError) as refused, file.writing() as w:
        w.put("/kv/key", content, actor="ada")
    assert (refused.value.code, refused.value.details["field"]) == ("invalid_argument", "content")
    assert not file.path.exists()


def test_a_key_may_stand_beside_longer_ones(file: agentfs.AgentFile) -> None:
    with file.writing() as w:
        w.put("/kv/a/b", b"1", actor="ada")
        with pytest.raises(HubError, match="directory of keys"):
            w.delete("/kv/a", actor="ada")
        assert w.put("/kv/a", b"2", actor="ada", if_version=agentfs.ABSENT).created
        w.delete("/kv/a", actor="ada")
        assert w.keys() == ["a/b"]


def test_a_key_is_not_appended_to(file: agentfs.AgentFile) -> None:
    with pytest.raises(HubError, match="one JSON value"), file.writing() as w:
        w.append("/kv/key", b"1", actor="ada")
