"""KNB-01: a knowledge base leaves as a zip of its pages and comes back as one write."""

import zipfile

import pytest

from core.actor import Actor
from core.errors import HubError
from knowledge.folders import exported, unpacked
from knowledge.operations import import_pages
from projects.models import Project
from tests.folders.zips import zipped
from tests.inprocess import HttpTools, nothing_stored
from tests.world import AgentWithToken, Person, make_project

PAGES = {
    "/fs/README.md": "# Atlas\n",
    "/fs/empty.md": "",
    "/fs/decisions/0001.md": "yes",
    "/fs/decisions/deep/er/0002 with blanks.md": "no",
    "/fs/\u5024\u73ed.md": "\u00e9\u8a18\U0001f680",
    "/fs/caf\u00e9/n\u0303.md": "composed",
}


@pytest.fixture
def filled(project: Project, ada_tools: HttpTools) -> Project:
    for path, content in PAGES.items():
        put(ada_tools, path, content)
    return project


def put(tools: HttpTools, path: str, content: str, project: str = "atlas") -> None:
    tools("brain_put", project=project, store="project", path=path, content=content).done()


def pages(tools: HttpTools, project: str, path: str = "/fs") -> dict[str, object]:
    """Read every page through the agents' calls."""
    found: dict[str, object] = {}
    for row in tools("brain_list", project=project, store="project", path=path)["entries"]:
        if row["type"] == "dir":
            found |= pages(tools, project, row["path"])
        else:
            got = tools("brain_get", project=project, store="project", path=row["path"]).done()
            found[row["path"]] = got["content"]
    return found


def test_knb_01_what_was_exported_comes_back_as_it_was(filled: Project, ada_tools: HttpTools, human: Person) -> None:
    make_project("copy")
    was = pages(ada_tools, "atlas")
    assert list(was.values()).count("") == 1
    assert len(was) == len(PAGES)
    stored = import_pages(human.actor, "copy", contents=unpacked(exported(filled)))
    assert pages(ada_tools, "copy") == was
    assert stored == {"stored": sorted(was), "unchanged": []}
    # Once more: nothing is there to do, and the log stays as it is.
    with nothing_stored():
        again = import_pages(human.actor, "copy", contents=unpacked(exported(filled)))
    assert again == {"stored": [], "unchanged": sorted(was)}
    history = ada_tools("page_history", project="copy", path="/fs/README.md").done()
    assert [(row["op"], row["actor"]) for row in history["rows"]] == [("import", "human:kim")]
    assert history["trust"] == "human-touched"


def test_knb_01_a_folder_of_it_is_exported_alone_and_imported_elsewhere(
    filled: Project, ada_tools: HttpTools, human: Person
) -> None:
    with zipfile.ZipFile(exported(filled, "decisions")) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["decisions/0001.md", "decisions/deep/er/0002 with blanks.md"]
    import_pages(human.actor, "atlas", contents=unpacked(zipped(("a.md", "x"), ("b/c.md", "y")), "/old/"))
    assert {path for path in pages(ada_tools, "atlas") if "old" in path} == {"/fs/old/a.md", "/fs/old/b/c.md"}


def test_knb_01_what_is_there_with_another_content_is_listed_and_nothing_imported(
    filled: Project, ada_tools: HttpTools, human: Person
) -> None:
    contents = unpacked(zipped(("README.md", "other"), ("empty.md", ""), ("new.md", "x"), ("decisions/0001.md", "z")))
    with nothing_stored(), pytest.raises(HubError) as refused:
        import_pages(human.actor, "atlas", contents=contents)
    assert refused.value.code == "conflict"
    assert refused.value.details["conflicts"] == ["/fs/README.md", "/fs/decisions/0001.md"]
    done = import_pages(human.actor, "atlas", contents=contents, overwrite=True)
    assert done == {
        "stored": ["/fs/README.md", "/fs/decisions/0001.md", "/fs/new.md"],
        "unchanged": ["/fs/empty.md"],
    }
    assert pages(ada_tools, "atlas")["/fs/README.md"] == "other"


def test_knb_01_an_export_of_nothing_is_an_empty_zip(project: Project) -> None:
    for folder in ("", "nowhere"):
        with zipfile.ZipFile(exported(project, folder)) as archive:
            assert archive.namelist() == []
    assert unpacked(exported(project)) == {}


def test_knb_04_importing_needs_write(filled: Project, stranger: AgentWithToken, ada: AgentWithToken) -> None:
    contents = {"/fs/x.md": b"x"}
    with nothing_stored():
        for actor, code in ((stranger.actor, "not_found"), (Actor("human", "nobody", 10**9), "forbidden")):
            with pytest.raises(HubError) as refused:
                import_pages(actor, "atlas", contents=contents)
            assert refused.value.code == code
    assert import_pages(ada.actor, "atlas", contents=contents)["stored"] == ["/fs/x.md"]
