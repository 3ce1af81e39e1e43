"""KNB-05, AGT-01: an entry of a brain becomes a page whose history cites the session and the path it came from."""

import pytest

from projects.models import Project
from tests.brains import begin, write
from tests.inprocess import FACES, HttpTools, nothing_stored
from tests.world import AgentWithToken, make_agent


@pytest.fixture
def session(project: Project, ada_tools: HttpTools) -> str:
    return begin(ada_tools, "main", notes="found it")


def page(tools: HttpTools, path: str) -> object:
    return tools("brain_get", project="atlas", store="project", path=path)["content"]


@pytest.mark.parametrize("face", FACES)
def test_knb_05_the_log_cites_session_and_path(session: str, ada: AgentWithToken, face: str) -> None:
    tools = FACES[face](ada.token)
    given = {"session": session, "from_path": "/fs//notes.md", "to_path": "/fs/found/it.md"}
    done = tools("brain_promote", **given).done()
    assert (done["path"], done["created"], done["size"]) == ("/fs/found/it.md", True, 8)
    assert page(HttpTools(ada.token), "/fs/found/it.md") == "found it"
    history = tools("page_history", project="atlas", path="/fs/found/it.md").done()
    row = history["rows"][0]
    assert {name: row[name] for name in ("op", "path", "actor", "version", "session", "from_path")} == {
        "op": "promote",
        "path": "/fs/found/it.md",
        "actor": "ada",
        "version": done["version"],
        "session": session,
        "from_path": "/fs/notes.md",
    }
    assert (history["last_writer"], history["trust"]) == ("ada", "raw")


def test_knb_05_anothers_session_is_promoted_from_by_whoever_may_write(session: str, ben_tools: HttpTools) -> None:
    ben_tools("brain_promote", session=session, from_path="/fs/notes.md", to_path="/fs/a.md").done()
    row = ben_tools("page_history", project="atlas", path="/fs/a.md")["rows"][0]
    assert (row["actor"], row["session"]) == ("ben", session)
    reader = HttpTools(make_agent("reader", trusted=False, atlas="read").token)
    with nothing_stored():
        refused = reader("brain_promote", session=session, from_path="/fs/notes.md", to_path="/fs/b.md")
        assert refused.code == "forbidden"


def test_knb_03_a_page_that_moved_is_a_conflict(session: str, ada_tools: HttpTools, ben_tools: HttpTools) -> None:
    given = {"session": session, "from_path": "/fs/notes.md", "to_path": "/fs/a.md"}
    first = ada_tools("brain_promote", **given, if_version="absent").done()
    ben_tools("brain_put", project="atlas", store="project", path="/fs/a.md", content="his").done()
    with nothing_stored():
        for stale in (first["version"], "absent"):
            refused = ada_tools("brain_promote", **given, if_version=stale)
            assert refused.code == "version_mismatch"
            assert refused.details["current"] != first["version"]
    assert page(ada_tools, "/fs/a.md") == "his"
    current = ada_tools("brain_get", project="atlas", store="project", path="/fs/a.md")["version"]
    ada_tools("brain_promote", **given, if_version=current).done()
    assert page(ada_tools, "/fs/a.md") == "found it"


def test_knb_01_a_key_is_promoted_as_json_text(session: str, ada_tools: HttpTools) -> None:
    write(ada_tools, session, "/kv/state", {"step": 3, "name": "\u00e9"})
    ada_tools("brain_promote", session=session, from_path="/kv/state", to_path="/fs/state.json").done()
    assert page(ada_tools, "/fs/state.json") == '{"step":3,"name":"\u00e9"}'


def test_knb_01_what_cannot_become_a_page_is_refused(session: str, ada_tools: HttpTools) -> None:
    write(ada_tools, session, "/fs/large.md", "x" * (1024 * 1024 + 1))
    write(ada_tools, session, "/fs/dir/inner.md", "x")
    ada_tools("brain_put", project="atlas", store="project", path="/fs/folder/page.md", content="x").done()
    with nothing_stored():
        for from_path, to_path, code in [
            ("/fs/large.md", "/fs/a.md", "payload_too_large"),
            ("/fs/none.md", "/fs/a.md", "not_found"),
            ("/fs/dir", "/fs/a.md", "invalid_argument"),
            ("/fs/notes.md", "/fs/folder", "invalid_argument"),
            ("/fs/notes.md", "/kv/a", "invalid_argument"),
            ("/fs/notes.md", "/fs/folder/page.md/x", "invalid_argument"),
        ]:
            refused = ada_tools("brain_promote", session=session, from_path=from_path, to_path=to_path)
            assert refused.code == code, from_path


def test_agt_02_a_retry_is_one_log_row(session: str, ada_tools: HttpTools) -> None:
    given = {"session": session, "from_path": "/fs/notes.md", "to_path": "/fs/a.md", "idempotency_key": "k"}
    first = ada_tools("brain_promote", **given).done()
    assert ada_tools("brain_promote", **given).done() == first
    assert len(ada_tools("page_history", project="atlas", path="/fs/a.md")["rows"]) == 1
