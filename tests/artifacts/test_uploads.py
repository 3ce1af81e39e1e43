"""ART-01: large artifacts come as a form, read as it arrives; what is wrong with one is refused and leaves nothing."""

import base64
from typing import Any

import pytest

from core import limits
from hubsite import forms, uploads
from identity.operations import issue_token
from tests.artifacts.showing import (
    BOUNDARY,
    ENVELOPE,
    PNG,
    Uploader,
    blobs,
    form,
    part,
    publish,
    text,
    versions_and_blobs_agree,
)
from tests.brains import begin
from tests.inprocess import HttpTools, nothing_stored
from tests.world import AgentWithToken, Person, make_agent, make_project

FIELDS: dict[str, Any] = {"title": "Report", "kind": "text", "content": b"one"}
PLACE = "/projects/atlas/artifacts/upload"


@pytest.fixture
def session(project: object, ada_tools: HttpTools) -> str:
    return begin(ada_tools)


@pytest.fixture
def uploader(session: str, ada: AgentWithToken) -> Uploader:
    return Uploader(ada.token)


def test_art_01_an_upload_is_what_a_call_would_have_published(
    uploader: Uploader, ada_tools: HttpTools, session: str
) -> None:
    made = uploader.publish(**FIELDS, description="D\n\u00e9", label="draft").done()
    assert (uploader.status, uploader.headers["cache-control"]) == (200, "no-store")
    called = ada_tools("artifact_publish", **text(description="D\n\u00e9", label="draft")).done()
    assert made.keys() == called.keys()
    same = {"title", "description", "label", "kind", "size", "sha256", "content", "session", "actor", "media_type"}
    shown, other = (ada_tools("artifact_get", artifact=row["artifact"]).done() for row in (made, called))
    assert {name: shown[name] for name in same} == {name: other[name] for name in same}
    assert shown["session"] == session
    versions_and_blobs_agree()


def test_art_01_an_uploaded_version_is_compared_and_set(uploader: Uploader, ada_tools: HttpTools) -> None:
    artifact = publish(ada_tools)
    assert uploader.update(artifact, base_version=1, title="Final", content=b"two")["version"] == 2
    stale = uploader.update(artifact, base_version=1, content=b"three")
    assert (stale.code, stale.details["current"]) == ("version_mismatch", 2)
    assert uploader.update(artifact, content=b"three").code == "precondition_required"
    assert uploader.update(artifact, force="true", content=b"three")["version"] == 3
    assert ada_tools("artifact_get", artifact=artifact)["title"] == "Final"
    versions_and_blobs_agree()


def test_art_03_an_envelope_comes_as_json(uploader: Uploader, ada_tools: HttpTools) -> None:
    made = uploader.publish(title="Secret", kind="pdf", envelope=ENVELOPE, content=b"\x00" * 40).done()
    shown = ada_tools("artifact_get", artifact=made["artifact"]).done()
    assert (shown["protected"], shown["envelope"]) == (True, ENVELOPE)
    assert base64.b64decode(shown["content"]) == b"\x00" * 40


@pytest.mark.parametrize("size", [1, 7, 100])
def test_art_01_it_does_not_matter_how_the_body_is_cut(
    uploader: Uploader, ada_tools: HttpTools, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "_BATCH", 1)
    content = b"\r\n--" + BOUNDARY.encode()[:-1] + b"\r\n\r\n--\r\n" + PNG.hex().encode()
    body = form({**FIELDS, "content": content})
    made = uploader.send(PLACE, [body[at : at + size] for at in range(0, len(body), size)]).done()
    assert ada_tools("artifact_get", artifact=made["artifact"])["content"] == content.decode()


def test_art_01_the_file_needs_no_name_and_may_come_first(uploader: Uploader, ada_tools: HttpTools) -> None:
    made = uploader.publish(content="one", title="Report", kind="text").done()
    assert ada_tools("artifact_get", artifact=made["artifact"])["content"] == "one"


