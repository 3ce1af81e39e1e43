"""GOV-01..09: what is refused, by the code and the reason a client can act on, and nothing of it is stored."""

from typing import TYPE_CHECKING

import pytest
from django.test import Client

from knowledge.models import Document, DocumentVersion
from projects.models import Event, Project
from tests.brains import begin
from tests.governed.desk import SOURCE, accepted, drafted, publish, published, repository, saved
from tests.inprocess import HttpTools, HumanApi, Json, Outcome, nothing_stored
from tests.world import AgentWithToken, make_person, make_project

if TYPE_CHECKING:
    from collections.abc import Callable

NOWHERE = "01HZZZZZZZZZZZZZZZZZZZZZZZ"
LONG = "x" * 200_001


def refused(outcome: Outcome) -> tuple[str, object]:
    """Answer the code, and the reason or the field."""
    return outcome.code, outcome.details.get("reason") or outcome.details.get("field")


def test_gov_03_a_save_needs_the_revision_its_author_saw(tools: HttpTools, human_api: HumanApi) -> None:
    document = drafted(tools)
    saved(tools, document, 1, body="Hers.")
    with nothing_stored():
        missing = tools("document_draft", document=document, body="His.")
        stale = tools("document_draft", document=document, body="His.", expected_revision=1)
        ahead = tools("document_draft", document=document, body="His.", expected_revision=3)
        by_person = human_api.put(f"/documents/{document}/draft", body="His.")
    assert (missing.code, missing.details["current_revision"]) == ("precondition_required", 2)
    assert by_person.code == "precondition_required"
    assert refused(stale) == refused(ahead) == ("conflict", "draft_changed")
    assert stale.details["current_revision"] == 2
    assert (stale.details["updated_by"], stale.details["base_version"]) == ("ada", None)
    assert tools("document_get", document=document, draft=True)["draft"]["body"] == "Hers."


def test_gov_03_a_conflict_names_the_version_the_draft_began_from(tools: HttpTools, human_api: HumanApi) -> None:
    document = published(tools, human_api)
    stale = tools("document_draft", document=document, body="Mine.", expected_revision=0)
    assert (stale.details["updated_by"], stale.details["base_version"]) == (None, 1)
    saved(tools, document, 1, body="Hers.")
    stale = tools("document_draft", document=document, body="Mine.", expected_revision=1)
    assert (stale.details["updated_by"], stale.details["base_version"]) == ("ada", 1)


def test_gov_04_what_cannot_be_published(tools: HttpTools, human_api: HumanApi) -> None:
    bare, empty, same = drafted(tools, sources=[]), drafted(tools, body=" \n"), published(tools, human_api)
    with nothing_stored():
        assert refused(publish(human_api, bare)) == ("invalid_argument", "sources")
        assert refused(publish(human_api, empty)) == ("invalid_argument", "body")
        assert refused(publish(human_api, same)) == ("conflict", "no_draft")
        assert refused(publish(human_api, bare, 2)) == ("conflict", "draft_changed")
        assert human_api.post(f"/documents/{bare}/publish").code == "precondition_required"
    back = saved(tools, same, saved(tools, same, 1, body="Other."), body="Words.")
    with nothing_stored():
        assert refused(publish(human_api, same, back)) == ("conflict", "no_changes")


def test_gov_04_one_publish_is_in_flight_at_a_time(tools: HttpTools, human_api: HumanApi) -> None:
    document = published(tools, human_api)
    revision = saved(tools, document, 1, body="Next.")
    given = {"title": "x", "body": "x", "sources": [SOURCE], "revision": 1, "published_by": "x", "editorial": False}
    row = Document.objects.get()
    for state in ("pending", "indexing"):
        version = DocumentVersion(document=row, number=2, state=state, created_at=row.created_at, **given)
        version.save()
        with nothing_stored():
            assert refused(publish(human_api, document, revision)) == ("conflict", "in_flight")
        version.delete()
    assert publish(human_api, document, revision)["version"] == 2


