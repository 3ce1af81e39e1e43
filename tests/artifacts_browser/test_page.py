"""ART-04, INB-07: how an artifact is shown, compared and listed, read from the pages themselves."""

import base64
import json
import re
from html import unescape

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.artifacts_browser.conftest import Publish
from tests.artifacts_browser.test_bytes import ENVELOPE, PNG
from tests.inprocess import Tools
from tests.world import AgentWithToken


def lines(text: str) -> list[str]:
    """Answer the numbered lines of a page."""
    return [
        unescape(re.sub(r"<[^>]+>", "", row))
        for row in re.findall(r'<span id="L\d+">(.*?)</span>(?=<span id|</code>)', text)
    ]


def test_art_04_code_keeps_its_lines_and_their_numbers(publish: Publish, human_client: Client) -> None:
    source = '\n\n# one\nx = """two\nthree <b>\n"""\n\ny = 1\n\n'
    page = human_client.get(f"/artifact/{publish('code', source, language='python')}/").text
    assert lines(page) == source.splitlines()
    assert '<span class="c1"># one</span>' in page


@pytest.mark.parametrize("source", ["a\r\nb\rc\x0cd\u2028e", "", "one line", "\n", "<b>&amp;\n</code></pre><script>"])
def test_art_04_lines_are_those_an_anchor_counts(source: str, publish: Publish, human_client: Client) -> None:
    page = human_client.get(f"/artifact/{publish('text', source or ' ')}/").text
    assert lines(page) == (source or " ").splitlines()


def test_art_04_long_text_is_shown_from_its_beginning_and_says_so(publish: Publish, human_client: Client) -> None:
    page = human_client.get(f"/artifact/{publish('text', 'ä' * 300_000)}/").text
    assert "This is the beginning." in page
    assert len(page) < 700_000
    page = human_client.get(f"/artifact/{publish('text', 'a\n' * 20_000)}/").text
    assert "This is the beginning." in page
    assert len(lines(page)) == 10_000
    assert "This is the beginning." not in human_client.get(f"/artifact/{publish('text', 'a\n' * 10_000)}/").text


def test_art_04_json_on_one_line_is_laid_out_as_it_was_written(publish: Publish, human_client: Client) -> None:
    source = '{"a":[1.50,12345678901234567890,{"b":[],"c":{}}],"a":"x, {y}: \\"z\\" <b>","t":true}'
    page = human_client.get(f"/artifact/{publish('json', source)}/").text
    shown = unescape(
        re.sub(r"<[^>]+>", "", re.findall(r'<pre class="code viewer-text"[^>]*>(.*?)</pre>', page, re.DOTALL)[0])
    )
    assert shown.replace("\n", "").replace("  ", "").replace(": ", ":").replace(", {y}:", ", {y}: ") == source
    assert json.loads(shown) == json.loads(source)
    assert "1.50" in shown
    assert shown.splitlines()[1] == '  "a": ['


def test_art_04_markdown_is_rendered_and_its_source_numbered(publish: Publish, human_client: Client) -> None:
    artifact = publish("markdown", "# Hello\n\n**bold** <script>alert(1)</script>")
    page = human_client.get(f"/artifact/{artifact}/").text
    assert "<strong>bold</strong> &lt;script&gt;" in page
    assert lines(human_client.get(f"/artifact/{artifact}/?source=1").text)[2] == "**bold** <script>alert(1)</script>"
    assert lines(human_client.get(f"/artifact/{publish('markdown', '# x\n' * 60_000)}/").text)[0] == "# x"  # too long


