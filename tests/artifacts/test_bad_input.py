"""ART-01..04, INB-07: what is wrong is refused by name, before anything is stored, through both faces."""

import base64
from typing import Any

import pytest
from django.test import Client

from core import limits
from tests.artifacts.showing import CIPHERTEXT, ENVELOPE, PDF, PNG, blobs, publish, sealed, text
from tests.brains import begin
from tests.inprocess import FACES, HttpTools, HumanApi, Json, Outcome, Tools, nothing_stored
from tests.world import AgentWithToken

SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
# A character of three bytes across the border of two chunks, and one cut off at the end.
ACROSS = b"x" * (256 * 1024 - 1) + "\u8a18".encode()


def of(kind: str, content: bytes | str, **more: object) -> Json:
    """Answer the arguments of a publication; bytes are sent as base64."""
    if isinstance(content, bytes):
        more |= {"encoding": "base64"}
        content = base64.b64encode(content).decode()
    return {"project": "atlas", "title": "Report", "kind": kind, "content": content, **more}


@pytest.fixture(params=sorted(FACES))
def tools(request: pytest.FixtureRequest, ada: AgentWithToken, project: object) -> Tools:
    """Ada's calls, with a live session in atlas."""
    tools: Tools = FACES[request.param](ada.token)
    begin(tools)
    return tools


def refused(outcome: Outcome, field: str, code: str = "invalid_argument", name: str = "") -> None:
    assert (outcome.code, outcome.details["field"]) == (code, field), name
    assert blobs() == [], name


def b64(number: int) -> str:
    return base64.b64encode(b"x" * number).decode()


ENVELOPES: dict[str, tuple[Json, str]] = {
    "a short salt": ({"salt": b64(15)}, "envelope.salt"),
    "a long salt": ({"salt": b64(65)}, "envelope.salt"),
    "a salt that is no base64": ({"salt": "s" * 22 + "!!"}, "envelope.salt"),
    "a salt that is no text": ({"salt": 16}, "envelope.salt"),
    "few iterations": ({"iterations": 599_999}, "envelope.iterations"),
    "iterations for a year": ({"iterations": 10_000_001}, "envelope.iterations"),
    "iterations in words": ({"iterations": "600000"}, "envelope.iterations"),
    "iterations that are a fraction": ({"iterations": 600_000.5}, "envelope.iterations"),
    "iterations that are true": ({"iterations": True}, "envelope.iterations"),
    "another algorithm": ({"algorithm": "AES-128-CBC"}, "envelope.algorithm"),
    "an algorithm that is none": ({"algorithm": ["AES-256-GCM"]}, "envelope.algorithm"),
    "another derivation": ({"kdf": "MD5"}, "envelope.kdf"),
    "a short iv": ({"iv": b64(11)}, "envelope.iv"),
    "a long iv": ({"iv": b64(16)}, "envelope.iv"),
    "an iv that is no base64": ({"iv": "\u00e9" * 16}, "envelope.iv"),
    "a member too many": ({"password": "hunter2"}, "envelope"),
    "a member too few": ({"iv": None}, "envelope"),
}


def test_art_03_an_envelope_that_cannot_protect_is_refused_by_member(tools: Tools) -> None:
    for name, (changes, field) in ENVELOPES.items():
        with nothing_stored():
            refused(tools("artifact_publish", **sealed(**changes)), field, name=name)


def test_art_03_the_refusal_of_an_envelope_names_the_limit(tools: Tools) -> None:
    assert tools("artifact_publish", **sealed(salt=b64(8))).details["limit"] == [16, 64]
    assert tools("artifact_publish", **sealed(iterations=1)).details["limit"] == [600_000, 10_000_000]


def test_art_03_ciphertext_shorter_than_its_tag_is_refused(tools: Tools) -> None:
    with nothing_stored():
        refused(tools("artifact_publish", **(sealed() | {"content": b64(15)})), "content")
    assert tools("artifact_publish", **(sealed() | {"content": b64(16)})).done()