def test_gov_05_a_draft_is_replaced_only_by_who_saw_it(tools: HttpTools, human_api: HumanApi) -> None:
    document = published(tools, human_api)
    saved(tools, document, 1, body="Hers.")
    at = f"/documents/{document}/restore"
    with nothing_stored():
        over = human_api.post(at, version=1)
        blind = human_api.post(at, version=1, replace=True)
        stale = human_api.post(at, version=1, replace=True, expected_revision=1)
        assert human_api.post(at, version=2).code == human_api.post(at, version=2**40).code == "not_found"
    assert (refused(over), over.details["current_revision"]) == (("conflict", "has_draft"), 2)
    assert blind.code == "precondition_required"
    assert refused(stale) == ("conflict", "draft_changed")


def test_gov_09_approving_what_moved_is_a_conflict_and_the_item_stays(tools: HttpTools, human_api: HumanApi) -> None:
    document = drafted(tools)
    item = tools("document_submit", document=document, expected_revision=1)["event"]
    saved(tools, document, 1, body="Moved.")
    with nothing_stored():
        assert refused(human_api.post(f"/inbox/{item}/decision", approved=True)) == ("conflict", "draft_changed")
    assert [row["id"] for row in human_api.get("/inbox", status="action")["items"]] == [item]
    with nothing_stored():
        assert tools("document_submit", document=document).code == "precondition_required"
        assert refused(tools("document_submit", document=document, expected_revision=1)) == (
            "conflict",
            "draft_changed",
        )


def test_gov_09_an_approval_that_cannot_publish_stays_open(tools: HttpTools, human_api: HumanApi) -> None:
    document = drafted(tools, sources=[])
    item = tools("document_submit", document=document, expected_revision=1)["event"]
    with nothing_stored():
        assert refused(human_api.post(f"/inbox/{item}/decision", approved=True)) == ("invalid_argument", "sources")
    assert human_api.get(f"/inbox/{item}")["status"] == "action"


def test_gov_08_a_decision_has_one_superseder_and_no_cycle(tools: HttpTools, human_api: HumanApi) -> None:
    old, new, third = (accepted(tools, human_api, title) for title in ("Old", "New", "Third"))
    human_api.post(f"/documents/{new}/supersede", supersedes=[old]).done()
    open_one, guide = drafted(tools, "Proposed", kind="decision"), published(tools, human_api, "Guide")
    with nothing_stored():
        for by, ended in ((old, new), (third, old)):  # a cycle, and a second superseder
            assert refused(human_api.post(f"/documents/{by}/supersede", supersedes=[ended])) == ("conflict", "decided")
        assert refused(human_api.post(f"/documents/{third}/supersede", supersedes=[new, old])) == (
            "conflict",
            "decided",
        )
        for ended in (third, third.lower()):
            by_itself = human_api.post(f"/documents/{third}/supersede", supersedes=[new, ended])
            assert refused(by_itself) == ("invalid_argument", "supersedes")
        by_itself = human_api.post(f"/documents/{open_one}/accept", expected_revision=1, supersedes=[open_one])
        assert refused(by_itself) == ("invalid_argument", "supersedes")
        assert refused(human_api.post(f"/documents/{third}/supersede", supersedes=[])) == (
            "invalid_argument",
            "supersedes",
        )
        assert human_api.post(f"/documents/{third}/supersede", supersedes=[guide]).code == "invalid_argument"
        assert human_api.post(f"/documents/{third}/supersede", supersedes=[NOWHERE]).code == "not_found"
        assert refused(human_api.post(f"/documents/{third}/supersede", supersedes=[open_one])) == (
            "conflict",
            "decided",
        )
    assert tools("document_get", document=third)["decision"]["status"] == "accepted"
    assert human_api.post(f"/documents/{open_one}/accept", expected_revision=1, supersedes=[new, third]).done()[
        "superseded"
    ] == [new, third]