# What a form can be but should not: the body, and the field that is named.
BAD_FORMS: dict[str, tuple[bytes, str]] = {
    "no file": (form({"title": "x", "kind": "text"}), "content"),
    "two files": (form(FIELDS)[: -len(BOUNDARY) - 6] + part("content", b"two") + form({}), "content"),
    "a field twice": (part("title", "x") + form(FIELDS), "title"),
    "an unknown field": (form({**FIELDS, "colour": "red"}), "colour"),
    "no title": (form({"kind": "text", "content": b"x"}), "title"),
    "the project again": (form({**FIELDS, "project": "other"}), "project"),
    "a file that is none": (form({**FIELDS, "title": b"x"}), "title"),
    "no closing boundary": (form(FIELDS)[: -len(BOUNDARY) - 6], "content"),
    "half a closing boundary": (form(FIELDS)[:-4], "content"),
    "cut in the file": (form({**FIELDS, "content": b"x" * 500})[:-200], "content"),
    "cut in a header": (form(FIELDS)[:30], "content"),
    "nothing": (b"", "content"),
    "no form at all": (b"title=x&kind=text", "body"),
    "another boundary": (form(FIELDS).replace(BOUNDARY.encode(), b"other"), "body"),
    "a part without a name": (f"--{BOUNDARY}\r\nContent-Type: text/plain\r\n\r\nx\r\n".encode() + form(FIELDS), "body"),
    "a name that is empty": (part("", "x") + form(FIELDS), "body"),
    "too many parts": (b"".join(part(f"f{number}", "x") for number in range(33)) + form(FIELDS), "body"),
    "too many headers": (part("title", "x", *(f"X-{number}: y" for number in range(100))) + form({}), "body"),
    "a header without end": (part("title", "x", "X: " + "y" * 100_000) + form({}), "body"),
    "an encoding": (part("content", b"eA==", "Content-Transfer-Encoding: base64") + form({}), "content"),
    "an envelope that is no JSON": (form({**FIELDS, "envelope": "{"}), "envelope"),
    "an envelope that is no object": (form({**FIELDS, "envelope": "[1]"}), "envelope"),
    "a title that is no text": (form(FIELDS).replace(b"Report", b"\xff"), "title"),
    "a NUL": (form({**FIELDS, "title": "a\0b"}), "title"),
    "no content": (form({**FIELDS, "content": b""}), "content"),
}


@pytest.mark.parametrize("name", BAD_FORMS)
def test_art_01_a_form_that_is_wrong_is_refused_by_name_and_leaves_nothing(uploader: Uploader, name: str) -> None:
    body, field = BAD_FORMS[name]
    with nothing_stored():
        refusal = uploader.send(PLACE, [body[:40], body[40:]])
    assert (uploader.status, refusal.code, refusal.details["field"]) == (422, "invalid_argument", field)
    assert uploader.headers["content-type"] == "application/problem+json"
    assert blobs() == []


@pytest.mark.parametrize("fields", [{"description": "x" * 65_537}, {f"f{n}": "x" * 60_000 for n in range(5)}])
def test_art_01_fields_too_long_are_refused_as_they_come(uploader: Uploader, fields: dict[str, Any]) -> None:
    with nothing_stored():
        refusal = uploader.publish(**fields, **FIELDS)
    assert (refusal.code, refusal.details["field"]) == ("payload_too_large", list(fields)[-1])
    assert refusal.details["limit"] in {forms.FIELD_BYTES, forms.FIELDS_BYTES}


@pytest.mark.parametrize("value", ["x", "1.5", "", "-1"])
def test_art_01_a_base_version_that_is_no_number_is_refused(
    uploader: Uploader, ada_tools: HttpTools, value: str
) -> None:
    artifact = publish(ada_tools)
    with nothing_stored():
        refusal = uploader.update(artifact, base_version=value, content=b"two")
    assert refusal.details["field"] == "base_version"


def test_art_01_content_over_the_cap_is_refused_as_soon_as_it_passes(uploader: Uploader) -> None:
    head = form(FIELDS)[: -len(BOUNDARY) - 8]
    with nothing_stored():
        refusal = uploader.send(PLACE, [head, *[b"x" * 1024 * 1024] * 60])
    expected = {"field": "content", "limit": limits.ARTIFACT_BYTES}
    assert (uploader.status, refusal.code, refusal.details) == (413, "payload_too_large", expected)
    assert uploader.read == 1 + 50


def test_art_01_a_body_declared_over_the_cap_is_not_read(uploader: Uploader) -> None:
    with nothing_stored():
        refusal = uploader.send(PLACE, [form(FIELDS)], length=uploads.MOST_BYTES + 1)
    assert (refusal.code, refusal.details["field"], uploader.read) == ("payload_too_large", "content", 0)


def test_art_01_what_follows_the_form_is_not_read_without_end(uploader: Uploader) -> None:
    with nothing_stored():
        refusal = uploader.send(PLACE, [form(FIELDS), *[b"\n" * (4 * 1024 * 1024)] * 20])
    assert refusal.code == "payload_too_large"
    assert uploader.read < 20


