"""SRC-01, IDN-06: one search over everything a caller may read, by family, project, session and time."""

from datetime import timedelta

import pytest
from django.utils import timezone

from projects.models import Event, Project
from search import index
from search.models import SearchDocument
from tests.brains import begin, write
from tests.inprocess import FACES, HttpTools, HumanApi, Json
from tests.search.finding import hits, page, paths, titles
from tests.world import AgentWithToken, make_agent, make_project


@pytest.fixture
def session(project: Project, ada_tools: HttpTools) -> str:
    """Write of zebras in a brain, on a page and to the feed; answer the session."""
    session = begin(ada_tools, "main", notes="# Stripes\nThe zebra in my notes")
    page(ada_tools, "/fs/animals/zebra.md", "# All about it\nA zebra is no horse.")
    signal = {"summary": "A zebra crossed", "payload": {"where": ["the zebra crossing"]}}
    ada_tools("signal_append", project="atlas", session=session, **signal).done()
    return session


def shown(hit: Json) -> Json:
    """Leave out of a hit what is told of every one."""
    common = {"snippet", "marks", "at", "why", "project", "project_name", "version"}
    return {name: value for name, value in hit.items() if name not in common}


def test_src_01_each_family_tells_what_it_is_about(session: str, ada_tools: HttpTools) -> None:
    answer = ada_tools("search", query="zebra").done()
    assert sorted(family["family"] for family in answer["families"]) == ["brain", "event", "page"]
    told = {hit["family"]: shown(hit) for hit in hits(answer)}
    event = Event.objects.get(kind="signal")
    assert told == {
        "event": {
            "family": "event",
            "title": "A zebra crossed",
            "actor": "ada",
            "event": event.pk,
            "kind": "signal",
            "thread": None,
            "session": session,
        },
        "brain": {
            "family": "brain",
            "title": "Stripes",
            "actor": "ada",
            "path": "/fs/notes.md",
            "session": session,
            "session_name": "main",
            "status": "live",
        },
        "page": {
            "family": "page",
            "title": "All about it",
            "actor": "ada",
            "path": "/fs/animals/zebra.md",
            "trust": "raw",
        },
    }
    assert answer["count"] == 3
    assert (answer["count_capped"], answer["truncated"], answer["next_cursor"]) == (False, False, None)
    assert answer["took_ms"] > 0


def test_src_01_every_face_answers_the_same(session: str, ada: AgentWithToken, human_api: HumanApi) -> None:
    answers = [face(ada.token)("search", query="zebra").done() for face in FACES.values()]
    answers.append(human_api.get("/search", query="zebra").done())
    for answer in answers:
        answer["took_ms"] = 0
    assert answers[0] == answers[1] == answers[2]
    by_family = human_api.get("/search", query="zebra", families=["page", "brain"])
    assert sorted(family["family"] for family in by_family["families"]) == ["brain", "page"]


def test_src_01_words_are_marked_as_data(project: Project, ada_tools: HttpTools) -> None:
    page(ada_tools, "/fs/x.md", "<b>" + "padding " * 60 + "<script>zebra</script> and\nPOL-358, " + "padding " * 60)
    (hit,) = hits(ada_tools("search", query="zebra pol_358"))
    assert len(hit["snippet"]) <= 200
    assert "<script>zebra</script> and POL-358" in hit["snippet"]
    assert [hit["snippet"][start:end] for start, end in hit["marks"]] == ["zebra", "POL-358"]
    assert hit["why"] == ["zebra", "POL-358"]


def test_src_01_marks_hold_in_any_script(project: Project, ada_tools: HttpTools) -> None:
    page(ada_tools, "/fs/x.md", "🎉 今日は漢字を書く naïveté")
    (hit,) = hits(ada_tools("search", query="漢字 naivete"))
    assert [hit["snippet"][start:end] for start, end in hit["marks"]] == ["漢字", "naïveté"]