def test_gov_08_a_decision_ends_once_and_with_a_reason(tools: HttpTools, human_api: HumanApi) -> None:
    open_one, taken = drafted(tools, "Open", kind="decision"), accepted(tools, human_api, "Taken")
    guide = published(tools, human_api, "Guide")
    with nothing_stored():
        for reason in ("", " \n"):
            assert refused(human_api.post(f"/documents/{taken}/revoke", reason=reason)) == (
                "invalid_argument",
                "reason",
            )
        assert human_api.post(f"/documents/{taken}/revoke", reason="x" * 1001).details["limit"] == 1000
        assert refused(human_api.post(f"/documents/{open_one}/revoke", reason="x")) == ("conflict", "decided")
        assert refused(human_api.post(f"/documents/{taken}/reject")) == ("conflict", "decided")
        assert refused(human_api.post(f"/documents/{taken}/accept", expected_revision=1)) == ("conflict", "decided")
        assert human_api.post(f"/documents/{guide}/accept", expected_revision=1).code == "invalid_argument"
        assert human_api.post(f"/documents/{open_one}/accept").code == "precondition_required"
        assert refused(publish(human_api, open_one)) == ("conflict", "decision")
        assert refused(human_api.delete(f"/documents/{taken}")) == ("conflict", "has_versions")
        assert refused(human_api.post(f"/documents/{taken}/archive")) == ("conflict", "decision")
    human_api.post(f"/documents/{open_one}/reject", reason="No.").done()
    with nothing_stored():
        assert refused(human_api.post(f"/documents/{open_one}/accept", expected_revision=1)) == ("conflict", "decided")
        assert refused(human_api.delete(f"/documents/{open_one}")) == ("conflict", "decided")
        changed = tools("document_draft", document=open_one, body="Yes.", expected_revision=1)
        assert refused(changed) == ("conflict", "decided")
        assert refused(publish(human_api, open_one, editorial=True)) == ("conflict", "decided")
        assert refused(tools("document_submit", document=open_one, expected_revision=1)) == ("conflict", "decided")


def test_gov_08_an_accepted_decision_changes_by_editorial_versions_only(tools: HttpTools, human_api: HumanApi) -> None:
    document = accepted(tools, human_api, "Use tabs")
    revision = saved(tools, document, 1, body="We do, spelt better.")
    with nothing_stored():
        assert refused(publish(human_api, document, revision)) == ("conflict", "editorial")
    assert publish(human_api, document, revision, editorial=True)["version"] == 2
    shown = tools("document_get", document=document).done()
    assert (shown["version"], shown["editorial"], shown["decision"]["status"]) == (2, True, "accepted")


def test_gov_09_a_request_that_was_open_when_a_decision_ended_cannot_publish_it(
    tools: HttpTools, human_api: HumanApi
) -> None:
    ends: dict[str, Callable[[str], Outcome]] = {
        "reject": lambda document: human_api.post(f"/documents/{document}/reject"),
        "revoke": lambda document: human_api.post(f"/documents/{document}/revoke", reason="No."),
        "supersede": lambda document: human_api.post(f"/documents/{other}/supersede", supersedes=[document]),
    }
    other = accepted(tools, human_api, "Other")
    for name, end in ends.items():
        is_new = name == "reject"
        document = drafted(tools, name, kind="decision") if is_new else accepted(tools, human_api, name)
        revision = 1 if is_new else saved(tools, document, 1, body="Changed.")
        item = tools("document_submit", document=document, expected_revision=revision)["event"]
        end(document).done()
        assert human_api.get(f"/inbox/{item}")["outcome"] == "declined"
        with nothing_stored():
            assert human_api.post(f"/inbox/{item}/decision", approved=True).code == "conflict"
        assert tools("inbox_read", project="atlas", status="action")["items"] == []