@pytest.mark.parametrize(
    ("policy", "plain", "ciphered"), [("off", True, False), ("optional", True, True), ("required", False, True)]
)
def test_art_03_the_projects_policy_decides(
    tools: Tools, human_api: HumanApi, policy: str, *, plain: bool, ciphered: bool
) -> None:
    artifact, secret = publish(tools), tools("artifact_publish", **sealed())["artifact"]
    human_api.patch("/projects/atlas", artifact_policy=policy).done()
    cases: list[tuple[bool, str, Json]] = [
        (plain, "artifact_publish", text()),
        (ciphered, "artifact_publish", sealed()),
        (plain, "artifact_update", {"artifact": secret, "content": "two", "force": True}),
        (
            ciphered,
            "artifact_update",
            {
                "artifact": artifact,
                "content": CIPHERTEXT,
                "encoding": "base64",
                "envelope": ENVELOPE,
                "force": True,
            },
        ),
    ]
    for allowed, call, given in cases:
        if allowed:
            tools(call, **given).done()
        else:
            before = blobs()
            with nothing_stored():
                refusal = tools(call, **given)
            assert (refusal.code, refusal.details["field"]) == ("invalid_argument", "envelope")
            assert blobs() == before


DISAGREEMENTS: dict[str, tuple[Json, str]] = {
    "an SVG called image": (of("image", SVG), "content"),
    "HTML called image": (of("image", "<!doctype html><script>alert(1)</script>"), "content"),
    "a truncated image": (of("image", PNG[:-1]), "content"),
    "the beginning of an image": (of("image", PNG[:7]), "content"),
    "a PDF called image": (of("image", PDF), "content"),
    "a bitmap called image": (of("image", b"BM" + b"\0" * 60), "content"),
    "text called pdf": (of("pdf", "just text"), "content"),
    "HTML called pdf": (of("pdf", "<html>%PDF-1.7</html>"), "content"),
    "an image called text": (of("text", PNG), "content"),
    "an image called html": (of("html", PNG), "content"),
    "a NUL in a text": (of("text", b"a\0b"), "content"),
    "a NUL in code": (of("code", b"a\0b", language="python"), "content"),
    "UTF-16": (of("text", "text".encode("utf-16")), "content"),
    "Latin-1": (of("markdown", "\u00e9".encode("latin-1")), "content"),
    "a character cut off at the end": (of("text", ACROSS[:-1]), "content"),
    "a character broken at a border": (of("text", ACROSS[:-1] + b"y" * 10), "content"),
    "JSON cut off": (of("json", '{"a": [1, 2'), "content"),
    "JSON with something behind": (of("json", "{} {}"), "content"),
    "JSON in Latin-1": (of("json", '"\u00e9"'.encode("latin-1")), "content"),
    "JSON nested without end": (of("json", "[" * 100_000), "content"),
    "nothing": (of("text", ""), "content"),
    "nothing, called other": (of("other", b""), "content"),
    "an unknown kind": (of("svg", SVG), "kind"),
    "a kind in capitals": (of("HTML", "x"), "kind"),
    "an unknown language": (of("code", "x", language="klingon"), "language"),
    "a language without end": (of("code", "x", language="python" * 100), "language"),
    "a language of no code": (of("text", "x", language="python"), "language"),
    "content that is no base64": (of("text", "!!") | {"encoding": "base64"}, "content"),
    "an unknown encoding": (of("text", "x") | {"encoding": "hex"}, "encoding"),
    "no title": (text(title=" \n "), "title"),
    "a title of two lines": (text(title="one\ntwo"), "title"),
    "a title with a tab": (text(title="one\ttwo"), "title"),
    "a title too long": (text(title="x" * (limits.TITLE_CHARS + 1)), "title"),
    "a title with an escape": (text(title="\x1b[31mred"), "title"),
    "a title with a NUL": (text(title="a\0b"), "title"),
    "a description too long": (text(description="x" * (limits.DESCRIPTION_CHARS + 1)), "description"),
    "a label too long": (text(label="x" * (limits.LABEL_CHARS + 1)), "label"),
    "a label of two lines": (text(label="a\nb"), "label"),
    "a title with a line separator": (text(title="a\u2028b"), "title"),
    "a label with a carriage return": (text(label="a\rb"), "label"),
    "an envelope that is no object": (text(envelope="x"), "envelope"),
    "an argument nobody knows": (text(actor="ben"), "actor"),
    "a session that is none": (text(session="x"), "session"),
    "an empty key": (text(idempotency_key=""), "idempotency_key"),
}


