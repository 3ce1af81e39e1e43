"""SRC-01..03, HUM-01..03: the page to search on, as it works without script."""

import html
import re
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from projects.models import Event, Project
from search import index
from search.families import Document
from search.pages import pieces, places
from tests.artifacts.showing import publish
from tests.brains import begin, write
from tests.inprocess import HttpTools, HumanApi
from tests.search.finding import page
from tests.world import make_project

PAYLOAD = '<img src=x onerror="x()">zebra</a><script>x()</script>{{ 7|add:7 }}'
BAD = [
    "",
    "   ",
    "***",
    "the of and",
    '"unbalanced',
    'a" OR "b',
    "NEAR(",
    "zebra\0zebra",
    "\u202eabc\u0301",
    "🎉",
    "%",
    "zebra " * 1700,
    "界" * 3000,
]
OTHERS = [
    {"family": "nothing"},
    {"project": "nowhere"},
    {"project": "\0"},
    {"cursor": "x"},
    {"cursor": "9999999.9999999"},
    {"after": "yesterday", "before": "99999-01-01"},
    {"after": "9999-12-31", "before": "0001-01-01"},
]


class Answer:
    """A search page as a person without script has it."""

    def __init__(self, client: Client, query: str, **given: str) -> None:
        answer = client.get("/search/", {"q": query, **given})
        assert answer.status_code == 200
        self.html = answer.content.decode()
        self.hits = re.findall(r'<li class="hit">(.*?)</li>', self.html, re.DOTALL)
        self.said = re.findall(r'role="status">(.*?)<', self.html)[-1]
        self.chips = dict(re.findall(r'class="chip"[^>]*>(\w+)(?: <span class="n">([^<]*)</span>)?', self.html))

    @property
    def texts(self) -> list[str]:
        """What each hit says."""
        return [" ".join(html.unescape(re.sub(r"<[^>]*>", " ", hit)).split()) for hit in self.hits]

    @property
    def addresses(self) -> list[str]:
        """Where each hit leads."""
        return [html.unescape(address) for address in re.findall(r'class="hit-title" href="([^"]*)"', self.html)]

    @property
    def marked(self) -> list[str]:
        """The words marked in the hits."""
        return [html.unescape(word) for hit in self.hits for word in re.findall(r"<mark>(.*?)</mark>", hit)]

    @property
    def more(self) -> dict[str, str]:
        """What the link to more asks for; nothing at the end."""
        (nav,) = re.findall(r'id="more".*?</nav>', self.html, re.DOTALL)
        return {
            name: values[0]
            for href in re.findall(r'href="\?([^"]*)"', nav)
            for name, values in parse_qs(html.unescape(href)).items()
        }


@pytest.fixture
def session(project: Project, ada_tools: HttpTools) -> str:
    """Start a session of Ada's."""
    return begin(ada_tools, "main", notes="# Stripes\nThe zebra in my notes")


def signal(tools: HttpTools, session: str, summary: str, **more: object) -> str:
    """Report something; answers the event."""
    event: str = tools("signal_append", project="atlas", session=session, summary=summary, **more)["event"]
    return event


def test_src_01_each_family_shows_what_it_is_and_leads_to_where_it_stands(
    session: str, ada_tools: HttpTools, ben_tools: HttpTools, human_client: Client, human_api: HumanApi
) -> None:
    event = signal(ada_tools, session, "A zebra crossed")
    page(ada_tools, "/fs/animals/of the zoo.md", "# All about zebras\nA zebra is no horse.")
    artifact = publish(ada_tools, "zebra in a report", title="Report", session=session)
    comment = ben_tools("comment_post", artifact=artifact, body="A zebra? Here?", version=1)["comment"]
    asked = ada_tools("question_post", project="atlas", session=session, subject="Which?", body="zebra or not")["event"]
    human_api.post(f"/inbox/{asked}/answer", body="No zebra").done()
    source = {"kind": "url", "url": "https://example.org/why"}
    draft = {"title": "On stripes", "body": "# One\n\nText.\n\n## Two\n\nA zebra.", "sources": [source]}
    document = ada_tools("document_draft", project="atlas", **draft)["document"]
    human_api.post(f"/documents/{document}/publish", expected_revision=1).done()
    answer = Answer(human_client, "zebra")
    told = dict(
        zip(
            [urlsplit(address).path + "#" + urlsplit(address).fragment for address in answer.addresses],
            answer.texts,
            strict=True,
        )
    )
    assert sorted(told) == sorted(
        {
            f"/project/atlas/#event-{event}",
            "/project/atlas/knowledge/animals/of%20the%20zoo.md#",
            f"/artifact/{artifact}/#",
            f"/artifact/{artifact}/#comment-{comment}",
            f"/inbox/{asked}/#",
            f"/session/{session}/brain/fs/notes.md#",
            f"/document/{document}/#",
        }
    )
    assert answer.said == f"{len(answer.hits)} found"
    shows = {
        f"/project/atlas/#event-{event}": ["signal", "Atlas", "ada", "matched zebra"],
        "/project/atlas/knowledge/animals/of%20the%20zoo.md#": ["page", "raw", "animals/of the zoo.md"],
        f"/artifact/{artifact}/#": ["Report", "artifact", "text", "version 1", "17 B"],
        f"/artifact/{artifact}/#comment-{comment}": ["On Report", "comment", "on version 1", "ben"],
        f"/session/{session}/brain/fs/notes.md#": ["Stripes", "brain", "main, live", "/fs/notes.md"],
        f"/document/{document}/#": ["On stripes", "reviewed", "One / Two", "version 1"],
    }
    assert [(place, part) for place, parts in shows.items() for part in parts if part not in told[place]] == []
    for address in answer.addresses:
        assert parse_qs(urlsplit(address).query)["mark"][0].split()[0].startswith("zebra"), address
        assert human_client.get(address).status_code == 200, address
    chips = {
        "Everything": "8",
        "Events": "3",
        "Artifacts": "1",
        "Comments": "1",
        "Brains": "1",
        "Pages": "1",
        "Documents": "1",
    }
    assert {name: number for name, number in answer.chips.items() if number} == {
        **chips,
        "Everything": str(len(answer.hits)),
        "Events": answer.chips["Events"],
    }
    only = Answer(human_client, "zebra", family="page")
    assert (len(only.hits), only.said, only.chips["Pages"]) == (1, "1 found", "1")
    assert only.chips["Events"] == answer.chips["Events"]