def test_gov_09_a_request_for_what_is_gone_is_closed_with_it(tools: HttpTools, human_api: HumanApi) -> None:
    new, old, kept = drafted(tools), published(tools, human_api), published(tools, human_api)
    asked = {new: 1, old: saved(tools, old, 1, body="x"), kept: saved(tools, kept, 1, body="x")}
    items = [tools("document_submit", document=key, expected_revision=number)["event"] for key, number in asked.items()]
    human_api.delete(f"/documents/{new}").done()
    human_api.delete(f"/documents/{old}/draft", expected_revision=2).done()
    human_api.post(f"/documents/{kept}/archive").done()
    assert [human_api.get(f"/inbox/{item}")["outcome"] for item in items] == ["declined"] * 3


def test_gov_02_agents_draft_and_people_publish(tools: HttpTools, human_api: HumanApi) -> None:
    document = drafted(tools)
    item = tools("document_submit", document=document, expected_revision=1)["event"]
    with nothing_stored():
        assert tools("document_publish", document=document, expected_revision=1).code == "forbidden"
        assert tools("answer_post", question=item, body="yes").code == "invalid_argument"


def test_gov_02_who_does_not_maintain_a_space_decides_nothing_in_it(tools: HttpTools, human_api: HumanApi) -> None:
    guide, old, new = published(tools, human_api), accepted(tools, human_api, "Old"), drafted(tools, kind="decision")
    draft = drafted(tools, "Draft")
    item = tools("document_submit", document=draft, expected_revision=1)["event"]
    human_api.post(f"/documents/{guide}/archive").done()
    client = Client()
    client.force_login(make_person("lee").user)
    lee = HumanApi(client)
    with nothing_stored():
        for outcome in (
            publish(lee, draft),
            lee.post(f"/documents/{guide}/archive"),
            lee.delete(f"/documents/{guide}/archive"),
            lee.delete(f"/documents/{draft}"),
            lee.post(f"/documents/{new}/accept", expected_revision=1),
            lee.post(f"/documents/{new}/reject"),
            lee.post(f"/documents/{old}/revoke", reason="x"),
            lee.post(f"/documents/{old}/supersede", supersedes=[new]),
            lee.post(f"/inbox/{item}/decision", approved=True),
            lee.post(f"/inbox/{item}/decision", approved=False),
        ):
            assert outcome.code == "forbidden"
    # The superseder's space is hers; what it ends must be, too.
    assert human_api.post("/projects/atlas/spaces/project/maintainers", user="lee").done()
    assert publish(lee, draft)["version"] == 1


def test_gov_06_what_readers_may_not_have_is_not_there(
    tools: HttpTools, human_api: HumanApi, reader: HttpTools, monkeypatch: pytest.MonkeyPatch
) -> None:
    hidden, shown = drafted(tools, "Hidden"), published(tools, human_api)
    bare = published(tools, human_api, "No draft")
    revision = saved(tools, shown, 1, body="Next.")
    monkeypatch.setattr("knowledge.switching.parts_of", lambda _: 1 / 0)
    assert publish(human_api, shown, revision)["state"] == "failed"

    def missing(**given: object) -> Json:
        outcome = reader("document_get", **given)
        assert outcome.refused
        return {name: value for name, value in outcome.body.items() if name != "instance"}

    assert missing(document=hidden) == missing(document=NOWHERE)
    assert missing(document=hidden, draft=True) == missing(document=NOWHERE, draft=True)
    assert missing(document=shown, version=2) == missing(document=shown, version=7)
    assert missing(document=shown, draft=True) == missing(document=bare, draft=True)
    for call in ("document_draft", "document_submit", "document_publish"):
        given = {"expected_revision": 1, **({"body": "x"} if call == "document_draft" else {})}
        codes = [reader(call, document=document, **given).code for document in (hidden, NOWHERE)]
        assert codes == ["not_found", "not_found"], call
        assert reader(call, document=shown, **given).code in {"forbidden", "no_active_session"}, call
    assert [row["id"] for row in reader("document_list", project="atlas")["documents"]] == [bare, shown]
    assert reader("document_list", project="atlas", state="unpublished")["documents"] == []