def test_art_04_the_page_lets_its_frames_go_nowhere_else_and_no_other_page_frames(
    publish: Publish, human_client: Client
) -> None:
    page = human_client.get(f"/artifact/{publish('html', '<h1>Hi</h1>')}/")
    policy = dict(part.strip().split(" ", 1) for part in page["Content-Security-Policy"].split(";") if part.strip())
    assert policy["frame-src"] == "'self'"
    assert policy["script-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert page["X-Frame-Options"] == "DENY"
    assert re.search(r'<iframe [^>]*sandbox="allow-scripts"', page.text)
    assert "frame-src" not in human_client.get("/project/atlas/artifacts/")["Content-Security-Policy"]


def test_art_01_any_version_is_shown_and_compared(tools: Tools, publish: Publish, human_client: Client) -> None:
    artifact = publish("text", "one\ntwo\n")
    tools("artifact_update", artifact=artifact, content="one\n2 <b>\n", base_version=1).done()
    assert lines(human_client.get(f"/artifact/{artifact}/").text) == ["one", "2 <b>"]
    old = human_client.get(f"/artifact/{artifact}/?version=1").text
    assert lines(old) == ["one", "two"]
    assert "This is version 1 of 2." in old
    changes = human_client.get(f"/artifact/{artifact}/diff/").text
    assert '<span class="gd">-two</span>' in changes
    assert '<span class="gi">+2 &lt;b&gt;</span>' in changes
    assert "These two say the same." in human_client.get(f"/artifact/{artifact}/diff/?from=1&to=1").text
    assert human_client.get(f"/artifact/{artifact}/diff/?from=3").status_code == 404


def test_art_04_what_cannot_be_compared_is_said(tools: Tools, publish: Publish, human_client: Client) -> None:
    assert human_client.get(f"/artifact/{publish('image', PNG)}/diff/").status_code == 422
    sealed = publish("text", b"c" * 64, envelope=ENVELOPE)
    assert "One of the two is protected" in human_client.get(f"/artifact/{sealed}/diff/").text
    assert "too long to compare" in human_client.get(f"/artifact/{publish('text', 'a' * 300_000)}/diff/").text
    assert "too many lines" in human_client.get(f"/artifact/{publish('text', 'a\n' * 3001)}/diff/").text


def test_art_03_a_protected_page_holds_the_envelope_and_nothing_to_send(publish: Publish, human_client: Client) -> None:
    page = human_client.get(f"/artifact/{publish('markdown', b'c' * 64, envelope=ENVELOPE)}/").text
    assert f'data-salt="{ENVELOPE["salt"]}"' in page
    assert 'data-iterations="600000"' in page
    unlock = re.findall(r'<form [^>]*id="unlock".*?</form>', page, re.DOTALL)[0]
    assert "name=" not in unlock.replace("name-input", "")
    assert "action=" not in unlock
    assert 'autocomplete="off"' in unlock
    assert base64.b64encode(b"c" * 64).decode() not in page


def test_inb_07_a_person_comments_resolves_reopens_and_deletes(
    tools: Tools, publish: Publish, human_client: Client
) -> None:
    artifact = publish("text", "one\ntwo\n")
    at = f"/artifact/{artifact}/"
    said = human_client.post(f"{at}comments/", {"version": "1", "body": "Why?\r\nReally", "quote": "one\r\ntwo"})
    assert (said.status_code, said["Location"]) == (302, f"{at}?version=1#comments")
    human_client.post(f"{at}comments/", {"version": "1", "body": "Here", "line": "1", "end_line": "2"})
    first, second = tools("comment_list", artifact=artifact)["comments"]
    assert (first["body"], first["anchor"], first["version"]) == ("Why?\nReally", {"quote": "one\ntwo"}, 1)
    assert second["anchor"] == {"line": 1, "end_line": 2}
    page = human_client.get(at).text
    assert '<blockquote class="quote">one\ntwo</blockquote>' in page
    assert f'href="{at}?version=1#L1">lines 1\N{EN DASH}2</a>' in page
    for action, state in [("resolve", True), ("reopen", False)]:
        answer = human_client.post(f"/comment/{first['id']}/{action}/", {"version": "1"})
        assert answer["Location"] == f"{at}?version=1#comments"
        assert tools("comment_list", artifact=artifact)["comments"][0]["resolved"] is state
    human_client.post(f"/comment/{first['id']}/delete/")
    assert [row["id"] for row in tools("comment_list", artifact=artifact)["comments"]] == [second["id"]]


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"body": ""}, "body must not be empty."),
        ({"body": "x", "quote": "three"}, "Version 1 does not hold this quote."),
        ({"body": "x", "quote": "one", "line": "1"}, "Give a quote or lines, not both."),
        ({"body": "x", "line": "9"}, "line and end_line must be from 1 to 2, in order."),
        ({"body": "x", "line": "one"}, "Lines are whole numbers."),
        ({"body": "x", "line": "1", "end_line": "²"}, "Lines are whole numbers."),
    ],
)
def test_inb_07_a_refused_comment_stays_typed(
    fields: dict[str, str], told: str, tools: Tools, publish: Publish, human_client: Client
) -> None:
    artifact = publish("text", "one\ntwo\n")
    answer = human_client.post(f"/artifact/{artifact}/comments/", {"version": "1", **fields})
    assert answer.status_code == 422
    assert told in answer.text
    for value in fields.values():
        assert f">{value}</textarea>" in answer.text or f'value="{value}"' in answer.text
    assert not re.findall(r'href="\?', answer.text)  # nothing relative to where the form was sent
    assert tools("comment_list", artifact=artifact)["comments"] == []


