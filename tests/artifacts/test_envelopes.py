"""ART-03: the client's format, by itself: what it seals the hub takes, and nothing opens what was changed."""

import base64
import re

import pytest
from django.test import Client

from artifacts import envelope as envelopes
from static.clients import protect
from tests.artifacts.showing import text
from tests.brains import begin
from tests.inprocess import HttpTools


@pytest.fixture(scope="module")
def sealed() -> tuple[protect.Json, bytes]:
    return protect.seal("correct horse", b"battery staple")


def test_art_03_what_was_sealed_is_opened_with_its_password_alone(sealed: tuple[protect.Json, bytes]) -> None:
    envelope, ciphertext = sealed
    assert protect.open_("correct horse", envelope, ciphertext) == b"battery staple"
    assert b"battery" not in ciphertext
    other = base64.b64encode(b"0" * 12).decode()
    changed = bytes([ciphertext[0] ^ 1]) + ciphertext[1:]
    for password, how, what in (
        ("Correct horse", envelope, ciphertext),
        ("correct horse", envelope | {"iv": other}, ciphertext),
        ("correct horse", envelope, changed),
        ("correct horse", envelope, ciphertext[:-1]),
    ):
        with pytest.raises(ValueError, match="password is wrong"):
            protect.open_(password, how, what)


def test_art_03_every_seal_has_a_salt_and_an_iv_of_its_own(sealed: tuple[protect.Json, bytes]) -> None:
    envelope, ciphertext = protect.seal("correct horse", b"battery staple")
    assert envelope["salt"] != sealed[0]["salt"]
    assert envelope["iv"] != sealed[0]["iv"]
    assert ciphertext != sealed[1]


def test_art_03_the_hub_takes_what_the_client_seals(
    sealed: tuple[protect.Json, bytes], project: object, ada_tools: HttpTools
) -> None:
    begin(ada_tools)
    envelope, ciphertext = sealed
    assert envelopes.checked(envelope, len(ciphertext)) == envelope
    content = base64.b64encode(ciphertext).decode()
    made = ada_tools("artifact_publish", **text(content, encoding="base64", envelope=envelope)).done()
    shown = ada_tools("artifact_get", artifact=made["artifact"]).done()
    assert protect.open_("correct horse", shown["envelope"], base64.b64decode(shown["content"])) == b"battery staple"


def test_art_03_the_lines_of_the_guide_seal_as_the_client_does(client: Client) -> None:
    guide = client.get("/SKILL.md").content.decode()
    found = re.search(r"```python\n(.*?)```", guide, re.DOTALL)
    assert found is not None
    names: dict[str, object] = {"password": "e\u0301t\u00e9", "data": b"plain"}
    imports = (
        "import base64, hashlib, os, unicodedata\nfrom cryptography.hazmat.primitives.ciphers.aead import AESGCM\n"
    )
    exec(imports + found.group(1), names)  # noqa: S102 - our own guide
    assert protect.open_("\u00e9t\u00e9", names["envelope"], names["ciphertext"]) == b"plain"  # type: ignore[arg-type]