SOURCES: dict[str, tuple[Json, str]] = {
    "no kind": ({"url": "https://a.b"}, "sources.0.kind"),
    "unknown kind": ({"kind": "rumour"}, "sources.0.kind"),
    "a kind of no type": ({"kind": ["url"]}, "sources.0.kind"),
    "a member too many": (SOURCE | {"why": "x"}, "sources.0"),
    "a member too few": ({"kind": "page", "path": "/fs/x.md"}, "sources.0"),
    "a wrong type": ({"kind": "url", "url": 5}, "sources.0.url"),
    "true is no number": ({"kind": "artifact", "artifact": NOWHERE, "version": True}, "sources.0.version"),
    "no such page": ({"kind": "page", "path": "/fs/x.md", "version": "sha256:0"}, "sources.0.version"),
    "a path that is none": ({"kind": "page", "path": "x", "version": "sha256:0"}, "sources.0.path"),
    "a key is no page": ({"kind": "page", "path": "/kv/x", "version": "sha256:0"}, "sources.0.path"),
    "no such session": ({"kind": "brain", "session": NOWHERE, "path": "/fs/x", "version": "x"}, "sources.0"),
    "no such artifact": ({"kind": "artifact", "artifact": NOWHERE, "version": 1}, "sources.0"),
    "an id that is none": ({"kind": "artifact", "artifact": "x", "version": 1}, "sources.0.artifact"),
    "no such event": ({"kind": "event", "event": NOWHERE}, "sources.0"),
    "no such document": ({"kind": "document", "document": NOWHERE, "version": 1}, "sources.0"),
    "no hash": ({"kind": "repository", "commit": "main", "path": "a", "blob": "0" * 40}, "sources.0.commit"),
    "no blob": ({"kind": "repository", "commit": "0" * 40, "path": "a", "blob": "G" * 40}, "sources.0.blob"),
    "no path": ({"kind": "repository", "commit": "0" * 40, "path": "", "blob": "0" * 40}, "sources.0.path"),
    "no http": ({"kind": "url", "url": "javascript:alert(1)"}, "sources.0.url"),
    "a long address": ({"kind": "url", "url": "https://" + "x" * 2000}, "sources.0.url"),
    "a control character": ({"kind": "url", "url": "https://a.b/\x1b"}, "sources.0.url"),
}


@pytest.mark.parametrize("name", SOURCES)
def test_gov_07_a_source_that_is_none(tools: HttpTools, human_api: HumanApi, name: str) -> None:
    source, field = SOURCES[name]
    given = {"title": "x", "body": "x", "sources": [source]}
    with nothing_stored():
        assert refused(tools("document_draft", project="atlas", **given)) == ("invalid_argument", field)
        assert refused(human_api.post("/projects/atlas/documents", **given)) == ("invalid_argument", field)


@pytest.mark.parametrize("lines", [[2, 1], [0, 1], [1], [1, 2, 3], ["1", "2"], [True, True], "1-2", None])
def test_gov_07_lines_are_a_first_and_a_last(tools: HttpTools, lines: object) -> None:
    source = {"kind": "repository", "commit": "0" * 40, "path": "a", "blob": "0" * 40, "lines": lines}
    given = {"project": "atlas", "title": "x", "sources": [source]}
    with nothing_stored():
        assert refused(tools("document_draft", **given)) == ("invalid_argument", "sources.0.lines")


