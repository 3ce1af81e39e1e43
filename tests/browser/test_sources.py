"""The sources of the pages keep the policy: no inline script or style, nothing marked safe (HUM-02, HUM-03)."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
FORBIDDEN = {
    "an inline style": re.compile(r"<style|\sstyle=", re.IGNORECASE),
    "an inline script": re.compile(r"<script(?![^>]*\ssrc=)", re.IGNORECASE),
    "an event attribute": re.compile(r"\son[a-z]+\s*=", re.IGNORECASE),
    "script in htmx": re.compile(r"hx-on|js:|javascript:|hx-vals|hx-trigger=\"[^\"]*\[", re.IGNORECASE),
    "something marked safe": re.compile(r"\|\s*safe\b|autoescape off|\bsafeseq\b"),
    "an address of another host": re.compile(r"(src|href)=\"(https?:)?//", re.IGNORECASE),
}


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT)))
def test_hum_03_a_template_holds_nothing_the_policy_forbids(template: Path) -> None:
    text = template.read_text()
    assert [name for name, pattern in FORBIDDEN.items() if pattern.search(text)] == []


def test_hum_02_the_look_is_one_file_of_at_most_800_lines() -> None:
    css = (ROOT / "static/hub.css").read_text()
    assert len(css.splitlines()) <= 800
    assert css.count("{") == css.count("}")
    assert "@layer reset, base, parts, pages;" in css


def test_hum_03_the_vendored_script_is_named_with_its_licence() -> None:
    assert "Zero-Clause BSD" in (ROOT / "static/vendor/htmx.LICENSE.txt").read_text()
    assert 'version="4.' in (ROOT / "static/vendor/htmx.min.js").read_text()
