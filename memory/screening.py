"""What never enters memory by itself: secrets, personal data, whole transcripts, tool output, encoded data (MEM-09).

Secrets are known by the rules of detect-secrets, which others keep; the rest by shapes. What is rejected is told by
its kind, the reason and its hash alone. docs/memory.md lists it all.
"""

import hashlib
import importlib
import inspect
import ipaddress
import pkgutil
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final, NamedTuple

from core import limits
from core.checks import check_text
from core.errors import HubError
from memory.kinds import LAYER_OF
from memory.models import SOURCE_CHARS


class Rejected(NamedTuple):
    """An item that was not taken: what it claimed to be, why, and the hash of its words."""

    kind: str
    reason: str
    sha256: str


# What the keyword rule of detect-secrets leaves to files of settings: a value without quotes.
_ASSIGNED: Final = re.compile(
    r"(?:passwo?r?d|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|credential)\w*\s*(?:[:=]|\bis\b)\s*(?=\S*\d)\S{6,}",
    re.IGNORECASE,
)
_EMAIL: Final = re.compile(r"[\w.+'-]+@(?:[\w-]+\.)+[^\W\d_]{2,}")
_PHONE: Final = re.compile(
    r"(?<![\w.,/:-])(?:\+|00)[1-9](?:[ ()./-]{0,2}\d){6,13}(?![\w-])"
    r"|(?<!\d )(?<!\w)\(?0\d{1,4}\)?[ /-]{1,3}\d[\d /-]{4,11}\d(?!\w)"
)
_PHONE_PLAIN: Final = re.compile(r"(?<![\w.-])\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}(?![\w-])")
_IBAN: Final = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}(?!\w)", re.IGNORECASE)
_CARD: Final = re.compile(r"(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-])")
_SSN: Final = re.compile(r"(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])")
_IPV4: Final = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{60,}={0,2}")
_HEX: Final = re.compile(r"(?<![0-9a-fA-F])[0-9a-fA-F]{65,}")
_SPEAKER: Final = re.compile(
    r"^\W{0,4}(?:user|human|assistant|system|ai|agent|bot|model|tool|customer|<\|?im_start\|?>\s*\w+)\W{0,3}:",
    re.IGNORECASE | re.MULTILINE,
)
_CHAT_JSON: Final = re.compile(
    r"\"role\"\s*:\s*\"(?:user|assistant|system|tool)\"|<\|im_start\|>|<\|(?:user|assistant)\|>"
)
_TOOL: Final = re.compile(
    r"^\s*(?:Traceback \(most recent call last\):|\$ \S|>>> |\+\+\+ |--- a/|@@ -\d+|diff --git |"
    r"at \S+\(\S+:\d+\)|File \"[^\"]+\", line \d+|(?:DEBUG|INFO|WARN(?:ING)?|ERROR)[\s:\[]|"
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d|HTTP/\d|exit (?:code|status)\b|[drwx-]{10}\s)",
    re.MULTILINE,
)
_TOOL_JSON: Final = re.compile(
    r"\"(?:tool_use|tool_result|tool_call_id|function_call|stdout|stderr|exit_code)\"\s*:|</?tool_(?:call|result|use)"
)
_LINES: Final = 25
_SEVERAL: Final = 2


def secret_in(text: str) -> str:
    """Answer what secret a text holds, '' for none."""
    for plugin in _plugins():
        for line in text.splitlines():
            if any(True for _ in plugin.analyze_line(filename="", line=line, line_number=1)):
                return str(plugin.secret_type)
    return "Secret Keyword" if _ASSIGNED.search(text) else ""


@cache
def _plugins() -> list[Any]:
    """Make every detector of detect-secrets but the one of addresses, which are told as personal data here."""
    package = importlib.import_module("detect_secrets.plugins")  # slow to import, and few processes screen
    base = importlib.import_module("detect_secrets.plugins.base").BasePlugin
    made: list[Any] = []
    for found in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{found.name}")
        classes = (one for _, one in inspect.getmembers(module, inspect.isclass) if one.__module__ == module.__name__)
        made += [one() for one in classes if issubclass(one, base) and not inspect.isabstract(one)]
    return [one for one in made if type(one).__name__ != "IPPublicDetector"]


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)