def test_gov_07_sources_are_of_the_documents_own_project(tools: HttpTools, human_api: HumanApi) -> None:
    make_project("other")
    session = begin(tools, "there", "other", notes="x")
    at = {"project": "other", "store": "project", "path": "/fs/x.md"}
    page = tools("brain_put", content="x", **at)["version"]
    brain = tools("brain_get", session=session, path="/fs/notes.md")["version"]
    shown = {"project": "other", "title": "x", "kind": "text", "content": "x", "session": session}
    artifact = tools("artifact_publish", **shown)["artifact"]
    event = tools("signal_append", project="other", summary="x", session=session)["event"]
    document = tools("document_draft", project="other", title="x", body="x", sources=[SOURCE])["document"]
    publish(human_api, document).done()
    for source in (
        {"kind": "page", "path": "/fs/x.md", "version": page},
        {"kind": "brain", "session": session, "path": "/fs/notes.md", "version": brain},
        {"kind": "artifact", "artifact": artifact, "version": 1},
        {"kind": "event", "event": event},
        {"kind": "document", "document": document, "version": 1},
    ):
        given = {"title": "x", "sources": [SOURCE, source]}
        with nothing_stored():
            assert tools("document_draft", project="atlas", **given).details["field"].startswith("sources.1")
        assert tools("document_draft", project="other", **given).done()
    for refused_one in (
        {"kind": "document", "document": document, "version": 2},
        {"kind": "page", "path": "/fs/x.md", "version": "sha256:1"},
    ):
        with nothing_stored():
            assert tools("document_draft", project="other", title="x", sources=[refused_one]).code == "invalid_argument"


def test_gov_07_system_events_and_unpublished_documents_are_no_sources(tools: HttpTools, human_api: HumanApi) -> None:
    human_api.patch("/projects/atlas", name="Atlas anew").done()
    event = Event.objects.filter(kind="system").latest("pk").pk
    for source in ({"kind": "event", "event": event}, {"kind": "document", "document": drafted(tools), "version": 1}):
        with nothing_stored():
            outcome = tools("document_draft", project="atlas", title="x", sources=[source])
            assert refused(outcome) == ("invalid_argument", "sources.0")


def test_gov_07_at_most_fifty_sources(tools: HttpTools) -> None:
    many = [SOURCE | {"title": f"{number}"} for number in range(51)]
    with nothing_stored():
        outcome = tools("document_draft", project="atlas", title="x", sources=many)
        assert (refused(outcome), outcome.details["limit"]) == (("invalid_argument", "sources"), 50)
    document = drafted(tools, sources=many[:50])
    with nothing_stored():
        outcome = tools("document_draft", document=document, expected_revision=1, sources=many)
        assert refused(outcome) == ("invalid_argument", "sources")


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"title": "x" * 201}, "title"),
        ({"title": ""}, "title"),
        ({"title": " "}, "title"),
        ({"title": "two\nlines"}, "title"),
        ({"title": "a\0b"}, "title"),
        ({"body": LONG}, "body"),
        ({"body": "a\0b"}, "body"),
        ({"body": "a\x1bb"}, "body"),
        ({"sources": [SOURCE | {"title": "a\0b"}]}, "sources"),
        ({"kind": "rumour"}, "kind"),
    ],
)
def test_gov_03_a_text_that_does_not_fit(tools: HttpTools, human_api: HumanApi, given: Json, field: str) -> None:
    whole = {"title": "x", "body": "x", **given}
    with nothing_stored():
        assert refused(tools("document_draft", project="atlas", **whole)) == ("invalid_argument", field)
        assert refused(human_api.post("/projects/atlas/documents", **whole)) == ("invalid_argument", field)
    if field != "kind":
        document = drafted(tools)
        with nothing_stored():
            saving = tools("document_draft", document=document, expected_revision=1, **given)
            assert refused(saving) == ("invalid_argument", field)


def test_gov_01_spaces_that_are_none(tools: HttpTools, human_api: HumanApi) -> None:
    drafted(tools)
    repository(human_api)
    at = "/projects/atlas/spaces"
    with nothing_stored():
        for name in ("", "Code", "a b", "-", "x" * 64, "a\nb", "a/b"):
            assert refused(human_api.post(at, name=name)) == ("invalid_argument", "name"), name
        for name in ("code", "project"):
            assert refused(human_api.post(at, name=name)) == ("conflict", "name")
        for url in ("ftp://x", "https://", "javascript:x", "x" * 501):
            assert refused(human_api.post(at, name="new", url=url)) == ("invalid_argument", "url"), url
        assert refused(human_api.post(at, name="new", sync_agent="nobody")) == ("invalid_argument", "sync_agent")
        assert human_api.put(f"{at}/nowhere", url="https://a.b").code == "not_found"
        assert refused(human_api.put(f"{at}/project", url="https://a.b")) == ("invalid_argument", "space")
        assert tools("document_draft", project="atlas", space="nowhere", title="x").code == "not_found"
        decision = tools("document_draft", project="atlas", space="code", kind="decision", title="x")
        assert refused(decision) == ("invalid_argument", "space")