def test_art_01_what_is_wrong_with_a_publication_is_refused_by_name(tools: Tools) -> None:
    for name, (given, field) in DISAGREEMENTS.items():
        with nothing_stored():
            refused(tools("artifact_publish", **given), field, name=name)


RIGHT: dict[str, Json] = {
    "a character across a border": of("text", ACROSS),
    "an image": of("image", PNG),
    "a PDF": of("pdf", PDF),
    "an SVG called html": of("html", SVG),
    "anything called other": of("other", b"\0\xff"),
    "code in a known language": of("code", "print()", language="python"),
    "code in none": of("code", "print()"),
    "a title with spaces around": text(title="  Report  "),
}


def test_art_01_what_is_right_is_taken(tools: Tools) -> None:
    for name, given in RIGHT.items():
        made = tools("artifact_publish", **given).done()
        assert tools("artifact_get", artifact=made["artifact"])["title"] == "Report", name


IMAGES = {
    "image/png": PNG,
    "image/jpeg": b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xd9",
    "image/gif": base64.b64decode("R0lGODdhAgACAIEAAP8AAAAAAAAAAAAAACwAAAAAAgACAAAIBgABCAQQEAA7"),
    "image/webp": base64.b64decode("UklGRjQAAABXRUJQVlA4ICgAAACQAQCdASoCAAIAB0CWJaACdLoAA5gA/uUK+Cepco/+N48CvJdjoAAA"),
    "image/avif": base64.b64decode(
        "AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUIAAADrbWV0YQAAAAAAAAAhaGRscgAAAAAAAAAAcGljdAAAAAAAAAAAAAAAAAAAAAAO"
        "cGl0bQAAAAAAAQAAAB5pbG9jAAAAAEQAAAEAAQAAAAEAAAETAAAAJAAAAChpaW5mAAAAAAABAAAAGmluZmUCAAAAAAEAAGF2MDFDb2xvcgAAAABq"
        "aXBycAAAAEtpcGNvAAAAFGlzcGUAAAAAAAAAAgAAAAIAAAAQcGl4aQAAAAADCAgIAAAADGF2MUOBAAwAAAAAE2NvbHJuY2x4AAEADQAGgAAAABdp"
        "cG1hAAAAAAAAAAEAAQQBAoMEAAAALG1kYXQSAAoIGAA2iAhoNCAyFh7Hh4VZ3///4sAAAJA1jjxwI2s71Io="
    ),
}