def test_src_01_filters_narrow_before_anything_is_cut(session: str, ada_tools: HttpTools) -> None:
    make_project("other")
    other = begin(ada_tools, "other", "other", notes="zebra elsewhere")
    for number in range(30):
        ada_tools("signal_append", project="atlas", session=session, summary=f"zebra number {number}").done()
    assert paths(ada_tools, "zebra", families=["page"]) == ["/fs/animals/zebra.md"]
    assert paths(ada_tools, "zebra", families=["page", "brain"], project="atlas", limit=1) != []
    assert titles(ada_tools, "zebra", project="other") == ["notes.md"]
    assert titles(ada_tools, "zebra", session=other) == ["notes.md"]
    assert len(titles(ada_tools, "zebra", session=session, limit=100)) == 32
    assert titles(ada_tools, "zebra", session=other, project="atlas") == []
    assert titles(ada_tools, "zebra", families=["page"], session=session) == []


def test_src_01_a_date_range_holds_its_beginning_and_not_its_end(session: str, ada_tools: HttpTools) -> None:
    first = Event.objects.get(kind="signal").created_at
    ada_tools("signal_append", project="atlas", session=session, summary="zebra later").done()
    later = Event.objects.filter(kind="signal").latest("pk").created_at
    events = {"families": ["event"]}
    assert titles(ada_tools, "zebra", after=first.isoformat(), before=later.isoformat(), **events) == [
        "A zebra crossed"
    ]
    assert titles(ada_tools, "zebra", after=later.isoformat(), **events) == ["zebra later"]
    assert titles(ada_tools, "zebra", after=(later + timedelta(days=1)).date().isoformat(), **events) == []
    assert len(titles(ada_tools, "zebra", before=(later + timedelta(days=1)).date().isoformat(), **events)) == 2


def test_src_01_a_hidden_project_is_one_there_is_not(project: Project, ada_tools: HttpTools) -> None:
    make_project("secret", restricted=True)
    for name in ("secret", "nowhere"):
        assert ada_tools("search", query="zebra", project=name).code == "not_found"


def test_src_01_pages_of_hits_repeat_nothing_and_leave_nothing_out(project: Project, ada_tools: HttpTools) -> None:
    session = begin(ada_tools, "main")
    for number in range(25):
        ada_tools("signal_append", project="atlas", session=session, summary=f"zebra {'stripe ' * number}").done()
    seen: list[str] = []
    cursor: dict[str, object] = {}
    while True:
        answer = ada_tools("search", query="zebra", limit=10, **cursor).done()
        seen += [hit["event"] for hit in hits(answer)]
        assert answer["count"] == 25
        if not answer["truncated"]:
            break
        cursor = {"cursor": answer["next_cursor"]}
        # What comes in between is newer than what the first page knew of.
        ada_tools("signal_append", project="atlas", session=session, summary="zebra").done()
    assert len(seen) == len(set(seen)) == 25


def test_src_01_a_default_reply_stays_small(project: Project, ada_tools: HttpTools) -> None:
    session = begin(ada_tools, "main")
    for number in range(22):
        wide = {"summary": "斑马" + "界" * 1000, "payload": {"text": f"斑马 {number} " + "界" * 400}}
        ada_tools("signal_append", project="atlas", session=session, **wide).done()
    answer = ada_tools("search", query="斑马").done()
    assert len(str(answer).encode()) < 20_000
    assert answer["truncated"]
    rest = ada_tools("search", query="斑马", cursor=answer["next_cursor"], limit=100).done()
    seen = [hit["event"] for hit in (*hits(answer), *hits(rest))]
    assert len(seen) == len(set(seen)) == 22


def test_src_01_whole_words_come_before_words_that_begin_so(project: Project, ada_tools: HttpTools) -> None:
    session = begin(ada_tools, "main")
    for summary in ("deploy", "deplorable weather", "nothing here"):
        ada_tools("signal_append", project="atlas", session=session, summary=summary).done()
    assert sorted(titles(ada_tools, "deplo")) == ["deplorable weather", "deploy"]
    assert titles(ada_tools, "deploy") == ["deploy"]
    assert titles(ada_tools, "weather deplo")[0] == "deplorable weather"


def test_src_01_the_title_counts_more_and_rare_words_too(project: Project, ada_tools: HttpTools) -> None:
    session = begin(ada_tools, "main")

    def signal(summary: str, text: str) -> None:
        ada_tools("signal_append", project="atlas", session=session, summary=summary, payload={"x": text}).done()

    signal("zebra", "nothing of note")
    for number in range(12):
        signal(f"filler {number}", "the zebra walked by the common river")
    signal("other", "the quagga walked by the common river")
    assert titles(ada_tools, "zebra")[0] == "zebra"
    assert titles(ada_tools, "common river quagga")[0] == "other"


