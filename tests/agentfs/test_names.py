"""One spelling for each path, before anything keys on it; what an import spelt otherwise stays reachable."""

from pathlib import Path

import pytest

import agentfs
from core.errors import HubError
from tests.agentfs import inspection

NFD = "e\u0301.md"
NFC = "\u00e9.md"


@pytest.mark.parametrize(
    ("given", "canonical"),
    [
        ("/", "/"),
        ("/fs", "/fs"),
        ("/fs/", "/fs"),
        ("//fs//a///b/", "/fs/a/b"),
        ("/fs/./a/../b", "/fs/b"),
        ("/../../fs/a", "/fs/a"),
        ("/fs/../kv/a", "/kv/a"),
        ("/kv/user:1", "/kv/user:1"),
        ("/fs/...", "/fs/..."),
        (f"/fs/{NFD}", f"/fs/{NFC}"),
        ("/fs/" + "x" * 255, "/fs/" + "x" * 255),
        ("/fs/" + "e\u0301" * 120, "/fs/" + "\u00e9" * 120),
    ],
)
def test_canonical(given: str, canonical: str) -> None:
    assert agentfs.canonical(given) == canonical == agentfs.canonical(canonical)


@pytest.mark.parametrize(
    "given",
    [
        *("", "fs/a", "a", "/etc/passwd", "/fs/../etc", "/fsx", "/FS/a", "/kvx/a"),
        *("/fs/a\\b", "/fs/a\x00b", "/fs/a\nb", "/fs/\x7f", "/fs/\x85", "/fs/\ud800"),
        *("/fs/" + "x" * 256, "/fs/" + "\u00e9" * 128, "/fs" + "/x" * 255, "/fs" + "/x" * 100_000),
    ],
)
def test_refused(given: str) -> None:
    with pytest.raises(HubError) as refused:
        agentfs.canonical(given)
    assert (refused.value.code, refused.value.details["field"]) == ("invalid_argument", "path")


@pytest.mark.parametrize("given", ["/kv/a", "/kv", "/fs/../kv/a"])
def test_a_knowledge_base_has_no_keys(given: str) -> None:
    assert agentfs.canonical("/fs/a", pages_only=True) == "/fs/a"
    with pytest.raises(HubError, match="no keys"):
        agentfs.canonical(given, pages_only=True)


def test_two_normal_forms_are_one_page(file: agentfs.AgentFile) -> None:
    with file.writing() as w:
        w.put(f"/fs/{NFD}", b"1", actor="ada")
        w.put(f"/fs/{NFC}", b"2", actor="ada")
        assert w.get(f"/fs/{NFD}").content == b"2"
        assert [row.path for row in w.list("/fs")] == [f"/fs/{NFC}"]
        assert len(w.log(path=f"/fs/{NFD}")) == 2
        w.put("/kv/e\u0301", b"1", actor="ada")
        assert w.get("/kv/\u00e9").content == b"1"
        assert w.keys() == ["\u00e9"]


def test_an_imported_form_stays_reachable(file: agentfs.AgentFile, path: Path) -> None:
    with file.writing() as w:
        for target in ("/fs/dir/one", "/fs/dir/two", "/kv/one"):
            w.put(target, b"1", actor="ada")
    file.close()
    inspection.query(path, "UPDATE fs_dentry SET name = ? WHERE name = 'one'", NFD)
    inspection.query(path, "UPDATE fs_dentry SET name = ? WHERE name = 'dir'", "\u212aelvin")
    inspection.query(path, "UPDATE kv_store SET key = ?", f"dir/{NFD}")
    with file.writing() as w:
        assert [row.path for row in w.walk("/")] == ["/fs/Kelvin/two", f"/fs/Kelvin/{NFC}", f"/kv/dir/{NFC}"]
        for target in (f"/fs/Kelvin/{NFC}", f"/kv/dir/{NFC}"):
            first = w.get(target)
            w.put(target, b"2", actor="ada", if_version=first.version)
            assert w.get(target).content == b"2"
            w.delete(target, actor="ada")
        assert [row.path for row in w.walk("/")] == ["/fs/Kelvin/two"]


def test_of_two_imported_forms_the_canonical_one_is_the_page(file: agentfs.AgentFile, path: Path) -> None:
    with file.writing() as w:
        w.put(f"/fs/{NFC}", b"canonical", actor="ada")
        w.put("/fs/other", b"shadowed", actor="ada")
    file.close()
    inspection.query(path, "UPDATE fs_dentry SET name = ? WHERE name = 'other'", NFD)
    with file.reading() as r:
        assert [row.path for row in r.list("/fs")] == [f"/fs/{NFC}"]
        assert r.get(f"/fs/{NFD}").content == b"canonical"