def test_art_04_an_image_that_was_cut_short_is_refused(tools: Tools) -> None:
    for media_type, content in IMAGES.items():
        for cut in (1, len(content) // 2):
            with nothing_stored():
                refused(tools("artifact_publish", **of("image", content[:-cut])), "content", name=media_type)
    for media_type, content in IMAGES.items():
        made = tools("artifact_publish", **of("image", content)).done()
        assert tools("artifact_get", artifact=made["artifact"])["media_type"] == media_type


def test_art_01_json_too_large_to_look_at_is_refused(tools: Tools, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ARTIFACT_JSON_BYTES", 10)
    with nothing_stored():
        refused(tools("artifact_publish", **of("json", '"123456789"')), "content", "payload_too_large")


def test_art_01_inline_content_over_the_cap_is_refused(
    project: object, ada: AgentWithToken, ada_tools: HttpTools, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(ada_tools)
    monkeypatch.setattr("artifacts.blobs.Incoming.__init__.__defaults__", (10,))
    with nothing_stored():
        refused(ada_tools("artifact_publish", **of("text", "12345678901")), "content", "payload_too_large")
    # What no call can hold is refused before it is parsed.
    body = b'{"title": "x", "kind": "text", "content": "' + b"x" * limits.REQUEST_BYTES + b'"}'
    with nothing_stored():
        response = Client().post(
            "/api/v1/projects/atlas/artifacts",
            body,
            content_type="application/json",
            headers={"Authorization": f"Bearer {ada.token}"},
        )
    assert (response.status_code, response.json()["code"]) == (413, "payload_too_large")


UPDATES: dict[str, tuple[Json, str, str]] = {
    "a base too old": ({"base_version": 1}, "version_mismatch", "base_version"),
    "a base that is not yet": ({"base_version": 3}, "version_mismatch", "base_version"),
    "a base past every number": ({"base_version": 2**62}, "version_mismatch", "base_version"),
    "a base that is no number": ({"base_version": "x"}, "invalid_argument", "base_version"),
    "no base": ({}, "precondition_required", "base_version"),
    "a kind": ({"force": True, "kind": "html"}, "invalid_argument", "kind"),
    "a title of two lines": ({"force": True, "title": "a\nb"}, "invalid_argument", "title"),
    "an empty title": ({"force": True, "title": ""}, "invalid_argument", "title"),
    "an empty content": ({"force": True, "content": ""}, "invalid_argument", "content"),
    "a language": ({"force": True, "language": "python"}, "invalid_argument", "language"),
}


def test_art_01_what_is_wrong_with_an_update_is_refused_by_name(tools: Tools) -> None:
    artifact = publish(tools)
    tools("artifact_update", artifact=artifact, content="two", base_version=1).done()
    before = blobs()
    for name, (change, code, field) in UPDATES.items():
        with nothing_stored():
            refusal = tools("artifact_update", **{"artifact": artifact, "content": "three", **change})
        assert (refusal.code, refusal.details["field"], blobs()) == (code, field, before), name


def comment(tools: Tools, artifact: str, **more: object) -> Outcome:
    return tools("comment_post", **{"artifact": artifact, "body": "Look.", **more})


TEXT = "one\ntwo\nthree \u00e9\n"
COMMENTS: dict[str, tuple[Json, str]] = {
    "a quote that is not there": ({"anchor": {"quote": "four"}}, "anchor.quote"),
    "a quote of the newer version": ({"version": 1, "anchor": {"quote": "three"}}, "anchor.quote"),
    "an empty quote": ({"anchor": {"quote": ""}}, "anchor.quote"),
    "a quote too long": ({"anchor": {"quote": "x" * (limits.QUOTE_CHARS + 1)}}, "anchor.quote"),
    "a quote that is no text": ({"anchor": {"quote": 1}}, "anchor"),
    "line 0": ({"anchor": {"line": 0}}, "anchor.line"),
    "a line past the end": ({"anchor": {"line": 4}}, "anchor.line"),
    "an end past the end": ({"anchor": {"line": 1, "end_line": 4}}, "anchor.line"),
    "an end before the line": ({"anchor": {"line": 2, "end_line": 1}}, "anchor.line"),
    "a line in words": ({"anchor": {"line": "1"}}, "anchor.line"),
    "a line that is true": ({"anchor": {"line": True}}, "anchor.line"),
    "an end that is none": ({"anchor": {"line": 1, "end_line": None}}, "anchor.end_line"),
    "an end alone": ({"anchor": {"end_line": 1}}, "anchor"),
    "an empty anchor": ({"anchor": {}}, "anchor"),
    "both anchors": ({"anchor": {"quote": "one", "line": 1}}, "anchor"),
    "an anchor of its own": ({"anchor": {"x": 1, "y": 2}}, "anchor"),
    "no words": ({"body": " "}, "body"),
    "too many words": ({"body": "x" * (limits.COMMENT_CHARS + 1)}, "body"),
    "a control character": ({"body": "\x07"}, "body"),
}


def test_inb_07_what_is_wrong_with_a_comment_is_refused_by_name(tools: Tools) -> None:
    artifact = publish(tools, "one\n")
    tools("artifact_update", artifact=artifact, content=TEXT, base_version=1).done()
    for name, (given, field) in COMMENTS.items():
        with nothing_stored():
            refusal = comment(tools, artifact, **given)
        assert (refusal.code, refusal.details["field"]) == ("invalid_argument", field), name


def test_inb_07_a_comment_on_a_version_that_never_was_is_refused(tools: Tools) -> None:
    artifact = publish(tools)
    with nothing_stored():
        for version in (0, -1, 3, 2**31, 2**62):
            assert comment(tools, artifact, version=version).code == "not_found", version
            assert tools("artifact_get", artifact=artifact, version=version).code == "not_found", version


@pytest.mark.parametrize("anchor", [{"quote": "x"}, {"line": 1}])
def test_inb_07_nothing_is_anchored_where_nobody_can_be_shown_the_place(tools: Tools, anchor: Json) -> None:
    made: dict[str, Any] = {"ciphertext": sealed(), "an image": of("image", PNG), "other": of("other", "x" * 9)}
    for name, given in made.items():
        artifact = tools("artifact_publish", **given)["artifact"]
        with nothing_stored():
            refusal = comment(tools, artifact, anchor=anchor)
        assert (refusal.code, refusal.details["field"]) == ("invalid_argument", "anchor"), name
        assert comment(tools, artifact).done(), name


def test_inb_07_an_anchor_in_bytes_that_are_gone_is_unavailable(tools: Tools) -> None:
    artifact = publish(tools)
    for path in blobs():
        path.unlink()
    with nothing_stored():
        assert comment(tools, artifact, anchor={"line": 1}).code == "unavailable"


def test_art_01_lists_refuse_what_they_cannot_answer(tools: Tools) -> None:
    artifact = publish(tools)
    cases: list[tuple[str, Json, str]] = [
        ("artifact_list", {"kind": "svg"}, "kind"),
        ("artifact_list", {"session": "x"}, "session"),
        ("artifact_list", {"cursor": "x"}, "cursor"),
        ("artifact_list", {"limit": 0}, "limit"),
        ("artifact_list", {"limit": 501}, "limit"),
        ("artifact_list", {"label": "a\0b"}, "label"),
        ("artifact_versions", {"artifact": artifact, "cursor": "x"}, "cursor"),
        ("artifact_versions", {"artifact": artifact, "cursor": "1" * 10}, "cursor"),
        ("artifact_versions", {"artifact": artifact, "cursor": "\u00b2"}, "cursor"),
        ("artifact_versions", {"artifact": artifact, "limit": -1}, "limit"),
        ("artifact_get", {"artifact": artifact, "offset": -1}, "offset"),
        ("artifact_get", {"artifact": artifact, "limit": 0}, "limit"),
        ("artifact_get", {"artifact": "x"}, "artifact"),
        ("comment_list", {}, "artifact"),
        ("comment_list", {"project": "atlas", "status": "x"}, "status"),
        ("comment_list", {"project": "atlas", "cursor": "x"}, "cursor"),
        ("comment_resolve", {"comment": "x"}, "comment"),
    ]
    with nothing_stored():
        for call, given, field in cases:
            refusal = tools(call, **given)
            assert (refusal.code, refusal.details["field"]) == ("invalid_argument", field), (call, given)
