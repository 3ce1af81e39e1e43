"""GOV-03, GOV-04, GOV-08, GOV-09: of many who change one thing at once exactly one is first; no words are lost."""

from collections.abc import Callable

import pytest
from django.test import Client

from knowledge.models import Decision, Document, DocumentVersion, Draft, RepositoryFile, Review, Space
from projects.models import Project
from search.models import SearchDocument
from tests.governed.desk import SOURCE, accepted, drafted, found, published, saved
from tests.inprocess import HttpTools, HumanApi, Outcome
from tests.racing import together
from tests.world import AgentWithToken, Person, make_person

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def people(human: Person) -> list[HumanApi]:
    """Two people, both maintainers of what is made from now on, each with a client of their own."""
    users = [human.user, make_person("lee").user]
    apis = []
    for user in users:
        client = Client()
        client.force_login(user)
        apis.append(HumanApi(client))
    return apis


def race(*calls: Callable[[], Outcome]) -> tuple[list[Outcome], list[Outcome]]:
    """Answer who won and who was refused."""
    outcomes = together(calls)
    return [one for one in outcomes if not one.refused], [one for one in outcomes if one.refused]


def test_gov_03_of_sixteen_savers_with_one_revision_exactly_one_wins(tools: HttpTools, ada: AgentWithToken) -> None:
    document = drafted(tools)
    for revision in (1, 2):
        given = {"document": document, "expected_revision": revision}
        won, lost = race(
            *[
                lambda body=f"{revision} by {number}", given=given: HttpTools(ada.token)(
                    "document_draft", body=body, **given
                )
                for number in range(16)
            ]
        )
        assert [one["revision"] for one in won] == [revision + 1]
        assert {(one.code, one.details["current_revision"]) for one in lost} == {("conflict", revision + 1)}
        assert Draft.objects.get().body.startswith(f"{revision} by ")


def test_gov_03_savers_who_begin_a_draft_at_once(tools: HttpTools, people: list[HumanApi], ada: AgentWithToken) -> None:
    document = published(tools, people[0])
    given = {"document": document, "expected_revision": 1}
    won, lost = race(
        *[lambda body=f"by {number}": HttpTools(ada.token)("document_draft", body=body, **given) for number in range(6)]
    )
    assert (len(won), {one.code for one in lost}) == (1, {"conflict"})
    assert Draft.objects.get().base_version == 1


def test_gov_04_two_maintainers_publish_at_once(tools: HttpTools, people: list[HumanApi]) -> None:
    document = drafted(tools)
    for number in (1, 2):
        given = {"expected_revision": number}
        won, lost = race(
            *[lambda api=api, given=given: api.post(f"/documents/{document}/publish", **given) for api in people]
        )
        assert [one["version"] for one in won] == [number]
        assert [(one.code, one.details["reason"]) for one in lost] == [("conflict", "no_draft")]
        saved(tools, document, number, body=f"Words {number}.")
    assert DocumentVersion.objects.filter(state="published").count() == 1


def test_gov_04_a_save_while_it_is_published_is_in_the_version_or_in_a_draft(
    tools: HttpTools, people: list[HumanApi], ada: AgentWithToken
) -> None:
    document = drafted(tools, body="words 0")
    for revision in range(1, 6):
        given = {"document": document, "body": f"words {revision}", "expected_revision": revision}
        save, publish = together(
            [
                lambda given=given: HttpTools(ada.token)("document_draft", **given),  # type: ignore[misc]
                lambda revision=revision: people[0].post(  # type: ignore[misc]
                    f"/documents/{document}/publish", expected_revision=revision
                ),
            ]
        )
        assert save["revision"] == revision + 1
        assert Draft.objects.get().body == f"words {revision}"
        if publish.refused:
            assert publish.details["current_revision"] == revision + 1
        else:
            newest = DocumentVersion.objects.latest("number")
            assert (newest.body, newest.revision) == (f"words {revision - 1}", revision)


def test_gov_09_approving_while_it_is_saved_publishes_what_was_submitted_or_nothing(
    tools: HttpTools, people: list[HumanApi], ada: AgentWithToken
) -> None:
    document = drafted(tools, body="words 0")
    for revision in range(1, 5):
        item = tools("document_submit", document=document, expected_revision=revision)["event"]
        given = {"document": document, "body": f"words {revision}", "expected_revision": revision}
        save, approve = together(
            [
                lambda given=given: HttpTools(ada.token)("document_draft", **given),  # type: ignore[misc]
                lambda item=item: people[0].post(f"/inbox/{item}/decision", approved=True),  # type: ignore[misc]
            ]
        )
        assert save["revision"] == revision + 1
        assert Draft.objects.get().body == f"words {revision}"
        if approve.refused:
            assert (approve.code, approve.details["reason"]) == ("conflict", "draft_changed")
            assert people[0].get(f"/inbox/{item}")["status"] == "action"
        else:
            assert DocumentVersion.objects.latest("number").body == f"words {revision - 1}"
            assert people[0].get(f"/inbox/{item}")["outcome"] == "approved"


