"""KNB-01, SES-01: what a page or a brain cannot hold is refused by a typed error, and nothing changes on disk."""

from functools import partial

import pytest

import agentfs
from projects.models import Project
from tests.brains import begin, content
from tests.inprocess import HttpTools, HumanApi, nothing_stored

MEBIBYTE = 1024 * 1024


@pytest.fixture(autouse=True)
def session(project: Project, ada_tools: HttpTools) -> str:
    ada_tools("brain_put", project="atlas", store="project", path="/fs/folder/page.md", content="x").done()
    return begin(ada_tools, "main", notes="x")


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/fs/folder", "invalid_argument"),
        ("/fs/folder/", "invalid_argument"),
        ("/fs/folder/page.md/below.md", "invalid_argument"),
        ("/fs", "invalid_argument"),
        ("/fs/..", "invalid_argument"),
        ("/kv/key", "invalid_argument"),
    ],
)
def test_knb_01_a_path_no_page_can_have(ada_tools: HttpTools, human_api: HumanApi, path: str, code: str) -> None:
    with nothing_stored():
        assert ada_tools("brain_put", project="atlas", store="project", path=path, content="x").code == code
        assert human_api.put("/projects/atlas/page", path=path, content="x").code == code


def test_knb_01_a_page_past_its_limit(ada_tools: HttpTools, human_api: HumanApi) -> None:
    whole = {"project": "atlas", "store": "project", "path": "/fs/a.md"}
    with nothing_stored():
        for refused in (
            ada_tools("brain_put", **whole, content="x" * (MEBIBYTE + 1)),
            human_api.put("/projects/atlas/page", path="/fs/a.md", content="x" * (MEBIBYTE + 1)),
        ):
            assert (refused.code, refused.details["limit"]) == ("payload_too_large", MEBIBYTE)
    ada_tools("brain_put", **whole, content="x" * MEBIBYTE).done()
    with nothing_stored():
        assert ada_tools("brain_put", **whole, content="y", append=True).code == "payload_too_large"


def test_ses_01_a_brain_over_its_cap(session: str, ada_tools: HttpTools, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agentfs, "open_file", partial(agentfs.open_file, max_bytes=400_000))
    put = partial(ada_tools, "brain_put", session=session, store="session")
    put(path="/fs/a.md", content="x" * 200_000).done()
    with nothing_stored():
        refused = put(path="/fs/b.md", content="x" * 300_000)
        assert (refused.code, refused.details["limit"]) == ("payload_too_large", 400_000)
    # What is there can be read, made smaller and deleted.
    assert content(ada_tools, session, "/fs/notes.md") == "x"
    put(path="/fs/a.md", content="x" * 100).done()
    ada_tools("brain_delete", session=session, path="/fs/a.md", store="session").done()
    put(path="/fs/b.md", content="x" * 300_000).done()