def luhn(digits: str) -> bool:
    """Tell whether a card number adds up."""
    doubled = [int(digit) * (2 if place % 2 else 1) for place, digit in enumerate(reversed(digits))]
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0  # noqa: PLR2004 - the rule's own


def iban(text: str) -> bool:
    """Tell whether an account number adds up."""
    plain = re.sub(r"\s", "", text).upper()
    # What follows it in a sentence may look like more of it.
    ends = range(len(plain), 14, -1)
    return any(int("".join(str(int(sign, 36)) for sign in plain[4:end] + plain[:4])) % 97 == 1 for end in ends)


def _public(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_global
    except ValueError:
        return False


def _any(pattern: re.Pattern[str], holds: Callable[[str], bool] = bool) -> Callable[[str], bool]:
    return lambda text: any(holds(found.group()) for found in pattern.finditer(text))


def _transcript(text: str) -> bool:
    speakers = {found.strip(" \t*_#:>[]").lower() for found in _SPEAKER.findall(text)}
    return bool(_CHAT_JSON.search(text)) or len(_SPEAKER.findall(text)) > _SEVERAL or len(speakers) >= _SEVERAL


def _tool_output(text: str) -> bool:
    return (
        bool(_TOOL_JSON.search(text))
        or len(_TOOL.findall(text)) >= _SEVERAL
        or "Traceback (most recent call last)" in text
        or len(text.splitlines()) > _LINES
    )


PERSONAL: Final[dict[str, Callable[[str], bool]]] = {
    "personal data: e-mail address": _any(_EMAIL),
    "personal data: account number (IBAN)": _any(_IBAN, iban),
    "personal data: card number": _any(_CARD, lambda found: luhn(_digits(found))),
    "personal data: social security number": _any(_SSN),
    "personal data: phone number": lambda text: bool(_PHONE.search(text) or _PHONE_PLAIN.search(text)),
    "personal data: public network address": _any(_IPV4, _public),
}
SHAPES: Final[dict[str, Callable[[str], bool]]] = {
    "shape: transcript": _transcript,
    "shape: tool output": _tool_output,
    "shape: encoded data": lambda text: bool(_BASE64.search(text) or _HEX.search(text)),
}


def reason_against(text: str) -> str:
    """Answer why a text may not enter by itself, '' for one that may."""
    secret = secret_in(text)
    if secret:
        return f"secret: {secret}"
    return next((reason for reason, found in _rules() if found(text)), "")


def _rules() -> Iterator[tuple[str, Callable[[str], bool]]]:
    yield from SHAPES.items()
    yield from PERSONAL.items()


def screened(items: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[Rejected]]:
    """Part items into those that may enter and those that may not; nothing raises, so nothing blocks a completion."""
    taken: list[dict[str, Any]] = []
    rejected: list[Rejected] = []
    for item in items:
        reason = _against(item)
        if reason:
            text = str(item.get("text", ""))
            digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
            kind = str(item.get("kind", ""))
            rejected.append(Rejected(kind if kind in LAYER_OF else "unknown", reason, digest))
        else:
            taken.append(item)
    return taken, rejected


def _against(item: dict[str, Any]) -> str:
    """Answer why an item may not enter: its text, or where it says it comes from."""
    text, source = item.get("text"), item.get("source_ref") or ""
    if item.get("kind") not in LAYER_OF:
        return "malformed: unknown kind"
    if not isinstance(text, str) or not isinstance(source, str):
        return "malformed: text and source_ref must be text"
    if not isinstance(item.get("confidence") or 0, int | float):
        return "malformed: confidence must be a number"
    try:
        check_text(text, "text", limits.EVIDENCE_CHARS)
        check_text(source, "source_ref", SOURCE_CHARS, empty=True)
    except HubError as refusal:
        return f"malformed: {refusal.message}"
    return reason_against(text) or _of_source(source)


def _of_source(source: str) -> str:
    """Look at a source, which is a reference and may hold hashes: for secrets of a known form and personal data."""
    known = next((reason for reason, found in PERSONAL.items() if found(source)), "")
    return f"{known} in source_ref" if known else ""