def test_gov_02_a_space_keeps_a_maintainer(tools: HttpTools, human_api: HumanApi) -> None:
    drafted(tools)
    make_person("visitor", staff=False)
    at = "/projects/atlas/spaces/project/maintainers"
    with nothing_stored():
        for name in ("nobody", "visitor", "ada"):  # people of the staff alone: no agent
            assert human_api.post(at, user=name).code == "not_found", name
        assert refused(human_api.delete(at, user="kim")) == ("conflict", "user")


def test_gov_06_a_share_is_with_an_agent_there_is(tools: HttpTools, human_api: HumanApi) -> None:
    drafted(tools)
    at = "/projects/atlas/spaces/project/shares"
    with nothing_stored():
        for name in ("nobody", "kim", ""):
            assert refused(human_api.post(at, agent=name)) == ("invalid_argument", "agent"), name
            assert refused(human_api.delete(at, agent=name)) == ("invalid_argument", "agent"), name
        assert human_api.post("/projects/atlas/spaces/nowhere/shares", agent="ada").code == "not_found"


def test_gov_01_reports_that_are_none(tools: HttpTools, human_api: HumanApi, project: Project) -> None:
    drafted(tools)
    repository(human_api, sync_agent="ada")
    good: Json = {"project": "atlas", "space": "code", "commit": "a" * 40, "files": {"x.py": "b" * 40}}
    with nothing_stored():
        for given, field in (
            ({"commit": "main"}, "commit"),
            ({"files": {}}, "files"),
            ({"files": {"x.py": "B" * 40}}, "files"),
            ({"files": {"": "b" * 40}}, "files"),
            ({"files": {"x" * 513: "b" * 40}}, "files"),
            ({"files": {"a\0b": "b" * 40}}, "files"),
            ({"files": {f"{number}": None for number in range(10_001)}}, "files"),
            ({"space": "project"}, "space"),
        ):
            assert refused(tools("repository_report", **good | given)) == ("invalid_argument", field), field
        assert tools("repository_report", **good | {"space": "nowhere"}).code == "not_found"


def test_gov_06_nothing_is_deleted_that_was_published(
    tools: HttpTools, human_api: HumanApi, ben: AgentWithToken
) -> None:
    document, hers = published(tools, human_api), drafted(tools)
    with nothing_stored():
        assert refused(human_api.delete(f"/documents/{document}")) == ("conflict", "has_versions")
        assert refused(human_api.delete(f"/documents/{document}/draft")) == (
            "precondition_required",
            "expected_revision",
        )
        assert refused(human_api.delete(f"/documents/{document}/draft", expected_revision=1)) == (
            "conflict",
            "no_draft",
        )
        assert refused(human_api.delete(f"/documents/{hers}/draft", expected_revision=1)) == ("conflict", "unpublished")
        assert refused(human_api.delete(f"/documents/{document}/archive")) == ("conflict", "published")
        assert refused(human_api.post(f"/documents/{hers}/archive")) == ("conflict", "unpublished")
    human_api.post(f"/documents/{document}/archive").done()
    with nothing_stored():
        assert refused(human_api.post(f"/documents/{document}/archive")) == ("conflict", "archived")
        for outcome in (
            tools("document_draft", document=document, body="x", expected_revision=1),
            human_api.post(f"/documents/{document}/restore", version=1),
        ):
            assert refused(outcome) == ("conflict", "archived")
