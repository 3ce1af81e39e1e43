"""KNB-01: Django's storage backend over the knowledge bases, held to what Django's own backends do."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.core.exceptions import SuspiciousFileOperation
from django.core.files.base import ContentFile, File
from django.core.files.storage import Storage, storages
from django.test import override_settings
from django.utils import timezone

from knowledge.queries import page_log
from knowledge.storage import KnowledgeStorage
from projects.models import Project
from tests.inprocess import HttpTools, nothing_stored
from tests.world import AgentWithToken


@pytest.fixture
def storage(project: Project) -> Storage:
    return storages["knowledge"]


def read(storage: Storage, name: str) -> bytes:
    with storage.open(name) as file:
        content: bytes = file.read()
        return content


@pytest.mark.parametrize("content", [b"", b"x", "é\n".encode(), bytes(range(256)) * 100])
def test_knb_01_what_was_saved_is_opened(storage: Storage, content: bytes) -> None:
    assert storage.save("atlas/d/a.bin", ContentFile(content)) == "atlas/d/a.bin"
    assert read(storage, "atlas/d/a.bin") == content
    assert storage.size("atlas/d/a.bin") == len(content)
    assert storage.exists("atlas/d/a.bin")
    with storage.open("atlas/d/a.bin") as file:
        assert (file.name, file.size) == ("atlas/d/a.bin", len(content))
        assert b"".join(file.chunks()) == content


def test_knb_01_text_is_saved_and_opened_as_text(storage: Storage) -> None:
    storage.save("atlas/a.md", ContentFile("héllo\n"))
    with storage.open("atlas/a.md", "r") as file:
        assert file.read() == "héllo\n"
    assert read(storage, "atlas/a.md") == "héllo\n".encode()


def test_knb_01_a_file_somebody_read_is_saved_from_its_beginning(storage: Storage, tmp_path: Path) -> None:
    content = ContentFile(b"whole")
    content.read(3)
    storage.save("atlas/a.md", content)
    assert read(storage, "atlas/a.md") == b"whole"
    source = tmp_path / "source"
    source.write_bytes(b"from disk")
    with source.open("rb") as file:
        file.read()
        storage.save("atlas/b.md", File(file))
    with source.open("rb") as file:  # no File of Django's
        storage.save("atlas/c.md", file)
    assert read(storage, "atlas/b.md") == read(storage, "atlas/c.md") == b"from disk"


def test_knb_01_a_taken_name_is_given_another(storage: Storage) -> None:
    storage.save("atlas/a.md", ContentFile(b"first"))
    name = storage.save("atlas/a.md", ContentFile(b"second"))
    assert name != "atlas/a.md"
    assert name.startswith("atlas/a_")
    assert name.endswith(".md")
    assert (read(storage, "atlas/a.md"), read(storage, name)) == (b"first", b"second")


def test_knb_01_deleting(storage: Storage) -> None:
    storage.save("atlas/a.md", ContentFile(b"x"))
    storage.delete("atlas/a.md")
    assert not storage.exists("atlas/a.md")
    storage.delete("atlas/a.md")  # as with Django's own: no error
    storage.delete("nowhere/a.md")
    assert storage.save("atlas/a.md", ContentFile(b"again")) == "atlas/a.md"


def test_knb_01_listing(storage: Storage) -> None:
    for name in ("b.md", "a.md", "d/x.md", "d/e/y.md", "é.md"):
        storage.save(f"atlas/{name}", ContentFile(b"x"))
    assert storage.listdir("atlas") == (["d"], ["a.md", "b.md", "é.md"])
    assert storage.listdir("atlas/") == storage.listdir("atlas")
    assert storage.listdir("atlas/d") == (["e"], ["x.md"])
    assert storage.exists("atlas/d")
    for missing in ("atlas/nowhere", "atlas/a.md", "nowhere"):
        with pytest.raises(FileNotFoundError):
            storage.listdir(missing)


def test_knb_01_when_a_page_was_written(storage: Storage) -> None:
    storage.save("atlas/a.md", ContentFile(b"x"))
    modified = storage.get_modified_time("atlas/a.md")
    assert timezone.is_aware(modified)
    assert abs(datetime.now(UTC) - modified) < timedelta(seconds=60)
    with override_settings(USE_TZ=False):
        assert timezone.is_naive(storage.get_modified_time("atlas/a.md"))


def test_knb_01_what_is_not_there(storage: Storage) -> None:
    storage.save("atlas/a.md", ContentFile(b"x"))
    with nothing_stored():
        for name in ("atlas/b.md", "atlas/a.md/b", "nowhere/a.md"):
            assert not storage.exists(name)
            for look in (storage.open, storage.size, storage.get_modified_time):
                with pytest.raises(FileNotFoundError):
                    look(name)


TRAVERSALS = [
    "../etc/passwd",
    "atlas/../../etc/passwd",
    "atlas/../other/a.md",
    "..",
    ".",
    "",
    "/",
    "atlas/a\0b",
    "at\0las/a",
    "atlas/..\\..\\x",
    "..\\atlas\\x",
    "atlas.db/../x",
    "ATLAS/x",
    "at las/x",
    "atlas\n/x",
    "atlas/" + "x" * 600,
    "atlas/" + "x" * 256,
]


@pytest.mark.parametrize("name", TRAVERSALS)
def test_knb_01_a_name_that_leaves_its_project_is_suspicious(storage: Storage, name: str) -> None:
    storage.save("atlas/a.md", ContentFile(b"x"))
    with nothing_stored():
        for look in (storage.exists, storage.open, storage.size, storage.delete, storage.listdir):
            with pytest.raises(SuspiciousFileOperation):
                look(name)
        with pytest.raises(SuspiciousFileOperation):
            storage.save(name, ContentFile(b"x"))


def test_knb_01_it_is_no_directory_of_the_disk(storage: Storage) -> None:
    storage.save("atlas/a.md", ContentFile(b"x"))
    with pytest.raises(NotImplementedError):
        storage.path("atlas/a.md")
    with pytest.raises(ValueError, match="whole"):
        storage.open("atlas/a.md", "wb")


def test_knb_01_its_address_is_the_page_for_people(storage: Storage) -> None:
    assert storage.url("atlas/d/a b?.md") == "/project/atlas/knowledge/d/a%20b%3F.md"


def test_knb_01_it_can_be_named_in_a_migration() -> None:
    path, args, kwargs = KnowledgeStorage().deconstruct()  # type: ignore[attr-defined]  # by its decorator
    assert (path, args, kwargs) == ("knowledge.storage.KnowledgeStorage", (), {})


def test_knb_05_a_write_through_the_backend_has_its_row(
    storage: Storage, project: Project, ada: AgentWithToken
) -> None:
    tools = HttpTools(ada.token)
    storage.save("atlas/a.md", ContentFile(b"x"))
    page = {"project": "atlas", "store": "project", "path": "/fs/a.md"}
    assert tools("brain_get", **page)["content"] == "x"
    tools("brain_put", **page, content="agent's").done()
    assert read(storage, "atlas/a.md") == b"agent's"
    storage.delete("atlas/a.md")
    rows = page_log(project, path="/fs/a.md").rows
    assert [(row.op, row.actor) for row in rows] == [("delete", "hub"), ("put", "ada"), ("put", "hub")]


def test_knb_01_a_project_that_is_not_there_takes_no_page(storage: Storage) -> None:
    with nothing_stored(), pytest.raises(Exception, match="No such project"):
        storage.save("nowhere/a.md", ContentFile(b"x"))
