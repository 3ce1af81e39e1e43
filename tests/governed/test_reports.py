"""Reports of real hubs and editors, each a test that names it (GOV-03, GOV-06, SRC-01).

Of the twelve those about memory and about tasks are tried where memory and tasks are.
"""

from django.utils import timezone

from core import ids
from identity.models import Grant
from knowledge.models import Draft, Maintainer, Share
from search import index
from tests.governed.desk import drafted, found, publish, published, repository, saved
from tests.inprocess import HttpTools, HumanApi, nothing_stored
from tests.world import make_agent, make_project


def test_report_a_client_wrote_a_full_body_from_an_older_state_and_a_persons_edits_were_gone(
    tools: HttpTools, human_api: HumanApi
) -> None:
    document = drafted(tools, body="as the client read it")
    human_api.put(f"/documents/{document}/draft", body="what a person edited", expected_revision=1).done()
    with nothing_stored():
        outcome = tools("document_draft", document=document, body="the client's, in full", expected_revision=1)
    assert (outcome.code, outcome.details["updated_by"]) == ("conflict", "human:kim")
    assert human_api.get(f"/documents/{document}/draft")["body"] == "what a person edited"


def test_report_a_drafts_words_were_in_the_public_index(
    tools: HttpTools, human_api: HumanApi, reader: HttpTools
) -> None:
    document = published(tools, human_api, "Shown", "shown words")
    saved(tools, document, 1, title="The ibex", body="ibex")
    drafted(tools, "The ibex", "ibex")
    for who in (reader, tools):  # not even authors: the index knows nothing of it
        answer = who("search", query="ibex").done()
        assert (answer["count"], answer["families"]) == (0, [])


def test_report_a_draft_was_listed_to_readers(tools: HttpTools, human_api: HumanApi, reader: HttpTools) -> None:
    hidden = drafted(tools, "Hidden")
    for asked in ({}, {"state": "unpublished"}, {"kind": "guide"}, {"space": "project"}, {"project": "atlas"}):
        assert reader("document_list", **asked)["documents"] == []
        assert reader("document_list", **asked)["truncated"] is False
    assert [row["id"] for row in tools("document_list")["documents"]] == [hidden]


def test_report_text_that_was_submitted_for_review_was_found(
    tools: HttpTools, human_api: HumanApi, reader: HttpTools
) -> None:
    document = drafted(tools, "The ibex", "ibex")
    item = tools("document_submit", document=document, expected_revision=1)["event"]
    for who in (reader, tools):
        assert who("search", query="ibex")["count"] == 0
    human_api.post(f"/inbox/{item}/decision", approved=False).done()
    assert tools("search", query="ibex")["count"] == 0


def test_report_a_trashed_document_was_still_found(tools: HttpTools, human_api: HumanApi, reader: HttpTools) -> None:
    archived = published(tools, human_api, "Ibex", "ibex")
    deleted = drafted(tools, "Ibex", "ibex")
    human_api.post(f"/documents/{archived}/archive").done()
    human_api.delete(f"/documents/{deleted}").done()
    for who in (reader, tools):
        assert found(who, "ibex") == []
    assert reader("document_get", document=deleted).code == "not_found"


def test_report_deleted_rows_took_result_slots_so_that_live_ones_vanished(
    tools: HttpTools, human_api: HumanApi, reader: HttpTools
) -> None:
    live = [published(tools, human_api, f"Ibex {number}", "ibex") for number in range(3)]
    for number in range(15):  # archived, better matches and newer
        document = published(tools, human_api, "ibex ibex", f"ibex ibex ibex {number}")
        human_api.post(f"/documents/{document}/archive").done()
    for _ in range(15):  # rows of the index that nothing stands behind
        index.put("document", "atlas", f"{ids.fresh()}.1.0", title="ibex ibex", body="ibex ibex", at=timezone.now())
    answer = reader("search", query="ibex", families=["document"], limit=3).done()
    hits = answer["families"][0]["hits"]
    assert sorted(hit["document"] for hit in hits) == sorted(live)
    assert (answer["truncated"], len(found(reader, "ibex", limit=20))) == (False, 3)


def test_report_a_scope_filter_was_ignored_by_one_way_of_searching(tools: HttpTools, human_api: HumanApi) -> None:
    make_project("other")
    repository(human_api)
    here = published(tools, human_api, "Ibexes", "ibex-trail")
    given = {
        "project": "other",
        "title": "Ibexes",
        "body": "ibex-trail",
        "sources": [{"kind": "url", "url": "https://a.b"}],
    }
    there = tools("document_draft", **given)["document"]
    publish(human_api, there).done()
    # As whole words, as a phrase, as an identifier, as the beginning of a word.
    for query in ("ibex trail", '"ibex trail"', "ibex-trail", "ibextrail", "ibe"):
        for project, document in (("atlas", here), ("other", there)):
            assert [hit["document"] for hit in found(tools, query, project=project)] == [document], query
            assert tools("search", query=query, project=project, families=["page"])["count"] == 0
    for asked, expected in (({"space": "code"}, []), ({"space": "project", "project": "atlas"}, [here])):
        assert [row["id"] for row in tools("document_list", **asked)["documents"]] == expected


def test_report_a_stale_second_permission_row_granted_again(
    tools: HttpTools, human_api: HumanApi, lee: HumanApi
) -> None:
    document = published(tools, human_api)
    guest = HttpTools(make_agent("guest", trusted=False, atlas="read").token)
    at = "/projects/atlas/spaces/project"
    for _ in range(2):
        human_api.post(f"{at}/shares", agent="guest").done()
        human_api.post(f"{at}/maintainers", user="lee").done()
    assert (Share.objects.count(), Maintainer.objects.filter(user__username="lee").count()) == (1, 1)
    human_api.delete(f"{at}/shares", agent="guest").done()
    assert guest("document_get", document=document)["version"] == 1  # the grant is a right of its own
    Grant.objects.all().delete()
    assert guest("document_get", document=document).code == "not_found"
    human_api.delete(f"{at}/maintainers", user="lee").done()
    assert lee.post(f"/documents/{document}/archive").code == "forbidden"


def test_report_an_editor_saved_an_empty_page_on_load(tools: HttpTools, human_api: HumanApi) -> None:
    document = published(tools, human_api, body="What was there.")
    with nothing_stored():  # opening shows, and stores nothing; nor does saving what was opened
        shown = human_api.get(f"/documents/{document}").done()
        human_api.put(f"/documents/{document}/draft", expected_revision=1).done()
        human_api.put(f"/documents/{document}/draft", expected_revision=1, body=shown["body"]).done()
        assert human_api.put(f"/documents/{document}/draft", body="").code == "precondition_required"
    assert not Draft.objects.exists()
    revision = saved(tools, document, 1, body="")
    with nothing_stored():  # and an empty one is not published
        assert publish(human_api, document, revision).code == "invalid_argument"
    assert tools("document_get", document=document)["body"] == "What was there."