def test_src_03_a_phrase_is_words_in_a_row(project: Project, ada_tools: HttpTools) -> None:
    page(ada_tools, "/fs/a.md", "the quick brown fox")
    page(ada_tools, "/fs/b.md", "the brown quick fox")
    assert paths(ada_tools, '"quick brown"') == ["/fs/a.md"]
    assert paths(ada_tools, '"Quick Brown" nothing') == ["/fs/a.md"]
    assert paths(ada_tools, "quick brown") == ["/fs/a.md", "/fs/b.md"]
    assert paths(ada_tools, '"brown fox quick"') == []


def test_src_03_words_are_stemmed_and_folded(project: Project, ada_tools: HttpTools) -> None:
    page(ada_tools, "/fs/a.md", "Deployments were Failing in the Größe of naïve \uff23\uff41\uff46\uff45\u0301s")
    for query in ("deploying", "fails", "GROSSE", "naive", "cafe", "deployment"):
        assert paths(ada_tools, query) == ["/fs/a.md"], query


def test_idn_06_system_events_are_never_found(project: Project, ada_tools: HttpTools, human_api: HumanApi) -> None:
    human_api.patch("/projects/atlas", name="Zanzibar marker").done()
    assert Event.objects.filter(kind="system").exists()
    system = {event.pk for event in Event.objects.filter(kind="system")}
    assert not SearchDocument.objects.filter(ref__in=system).exists()
    for query in ("zanzibar", "marker", "rename", "updated", "created"):
        assert hits(human_api.get("/search", query=query)) == []
    # Also if one stood in the index, it would not be read again.
    event = Event.objects.filter(kind="system").earliest("pk")
    index.put("event", "atlas", event.pk, title="zanzibar", at=timezone.now())
    assert hits(human_api.get("/search", query="zanzibar", families=["event"])) == []
    assert human_api.get("/search", query="zanzibar")["count"] == 0
    assert hits(ada_tools("search", query="zanzibar")) == []


def test_src_01_an_answer_and_its_question_are_found_by_what_they_say(
    project: Project, ada_tools: HttpTools, human_api: HumanApi
) -> None:
    session = begin(ada_tools, "main")
    asked = {"subject": "Which colour?", "body": "For the zebra enclosure", "options": ["ochre", "teal"]}
    question = ada_tools("question_post", project="atlas", session=session, **asked)["event"]
    human_api.post(f"/inbox/{question}/answer", body="Vermilion it is").done()
    assert [hit["event"] for hit in hits(ada_tools("search", query="ochre"))] == [question]
    (answer,) = hits(ada_tools("search", query="vermilion"))
    assert (answer["kind"], answer["thread"], answer["actor"]) == ("answer", question, "human:kim")


def test_src_02_an_event_that_is_rolled_back_is_not_indexed(project: Project, ada_tools: HttpTools) -> None:
    session = begin(ada_tools, "main")
    before = SearchDocument.objects.count()
    assert ada_tools("signal_append", project="atlas", session=session, summary="zebra", thread="nonsense").refused
    assert SearchDocument.objects.count() == before


def test_src_01_an_agent_sees_its_own_space_and_what_is_granted(project: Project, ada_tools: HttpTools) -> None:
    page(ada_tools, "/fs/open.md", "zebra")
    page(ada_tools, "/fs/own.md", "zebra", "~ada")
    guest = HttpTools(make_agent("guest", trusted=False).token)
    reader = HttpTools(make_agent("reader", trusted=False, atlas="read").token)
    assert paths(guest, "zebra") == []
    assert paths(reader, "zebra") == ["/fs/open.md"]
    assert paths(ada_tools, "zebra") == ["/fs/open.md", "/fs/own.md"]


def test_src_01_a_brain_key_is_found_by_its_values(session: str, ada_tools: HttpTools) -> None:
    write(ada_tools, session, "/kv/settings", {"colour": "ultramarine", "inner": [{"deep": "cerulean"}]})
    assert paths(ada_tools, "ultramarine") == paths(ada_tools, "cerulean") == ["/kv/settings"]