def test_hub_04_an_event_is_opened_at_the_top_of_its_page_of_the_feed(
    session: str, ada_tools: HttpTools, human_client: Client
) -> None:
    event = signal(ada_tools, session, "zebra")
    for number in range(3):
        signal(ada_tools, session, f"later {number}")
    (address,) = Answer(human_client, "zebra", family="event").addresses
    shown = human_client.get(address).content.decode()
    assert re.findall(r'<li id="event-(\w+)">', shown)[0] == event
    assert "later" not in shown


def test_inb_07_a_comment_is_opened_on_its_page_of_the_comments(
    session: str, ada_tools: HttpTools, human_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hubsite.pages.artifacts.COMMENTS", 2)
    artifact = publish(ada_tools, session=session)
    for number in range(4):
        ada_tools("comment_post", artifact=artifact, body=f"number {number}").done()
    comment = ada_tools("comment_post", artifact=artifact, body="zebra")["comment"]
    (address,) = Answer(human_client, "zebra", family="comment").addresses
    assert f'id="comment-{comment}"' in human_client.get(address).content.decode()
    assert f'id="comment-{comment}"' not in human_client.get(f"/artifact/{artifact}/").content.decode()


def test_src_01_words_are_marked_where_they_were_found(
    session: str, ada_tools: HttpTools, human_client: Client
) -> None:
    signal(ada_tools, session, "zebra 漢字 zebras", payload={"text": "POL-358 and 漢字を書く, zebra_count"})
    assert Answer(human_client, "zebra pol_358 漢字", family="event").marked == [
        "zebra",
        "漢字",
        "zebras",
        "POL-358",
        "漢字",
        "zebra",
    ]


def test_hum_03_what_was_found_stays_text(session: str, ada_tools: HttpTools, human_client: Client) -> None:
    signal(ada_tools, session, PAYLOAD, payload={"x": PAYLOAD})
    page(ada_tools, "/fs/zebra<b>.md", f"# {PAYLOAD}\n{PAYLOAD}")
    publish(ada_tools, PAYLOAD, title=PAYLOAD, session=session)
    write(ada_tools, session, "/fs/zebra<b>.md", PAYLOAD)
    answer = Answer(human_client, "zebra")
    assert len(answer.hits) == 6
    found = "".join(answer.hits)
    assert set(re.findall(r"<(\w+)", found)) <= {"a", "p", "span", "mark", "time"}
    assert "{{ 7|add:7 }}" in html.unescape(re.sub("<[^>]*>", "", found))
    assert all(address.startswith("/") for address in answer.addresses)
    for query in (PAYLOAD, '" autofocus onfocus="x()'):
        typed = Answer(human_client, query).html
        assert query not in typed
        assert html.escape(query[:30], quote=True) in typed.replace("&#x27;", "'")


@pytest.mark.parametrize("given", OTHERS, ids=str)
def test_src_03_an_address_that_makes_no_sense_is_a_calm_page(
    session: str, human_client: Client, given: dict[str, str]
) -> None:
    answer = Answer(human_client, "zebra", **given)
    assert 'id="q" name="q"' in answer.html


def test_src_03_nothing_typed_is_an_error(session: str, human_client: Client) -> None:
    said = [Answer(human_client, query).said for query in BAD]
    assert said[:3] == ["", "", "Nothing to look for yet"]
    assert "Search everything the hub keeps." in Answer(human_client, "").html
    assert "holds no word" in Answer(human_client, "***").html


def test_src_01_nothing_found_says_what_was_searched(session: str, human_client: Client) -> None:
    answer = Answer(human_client, "quagga", project="atlas", family="brain", after="2020-01-02", before="2020-02-03")
    text = " ".join(re.sub("<[^>]*>", " ", answer.html).split())
    assert "Nothing found for “quagga”. Searched brains of Atlas from 2 Jan 2020 to 3 Feb 2020." in text
    assert 'href="?q=quagga"' in answer.html
    assert answer.said == "Nothing found"


def test_src_01_project_and_days_narrow_and_stay_in_the_form(
    session: str, ada_tools: HttpTools, human_client: Client
) -> None:
    make_project("other", name="The other")
    begin(ada_tools, "other", "other", notes="zebra elsewhere")
    answer = Answer(human_client, "zebra", project="other")
    assert [address.partition("/brain/")[2] for address in answer.addresses] == ["fs/notes.md?mark=zebra"]
    assert '<option value="other" selected>The other</option>' in answer.html
    today = timezone.now().date()
    day = {"after": today.isoformat(), "before": today.isoformat()}
    assert len(Answer(human_client, "zebra", **day).hits) == 2
    tomorrow = (today + timedelta(days=1)).isoformat()
    empty = Answer(human_client, "zebra", after=tomorrow)
    assert (empty.hits, f'value="{tomorrow}"' in empty.html) == ([], True)


def test_src_01_more_goes_on_where_the_page_ended(session: str, ada_tools: HttpTools, human_client: Client) -> None:
    for number in range(45):
        signal(ada_tools, session, f"zebra {number}")
    seen: list[str] = []
    asked = {"q": "zebra", "family": "event"}
    while asked:
        answer = Answer(human_client, asked.pop("q"), **asked)
        seen += answer.addresses
        asked = answer.more
    assert len(seen) == len(set(seen)) == 45


def test_src_01_a_count_that_is_capped_says_so(session: str, ada_tools: HttpTools, human_client: Client) -> None:
    now = timezone.now()
    gone = [Document("atlas", f"gone-{number}", "zebra of old", "so and so " * 9, now) for number in range(1100)]
    index.put_all("event", gone)
    for number in range(21):
        signal(ada_tools, session, f"zebra {number}")
    answer = Answer(human_client, "zebra", family="event")
    assert (answer.said, answer.chips["Events"], answer.chips["Brains"]) == ("1,000+ found", "1,000+", "1")


def test_hub_04_the_page_makes_as_many_queries_for_many_hits_as_for_one(
    session: str, ada_tools: HttpTools, human_client: Client
) -> None:
    def cost() -> int:
        Answer(human_client, "zebra")
        with CaptureQueriesContext(connection) as queries:
            Answer(human_client, "zebra")
        return len(queries)

    def add(number: int) -> None:
        signal(ada_tools, session, f"zebra {number}")
        page(ada_tools, f"/fs/{number}.md", "zebra")
        artifact = publish(ada_tools, "zebra", title=f"{number}", session=session)
        ada_tools("comment_post", artifact=artifact, body="zebra").done()

    add(0)
    before = cost()
    for number in range(1, 5):
        add(number)
    assert cost() == before < 90


def test_hum_01_htmx_gets_the_results_alone_and_the_address_to_show(session: str, human_client: Client) -> None:
    headers = {"HX-Request": "true", "HX-Target": "div#results"}
    given = {"q": "zebra crossing", "project": "", "after": "", "before": ""}
    answer = human_client.get("/search/", given, headers=headers)
    assert answer["HX-Replace-Url"] == "?q=zebra+crossing"
    assert answer.content.decode().lstrip().startswith('<div id="results"')
    assert human_client.get("/search/", {"q": ""}, headers=headers)["HX-Replace-Url"] == "/search/"


def test_idn_06_system_events_are_not_on_the_page(project: Project, human_client: Client, human_api: HumanApi) -> None:
    human_api.patch("/projects/atlas", name="Zanzibar marker").done()
    assert Event.objects.filter(kind="system").exists()
    assert Answer(human_client, "zanzibar").hits == []


def test_hum_01_the_page_is_for_who_may_sign_in(project: Project) -> None:
    assert Client().get("/search/?q=zebra")["Location"].startswith("/login/")


def test_src_01_a_text_is_cut_at_its_marks() -> None:
    assert pieces("a zebra", [(2, 7)]) == [("a ", False), ("zebra", True)]
    assert pieces("", []) == []
    assert places("zebras, zebra and zebra_zebras", ["zebra", "zebras"]) == [(0, 6), (8, 13), (18, 23), (24, 30)]
    assert places("漢字を書く", ["漢字", "書く", ""]) == [(0, 2), (3, 5)]