def test_gov_09_approving_and_publishing_at_once_make_one_version_and_one_answer(
    tools: HttpTools, people: list[HumanApi]
) -> None:
    for number in range(1, 6):
        document = drafted(tools, f"Document {number}")
        item = tools("document_submit", document=document, expected_revision=1)["event"]
        won, lost = race(
            lambda item=item: people[0].post(f"/inbox/{item}/decision", approved=True),  # type: ignore[misc]
            lambda document=document: people[1].post(f"/documents/{document}/publish", expected_revision=1),  # type: ignore[misc]
        )
        assert (len(won), [one.code for one in lost]) == (1, ["conflict"])
        assert DocumentVersion.objects.filter(document=document).count() == 1
        assert people[0].get(f"/inbox/{item}")["outcome"] == "approved"
    assert not Review.objects.filter(is_open=True).exists()


def test_gov_09_two_who_submit_at_once_leave_one_request_open(tools: HttpTools, ada: AgentWithToken) -> None:
    document = drafted(tools)
    submit = {"document": document, "expected_revision": 1}
    won, lost = race(*[lambda: HttpTools(ada.token)("document_submit", **submit)] * 4)
    assert (len(won), lost) == (4, [])
    (review,) = Review.objects.filter(is_open=True)
    assert [row["id"] for row in tools("inbox_read", project="atlas", status="action")["items"]] == [review.event]


def test_gov_08_a_decision_is_taken_once(tools: HttpTools, people: list[HumanApi]) -> None:
    document = drafted(tools, kind="decision")
    accept = [lambda api=api: api.post(f"/documents/{document}/accept", expected_revision=1) for api in people]
    won, lost = race(*accept, lambda: people[1].post(f"/documents/{document}/reject"))
    assert (len(won), {one.code for one in lost}) == (1, {"conflict"})
    assert DocumentVersion.objects.count() == (Decision.objects.get().status == "accepted")


def test_gov_08_of_those_who_supersede_one_decision_exactly_one_does(tools: HttpTools, people: list[HumanApi]) -> None:
    old, one, two = (accepted(tools, people[0], title, "the ibex") for title in ("Old", "One", "Two"))
    ways = [
        lambda: people[0].post(f"/documents/{one}/supersede", supersedes=[old]),
        lambda: people[1].post(f"/documents/{two}/supersede", supersedes=[old]),
    ]
    won, lost = race(*ways)
    assert (len(won), [(loser.code, loser.details["reason"]) for loser in lost]) == (1, [("conflict", "decided")])
    assert sorted(hit["document"] for hit in found(tools, "ibex")) == sorted([one, two])


def test_gov_08_two_decisions_that_supersede_each_other_at_once_make_no_cycle(
    tools: HttpTools, people: list[HumanApi]
) -> None:
    for _ in range(4):
        one, two = (accepted(tools, people[0], title, "the ibex") for title in ("One", "Two"))
        won, lost = race(
            lambda one=one, two=two: people[0].post(f"/documents/{one}/supersede", supersedes=[two]),  # type: ignore[misc]
            lambda one=one, two=two: people[1].post(f"/documents/{two}/supersede", supersedes=[one]),  # type: ignore[misc]
        )
        assert (len(won), [loser.code for loser in lost]) == (1, ["conflict"])
        assert sorted(Decision.objects.filter(pk__in=[one, two]).values_list("status", flat=True)) == [
            "accepted",
            "superseded",
        ]


def test_gov_08_decisions_proposed_at_once_are_numbered_in_a_row(
    project: Project, ada: AgentWithToken, people: list[HumanApi]
) -> None:
    given = {"project": "atlas", "kind": "decision", "title": "x", "body": "x", "sources": [SOURCE]}
    won, lost = race(*[lambda: HttpTools(ada.token)("document_draft", **given)] * 6)
    assert (len(won), lost) == (6, [])
    assert sorted(Decision.objects.values_list("number", flat=True)) == list(range(1, 7))
    assert Space.objects.count() == 1
    assert Space.objects.get().maintainers.count() == 2


def test_gov_01_spaces_and_reports_at_once(tools: HttpTools, people: list[HumanApi], ada: AgentWithToken) -> None:
    make = {"name": "code", "sync_agent": "ada"}
    won, lost = race(*[lambda api=api: api.post("/projects/atlas/spaces", **make) for api in people * 2])
    assert (len(won), {one.code for one in lost}) == (1, {"conflict"})
    paths = [f"{number}.py" for number in range(200)]
    reports = [dict.fromkeys(order, blob * 40) for order, blob in ((paths, "a"), (paths[::-1], "b"))]
    given = {"project": "atlas", "space": "code", "commit": "c" * 40}
    won, lost = race(
        *[lambda files=files: HttpTools(ada.token)("repository_report", files=files, **given) for files in reports * 2]
    )
    assert (len(won), lost) == (4, [])
    assert len(set(RepositoryFile.objects.values_list("blob", flat=True))) == 1  # one report, whole


def test_gov_04_archiving_while_it_is_published_leaves_nothing_of_it_in_search(
    tools: HttpTools, people: list[HumanApi]
) -> None:
    for number in range(4):
        document = published(tools, people[0], body=f"ibex {number}")
        saved(tools, document, 1, body=f"ibex {number} anew")
        together(
            [
                lambda document=document: people[0].post(f"/documents/{document}/archive"),  # type: ignore[misc]
                lambda document=document: people[1].post(f"/documents/{document}/publish", expected_revision=2),  # type: ignore[misc]
            ]
        )
        assert Document.objects.get(pk=document).state == "archived"
        assert not SearchDocument.objects.filter(family="document").exists()