@pytest.mark.parametrize("end", [20, 180, 400])
def test_art_02_a_client_that_goes_away_leaves_nothing(uploader: Uploader, end: int) -> None:
    with nothing_stored():
        uploader.send(PLACE, [form({**FIELDS, "content": b"x" * 500})[:end]], stays=False)
    assert uploader.status == 0


@pytest.mark.parametrize("content_type", ["", "application/json", "multipart/form-data", "multipart/mixed; boundary=x"])
def test_art_01_only_a_form_with_a_boundary_is_taken(uploader: Uploader, content_type: str) -> None:
    with nothing_stored():
        refusal = uploader.send(PLACE, [form(FIELDS)], content_type=content_type)
    assert (uploader.status, refusal.code, uploader.read) == (415, "unsupported_media_type", 0)


def test_art_01_a_boundary_without_end_is_refused(uploader: Uploader) -> None:
    with nothing_stored():
        refusal = uploader.send(PLACE, [b""], content_type=f"multipart/form-data; boundary={'x' * 5000}")
    assert (refusal.code, refusal.details["field"]) == ("invalid_argument", "body")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "HEAD"])
def test_art_01_other_methods_are_refused(uploader: Uploader, method: str) -> None:
    with nothing_stored():
        uploader.send(PLACE, [b""], method=method)
    assert (uploader.status, uploader.headers["allow"], uploader.read) == (405, "POST", 0)


@pytest.mark.parametrize("token", [None, "hub_nobody"])
def test_idn_01_who_has_no_token_is_refused_before_the_body_is_read(session: str, token: str | None) -> None:
    uploader = Uploader(token)
    with nothing_stored():
        refusal = uploader.send(PLACE, [form(FIELDS)], content_type="text/plain")
    assert (uploader.status, refusal.code, uploader.read) == (401, "unauthenticated", 0)
    assert uploader.headers["www-authenticate"].startswith("Bearer")


def test_idn_03_who_may_not_publish_is_refused_before_the_body_is_read(
    session: str, ada_tools: HttpTools, stranger: AgentWithToken
) -> None:
    artifact = publish(ada_tools)
    reader = Uploader(make_agent("reader", trusted=False, atlas="read").token)
    for uploader, code in ((Uploader(stranger.token), "not_found"), (reader, "forbidden")):
        with nothing_stored():
            for path in (PLACE, f"/artifacts/{artifact}/versions/upload"):
                assert uploader.send(path, [form(FIELDS)]).code == code
                assert uploader.read == 0


def test_idn_03_what_is_hidden_answers_as_what_is_not_there(
    session: str, ada_tools: HttpTools, stranger: AgentWithToken
) -> None:
    artifact, uploader = publish(ada_tools), Uploader(stranger.token)
    hidden, absent = uploader.publish("atlas", **FIELDS), uploader.publish("nowhere", **FIELDS)
    assert hidden.body == absent.body
    hidden, absent = (
        uploader.update(artifact, content=b"x"),
        uploader.update("01J00000000000000000000000", content=b"x"),
    )
    assert hidden.body == absent.body
    for path in ("/projects/a\0b/artifacts/upload", "/artifacts/x/versions/upload"):
        assert uploader.send(path, [form(FIELDS)]).code == "invalid_argument"


def test_idn_02_a_token_revoked_while_the_body_comes_publishes_nothing(
    uploader: Uploader, human: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    fields = forms.Form.fields

    def revoked_by_now(read: forms.Form) -> dict[str, str]:
        issue_token(human.actor, name="ada")
        return fields(read)

    monkeypatch.setattr(forms.Form, "fields", revoked_by_now)
    assert uploader.publish(**FIELDS).code == "unauthenticated"
    assert blobs() == []


def test_ses_02_an_upload_takes_the_session_it_names_or_the_one_there_is(
    uploader: Uploader, ada_tools: HttpTools, session: str
) -> None:
    other = begin(ada_tools, "other")
    assert uploader.publish(**FIELDS).code == "ambiguous_session"
    artifact = uploader.publish(**FIELDS, session=other)["artifact"]
    assert ada_tools("artifact_get", artifact=artifact)["session"] == other
    make_project("quiet")
    assert uploader.publish("quiet", **FIELDS).code == "no_active_session"
    versions_and_blobs_agree()


def test_ops_02_a_fault_is_told_as_one_and_leaves_nothing(
    uploader: Uploader, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("artifacts.blobs.Incoming.promote", broken)
    refusal = uploader.publish(**FIELDS)
    assert (uploader.status, refusal.code) == (500, "internal")
    assert "secret detail" not in str(refusal.body)
    assert blobs() == []
