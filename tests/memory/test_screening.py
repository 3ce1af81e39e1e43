"""MEM-09: what never enters memory by itself, and that what is rejected is told by kind, reason and hash alone."""

import hashlib
from typing import Any

import pytest

from memory.screening import PERSONAL, SHAPES, Rejected, reason_against, screened

TAKEN = [
    "The team prefers tabs over spaces and asks for two reviewers.",
    "Release 2026-11-30 took 3 hours; POL-358 explains why.",
    "Commit d41d8cd98f00b204e9800998ecf8427e08b5c3a1 fixed the retries",
    "Rerun the import at 10:00 daily; it reads 1 000 000 000 000 rows",
    "The hub listens on 127.0.0.1 and 10.1.2.3, port 5432",
    "Secrets are described in docs/secrets.md and rotate monthly",
    "数据库每晚备份一次",
    "The user: one of three roles. The system has others.",
    "Account 4111 1111 1111 1112 was a typing error",
    "Look at https://example.org/a/b?c=d before the call",
]
REJECTED = {
    "AKIAIOSFODNN7EXAMPLE opens the bucket": "secret: AWS Access Key",
    "password = 'hunter2hunter'": "secret: Secret Keyword",
    "the password: hunter2": "secret: Secret Keyword",
    "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY": "secret: Secret Keyword",
    f"use ghp_{'a1B2' * 9}": "secret: GitHub Token",
    "-----BEGIN RSA PRIVATE KEY-----": "secret: Private Key",
    "https://kim:hunter2hunter@example.org/": "secret: Basic Auth Credentials",
    "Write to kim.doe+x@mail.example.org first": "personal data: e-mail address",
    "Call +49 170 1234567 before noon": "personal data: phone number",
    "Call (555) 123-4567": "personal data: phone number",
    "Call 030 / 1234567": "personal data: phone number",
    "Pays to DE89 3704 0044 0532 0130 00 monthly": "personal data: account number (IBAN)",
    "Card 4111-1111-1111-1111 is on file": "personal data: card number",
    "His number is 078-05-1120": "personal data: social security number",
    "She connects from 8.8.8.8": "personal data: public network address",
    "User: how?\nAssistant: like this": "shape: transcript",
    '[{"role": "user", "content": "hi"}]': "shape: transcript",
    "Traceback (most recent call last):\n  File": "shape: tool output",
    "$ make test\n$ make check": "shape: tool output",
    "2026-11-30 10:00:00 started\n2026-11-30 10:00:01 ended": "shape: tool output",
    '{"stdout": "ok", "exit_code": 0}': "shape: tool output",
    "\n".join(["a line"] * 26): "shape: tool output",
    "aGVsbG8gd29ybGQg" * 5: "shape: encoded data",
}


@pytest.mark.parametrize("text", TAKEN)
def test_mem_09_what_is_plain_cognition_is_taken(text: str) -> None:
    assert reason_against(text) == ""


@pytest.mark.parametrize("text", REJECTED)
def test_mem_09_secrets_personal_data_and_raw_material_are_rejected(text: str) -> None:
    assert reason_against(text) == REJECTED[text]


def test_mem_09_every_rule_of_ours_has_an_example_and_a_line_in_the_docs(docs: str) -> None:
    rules = {*PERSONAL, *SHAPES}
    assert rules <= set(REJECTED.values())
    for rule in rules:
        assert rule.partition(": ")[2].lower() in docs.lower()


@pytest.fixture
def docs() -> str:
    from tests.running import ROOT  # noqa: PLC0415

    return (ROOT / "docs" / "memory.md").read_text()


def test_mem_09_a_rejected_item_is_its_kind_its_reason_and_its_hash() -> None:
    plain: dict[str, Any] = {"kind": "fact", "text": TAKEN[0], "source_ref": "a", "confidence": 0.5}
    bad: list[dict[str, Any]] = [
        {"kind": "fact", "text": "Write to kim@example.org", "source_ref": "", "confidence": None},
        {"kind": "kim@example.org", "text": "x", "source_ref": "", "confidence": None},
        {"kind": "fact", "text": "x" * 1001, "source_ref": "", "confidence": None},
        {"kind": "fact", "text": 7, "source_ref": "", "confidence": None},
        {"kind": "fact", "text": "x", "source_ref": "by kim@example.org", "confidence": None},
        {"kind": "fact", "text": "x", "source_ref": "", "confidence": "high"},
        {},
    ]
    taken, rejected = screened([plain, *bad])
    assert taken == [plain]
    assert rejected[0] == Rejected(
        "fact", "personal data: e-mail address", hashlib.sha256(b"Write to kim@example.org").hexdigest()
    )
    assert [one.kind for one in rejected] == ["fact", "unknown", "fact", "fact", "fact", "fact", "unknown"]
    assert not any("kim" in field for one in rejected for field in one)
