"""GOV-01, GOV-02: what a repository proves. Its sync publishes there alone; what moved since makes documents stale."""

import pytest

from tests.governed.desk import SOURCE, drafted, found, publish, published, repository, saved
from tests.inprocess import HttpTools, HumanApi, Json, nothing_stored
from tests.world import AgentWithToken, make_agent

OLD, NEW = "a" * 40, "b" * 40


def cites(path: str = "x.py", blob: str = OLD, commit: str = "1" * 40) -> Json:
    return {"kind": "repository", "path": path, "blob": blob, "commit": commit}


@pytest.fixture
def sync(tools: HttpTools, human_api: HumanApi) -> HttpTools:
    """The calls of the repository's sync identity, which may write in atlas."""
    token = make_agent("sync", trusted=False, atlas="write").token
    repository(human_api, sync_agent="sync")
    return HttpTools(token)


def report(sync: HttpTools, commit: str = "2" * 40, **files: str | None) -> None:
    named = {f"{name}.py": blob for name, blob in files.items()}
    sync("repository_report", project="atlas", space="code", commit=commit, files=named).done()


def test_gov_02_the_sync_identity_publishes_in_its_space_and_nowhere_else(
    tools: HttpTools, human_api: HumanApi, sync: HttpTools, ben: AgentWithToken
) -> None:
    repository(human_api, "other")
    there = drafted(sync, "x", space="code", sources=[cites()])
    assert sync("document_publish", document=there, expected_revision=1)["state"] == "published"
    elsewhere = [drafted(sync, "x", space="other"), drafted(sync, "x"), drafted(sync, "x", kind="decision")]
    with nothing_stored():
        for document in elsewhere:
            assert sync("document_publish", document=document, expected_revision=1).code == "forbidden"
        report_there = {"project": "atlas", "space": "other", "commit": OLD, "files": {"x.py": OLD}}
        assert sync("repository_report", **report_there).code == "forbidden"
    hers = drafted(tools, "x", space="code")
    with nothing_stored():
        assert tools("document_publish", document=hers, expected_revision=1).code == "forbidden"
        assert tools("repository_report", **report_there | {"space": "code"}).code == "forbidden"
    human_api.put("/projects/atlas/spaces/code", sync_agent="").done()
    with nothing_stored():
        assert sync("document_publish", document=hers, expected_revision=1).code == "forbidden"
    assert publish(human_api, hers)["state"] == "published"  # people maintain it, too


def test_gov_01_a_report_makes_documents_stale_and_verified_again(
    tools: HttpTools, human_api: HumanApi, sync: HttpTools, reader: HttpTools
) -> None:
    document = published(tools, human_api, "Ibex", "ibex", space="code", sources=[cites(), cites("y.py")])

    def trust() -> list[str]:
        shown = reader("document_get", document=document).done()
        (row,) = reader("document_list", project="atlas")["documents"]
        states = [source["state"] for source in shown["sources"]]
        (hit,) = found(reader, "ibex")
        assert shown["trust"] == row["trust"] == hit["trust"]
        return [shown["trust"], *states]

    assert trust() == ["verified", "ok", "ok"]
    report(sync, x=NEW)
    assert trust() == ["stale", "stale", "ok"]
    report(sync, x=OLD)
    assert trust() == ["verified", "ok", "ok"]
    report(sync, y=None)  # a file that was deleted
    assert trust() == ["stale", "ok", "stale"]
    report(sync, y=OLD[:12])  # as people shorten a hash
    assert trust() == ["verified", "ok", "ok"]
    report(sync, z=NEW)
    assert trust() == ["verified", "ok", "ok"]
    report(sync, x=NEW)
    publish(human_api, document, saved(tools, document, 1, sources=[cites(blob=NEW), cites("y.py")])).done()
    assert trust() == ["verified", "ok", "ok"]
    assert reader("document_get", document=document, version=1)["sources"][0]["state"] == "stale"


def test_gov_01_what_nobody_reported_is_verified_where_its_author_says(
    tools: HttpTools, human_api: HumanApi, sync: HttpTools
) -> None:
    def verified(*sources: Json) -> str | None:
        document = published(tools, human_api, space="code", sources=sources)
        commit: str | None = tools("document_get", document=document)["verified_commit"]
        return commit

    report(sync, commit="3" * 40, other=NEW)
    assert verified(cites()) == "1" * 40
    report(sync, commit="4" * 40, x=OLD)
    assert verified(cites()) == "4" * 40
    assert verified(cites(), cites("y.py")) == "1" * 40
    assert verified(cites(blob=NEW)) == "1" * 40  # stale from the start
    assert verified(SOURCE) is None
    # Two citations of one path: any that moved makes it stale.
    both = published(tools, human_api, space="code", sources=[cites(blob=NEW), cites()])
    assert tools("document_get", document=both)["trust"] == "stale"


def test_gov_01_a_project_document_that_cites_a_file_is_reviewed_not_verified(
    tools: HttpTools, human_api: HumanApi, sync: HttpTools
) -> None:
    document = published(tools, human_api, sources=[cites()])
    report(sync, x=NEW)
    shown = tools("document_get", document=document).done()
    assert (shown["trust"], shown["verified_commit"]) == ("reviewed", None)


def test_gov_01_spaces_are_shown_with_who_maintains_them(tools: HttpTools, human_api: HumanApi, lee: HumanApi) -> None:
    drafted(tools)
    repository(human_api)
    human_api.put("/projects/atlas/spaces/code", url="https://example.org/code.git").done()
    spaces = human_api.get("/spaces", project="atlas")["spaces"]
    assert [(space["name"], space["kind"], space["url"]) for space in spaces] == [
        ("code", "repository", "https://example.org/code.git"),
        ("project", "project", None),
    ]
    assert all(space["maintained"] for space in lee.get("/spaces", project="atlas")["spaces"])
    human_api.delete("/projects/atlas/spaces/code/maintainers", user="lee").done()
    maintained = {space["name"]: space["maintained"] for space in lee.get("/spaces")["spaces"]}
    assert maintained == {"code": False, "project": True}