def test_art_04_the_gallery_groups_narrows_and_pages(
    publish: Publish, tools: Tools, ben: AgentWithToken, human_client: Client
) -> None:
    for number in range(49):
        publish("text", "x", title=f"Paper {number:02}")
    publish("image", PNG, title="Dot", label="draft")
    page = human_client.get("/project/atlas/artifacts/").text
    assert page.count("artifact-card") == 48
    assert "Paper 00" not in page
    older = re.findall(r'href="(\?[^"]*before=[^"]*)"', page)[0].replace("&amp;", "&")
    assert "Paper 00" in human_client.get(f"/project/atlas/artifacts/{older}").text
    assert human_client.get("/project/atlas/artifacts/?kind=image").text.count("artifact-card") == 1
    by_kind = human_client.get("/project/atlas/artifacts/?by=kind").text
    assert re.findall(r'<h2 class="label" id="group-\d">(\w+)</h2>', by_kind) == ["image", "text"]
    assert ">ada</h2>" in human_client.get("/project/atlas/artifacts/?by=agent").text
    assert human_client.get("/project/atlas/artifacts/?by=nonsense&kind=nonsense").status_code == 200


def cost(client: Client, address: str) -> int:
    """Answer how many queries a page makes."""
    client.get(address)
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200
    return len(queries)


def test_hub_04_pages_make_as_many_queries_for_many_artifacts_as_for_one(
    publish: Publish, tools: Tools, human_client: Client
) -> None:
    artifact = publish("text", "x")
    session = tools("session_list", project="atlas")["sessions"][0]["id"]
    event = tools("comment_post", artifact=artifact, body="Hm.")["event"]
    tools("artifact_update", artifact=artifact, content="y", base_version=1).done()
    addresses = [
        "/",
        "/project/atlas/",
        "/project/atlas/artifacts/",
        f"/artifact/{artifact}/",
        f"/session/{session}/",
        f"/inbox/{event}/",
    ]
    before = {address: cost(human_client, address) for address in addresses}
    for number in range(6):
        other = publish("text", "x", title=f"Other {number}")
        tools("comment_post", artifact=other, body="Hm.").done()
        tools("comment_post", artifact=artifact, body="Hm.").done()
        tools("artifact_update", artifact=artifact, content=f"y {number}", force=True).done()
    assert {address: cost(human_client, address) for address in addresses} == before
    assert max(before.values()) < 30


def test_inb_07_what_is_gone_is_said_to_be_gone(publish: Publish, tools: Tools, human_client: Client) -> None:
    artifact = publish("text", "x", title="Fleeting")
    said = tools("comment_post", artifact=artifact, body="A remark to remember")["comment"]
    feed = human_client.get("/project/atlas/").text
    assert f'href="/artifact/{artifact}/#comment-{said}"' in feed
    assert "A remark to remember" in feed
    assert "A remark to remember" in human_client.get(f"/inbox/{said}/").text
    human_client.post(f"/comment/{said}/delete/")
    assert "comment gone" in human_client.get("/project/atlas/").text
    assert "The comment is gone." in human_client.get(f"/inbox/{said}/").text
    deleted = human_client.post(f"/artifact/{artifact}/delete/")
    assert deleted["Location"] == "/project/atlas/artifacts/"
    feed = human_client.get("/project/atlas/").text
    assert artifact not in feed.replace(f"thread:{artifact}", "")
    assert "gone</span>" in feed
    assert "The artifact is deleted." in human_client.get(f"/inbox/{said}/").text
    assert human_client.get(f"/artifact/{artifact}/").status_code == 404


def test_ses_05_a_session_lists_what_it_published(publish: Publish, tools: Tools, human_client: Client) -> None:
    artifact = publish("text", "x", title="From this session")
    session = tools("session_list", project="atlas")["sessions"][0]["id"]
    assert f'<a class="plain" href="/artifact/{artifact}/">From this session</a>' in (
        human_client.get(f"/session/{session}/").text
    )
    assert f'<a href="/session/{session}/">main</a>' in human_client.get(f"/artifact/{artifact}/").text
