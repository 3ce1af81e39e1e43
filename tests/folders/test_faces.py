"""KNB-01: the human takes the pages away as a zip and brings a zip back; what is refused stores nothing."""

import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import reverse

from knowledge.folders import unpacked
from projects.models import Project
from tests.folders.zips import Entry, zipped
from tests.inprocess import HttpTools, nothing_stored
from tests.world import make_project


@pytest.fixture(autouse=True)
def filled(project: Project, ada_tools: HttpTools) -> None:
    for path in ("/fs/a.md", "/fs/deep/b.md"):
        ada_tools("brain_put", project="atlas", store="project", path=path, content=path).done()


def upload(client: Client, zip_: io.BytesIO, project: str = "atlas", **more: str) -> HttpResponseBase:
    file = SimpleUploadedFile("pages.zip", zip_.getvalue(), "application/zip")
    return client.post(reverse("admin:pages-upload", args=[project]), {"file": file, **more})


def test_knb_01_a_download_uploads_to_another_project(human_client: Client, ada_tools: HttpTools) -> None:
    answer = human_client.get(reverse("admin:pages-download", args=["atlas"]))
    packed = io.BytesIO(b"".join(answer.streaming_content))  # type: ignore[attr-defined]
    assert unpacked(packed) == {"/fs/a.md": b"/fs/a.md", "/fs/deep/b.md": b"/fs/deep/b.md"}
    make_project("copy")
    assert upload(human_client, packed, "copy").status_code == 302
    page = ada_tools("brain_get", project="copy", store="project", path="/fs/deep/b.md").done()
    assert page["content"] == "/fs/deep/b.md"


@pytest.mark.parametrize(
    ("entries", "status"),
    [
        ([("new.md", "x"), ("../evil.md", "x")], 422),
        ([("new.md", "x"), ("bomb.md", b"0" * 2_000_000)], 413),
        ([("new.md", "x"), ("a.md", "other")], 409),
        ([("new.md", "x"), ("deep", "a page, not a directory")], 422),
    ],
)
def test_knb_01_a_refused_upload_stores_nothing(human_client: Client, entries: list[Entry], status: int) -> None:
    with nothing_stored():
        assert upload(human_client, zipped(*entries)).status_code == status


def test_knb_01_an_upload_that_may_overwrite_does(human_client: Client, ada_tools: HttpTools) -> None:
    assert upload(human_client, zipped(("a.md", "other")), overwrite="yes").status_code == 302
    assert ada_tools("brain_get", project="atlas", store="project", path="/fs/a.md")["content"] == "other"
