"""KNB-01: nothing a zip says of itself is trusted, and of a zip that is refused no page is stored."""

import io
import random
import zipfile

import pytest

from core.errors import HubError
from knowledge.folders import MOST_BYTES, MOST_FILES, unpacked
from knowledge.operations import import_pages
from projects.models import Project
from tests.folders.zips import Entry, link, zipped
from tests.inprocess import HttpTools, nothing_stored
from tests.world import Person

GOOD: Entry = ("good.md", "fine")


def refusal(person: Person, upload: io.BytesIO, folder: str = "") -> HubError:
    """Import a zip that must be refused, and see that nothing of it is stored."""
    with nothing_stored(), pytest.raises(HubError) as refused:
        import_pages(person.actor, "atlas", contents=unpacked(upload, folder))
    return refused.value


@pytest.fixture(autouse=True)
def standing(project: Project, ada_tools: HttpTools) -> None:
    """Have a page, so that there is a file to leave alone."""
    ada_tools("brain_put", project="atlas", store="project", path="/fs/there.md", content="x").done()


@pytest.mark.parametrize(
    "name",
    [
        "../evil.md",
        "a/../../evil.md",
        "a/..",
        "/etc/passwd",
        "//evil.md",
        "a\\..\\evil.md",
        "C:\\evil.md",
        "..\\evil.md",
    ],
)
def test_knb_01_a_name_that_leaves_the_folder(human: Person, name: str) -> None:
    refused = refusal(human, zipped(GOOD, (name, "x")))
    assert (refused.code, refused.details["field"]) == ("invalid_argument", "file")


@pytest.mark.parametrize("name", ["a" * 300 + ".md", "/".join("abcdefgh" for _ in range(80)), "bell\x07.md"])
def test_knb_01_a_name_no_page_can_have(human: Person, name: str) -> None:
    assert refusal(human, zipped(GOOD, (name, "x"))).code == "invalid_argument"


def test_knb_01_a_link(human: Person) -> None:
    refused = refusal(human, zipped(GOOD, (link("passwd"), "/etc/passwd")))
    assert (refused.code, refused.details["name"]) == ("invalid_argument", "passwd")


@pytest.mark.parametrize("twice", [("caf\u00e9.md", "cafe\u0301.md"), ("a.md", "./a.md"), ("a/b.md", "a//b.md")])
def test_knb_01_two_names_of_one_page(human: Person, twice: tuple[str, str]) -> None:
    refused = refusal(human, zipped(*[(name, "x") for name in twice]))
    assert refused.code == "invalid_argument"
    assert "twice" in refused.message


@pytest.mark.parametrize("clash", [("a", "a/b.md"), ("a/b.md", "a"), ("there.md/b.md", "z.md")])
def test_knb_01_a_page_that_is_also_a_directory(human: Person, clash: tuple[str, str]) -> None:
    assert refusal(human, zipped(GOOD, *[(name, "x") for name in clash])).code == "invalid_argument"


def test_knb_01_a_page_past_its_limit_of_which_nothing_before_is_stored(human: Person) -> None:
    fits = zipped(("a.md", b"x" * 1024 * 1024))
    assert import_pages(human.actor, "atlas", contents=unpacked(fits))["stored"] == ["/fs/a.md"]
    refused = refusal(human, zipped(GOOD, ("b.md", b"x" * (1024 * 1024 + 1)), ("z.md", "x")))
    assert (refused.code, refused.details["limit"]) == ("payload_too_large", 1024 * 1024)


def test_knb_01_a_small_zip_of_a_large_content(human: Person) -> None:
    bomb = zipped(("bomb.md", b"0" * 20_000_000))
    assert len(bomb.getvalue()) < 30_000
    assert refusal(human, bomb).code == "payload_too_large"


def test_knb_01_many_pages_within_their_limit_but_too_large_together(human: Person) -> None:
    page = b"0" * 1024 * 1024
    bomb = zipped(*[(f"{number}.md", page) for number in range(MOST_BYTES // len(page) + 1)])
    assert len(bomb.getvalue()) < 300_000
    assert refusal(human, bomb).code == "payload_too_large"


def test_knb_01_a_zip_that_lies_about_its_sizes(human: Person) -> None:
    lying = bytearray(zipped(("a.md", b"0" * 5_000_000)).getvalue())
    size = (5_000_000).to_bytes(4, "little")
    assert lying.count(size) >= 2
    refused = refusal(human, io.BytesIO(bytes(lying).replace(size, (10).to_bytes(4, "little"))))
    assert refused.code in {"invalid_argument", "payload_too_large"}


def test_knb_01_too_many_files(human: Person) -> None:
    refused = refusal(human, zipped(*[(f"{number}.md", "") for number in range(MOST_FILES + 1)]))
    assert (refused.code, refused.details["limit"]) == ("payload_too_large", MOST_FILES)


@pytest.mark.parametrize("upload", [b"", b"no zip", b"PK\x03\x04", b"PK\x05\x06" + b"\0" * 18 + b"\xff" * 9])
def test_knb_01_what_is_no_zip(human: Person, upload: bytes) -> None:
    try:
        assert refusal(human, io.BytesIO(upload)).code == "invalid_argument"
    except pytest.fail.Exception:  # an empty zip, whatever follows it
        assert unpacked(io.BytesIO(upload)) == {}


def test_knb_01_an_encrypted_page(human: Person) -> None:
    made = bytearray(zipped(GOOD, compression=zipfile.ZIP_STORED).getvalue())
    for header, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        made[made.index(header) + offset] |= 1
    assert refusal(human, io.BytesIO(bytes(made))).code == "invalid_argument"


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_knb_01_a_damaged_zip_is_refused_whatever_is_broken(compression: int) -> None:
    chance = random.Random(compression)  # noqa: S311 - the same damage each time
    whole = zipped(("a/b.md", "text " * 200), ("caf\u00e9.md", chance.randbytes(500)), compression=compression)
    codes = []
    for _ in range(400):
        broken = bytearray(whole.getvalue())
        for _ in range(chance.randint(1, 3)):
            broken[chance.randrange(len(broken))] = chance.randrange(256)
        try:
            unpacked(io.BytesIO(bytes(broken)))
        except HubError as refused:
            codes.append(refused.code)
    assert len(codes) > 100
    assert set(codes) <= {"invalid_argument", "payload_too_large"}
