"""What somebody typed into a document's editor, and the source they add to it (GOV-03, GOV-07)."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from django.http import QueryDict

from artifacts.models import Artifact
from core.errors import HubError, invalid
from core.ids import parse
from identity.pages import number_in
from knowledge.models import Document, DocumentVersion, Draft, RepositoryFile
from knowledge.queries import get_page
from knowledge.sources import Source

KINDS: Final = ("url", "page", "artifact", "document", "event", "repository")
_FIRST: Final = {kind: {"url": "url", "page": "path", "repository": "path"}.get(kind, "id") for kind in KINDS}
_ID: Final = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}", re.IGNORECASE)
_LINES: Final = re.compile(r"(\d{1,7})(?:\s*-\s*(\d{1,7}))?")


@dataclass(frozen=True, slots=True)
class Typed:
    """A draft as it stands in the form, with the revision its author saw."""

    title: str
    body: str
    sources: list[Source]
    revision: int | None

    @classmethod
    def of(cls, form: QueryDict) -> Self:
        """Read the form."""
        return cls(
            title=form.get("title", ""),
            body=form.get("body", "").replace("\r\n", "\n"),
            sources=[_source(text) for text in form.getlist("source")],
            revision=number_in(form.get("over") or form.get("expected_revision")),
        )

    @classmethod
    def stored(cls, document: Document, draft: Draft | None) -> Self:
        """Answer what is stored: the draft, or what a draft would begin from."""
        text = draft or document.current
        if text is None:
            return cls("", "", [], document.revision)
        return cls(text.title, text.body, text.sources, document.revision)

    def says(self, text: "Draft | DocumentVersion | Typed | None") -> bool:
        """Tell whether a text says the same."""
        return text is not None and (self.title, self.body, self.sources) == (text.title, text.body, text.sources)

    def without(self, number: int) -> "Typed":
        """Answer the text without one of its sources."""
        return replace(self, sources=[source for at, source in enumerate(self.sources) if at != number])

    def resting_on(self, source: Source) -> "Typed":
        """Answer the text with one more source."""
        return self if source in self.sources else replace(self, sources=[*self.sources, source])


def _source(text: str) -> Source:
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise invalid("sources", "A source in this form is not what the hub wrote there. Reload the page.")
    return found


def added_source(document: Document, form: QueryDict) -> Source:
    """Answer the source that a form adds, what was left out filled in from how things stand."""
    kind = form.get("add_kind", "")
    if kind not in KINDS:
        raise invalid("sources", "Choose what kind of source it is.")
    return {"kind": kind, **_READ[kind](document, lambda name: form.get(f"{kind}_{name}", "").strip())}


def describes_source(form: QueryDict) -> bool:
    """Tell whether the fields of a new source were filled in."""
    kind = form.get("add_kind", "")
    return kind in KINDS and bool(form.get(f"{kind}_{_FIRST[kind]}", "").strip())


type _Get = Callable[[str], str]


def _url(_document: Document, get: _Get) -> dict[str, Any]:
    return {"url": get("url"), **({"title": get("title")} if get("title") else {})}


def _page(document: Document, get: _Get) -> dict[str, Any]:
    """Take a page as it is now, unless a version is given."""
    path = f"/fs/{get('path').removeprefix('/fs/').strip('/')}"
    return {"path": path, "version": get("version") or get_page(document.project, path).version}


def _artifact(document: Document, get: _Get) -> dict[str, Any]:
    pk, number = _id(get("id"), "artifact"), number_in(get("version"))
    newest = Artifact.objects.filter(project=document.project_id, pk=pk).values_list("version", flat=True).first()
    return {"artifact": pk, "version": number or newest or 1}


def _document(document: Document, get: _Get) -> dict[str, Any]:
    pk, number = _id(get("id"), "document"), number_in(get("version"))
    there = Document.objects.filter(project=document.project_id, pk=pk)
    return {"document": pk, "version": number or there.values_list("current__number", flat=True).first() or 1}


def _event(_document: Document, get: _Get) -> dict[str, Any]:
    return {"event": _id(get("id"), "event")}


def _repository(document: Document, get: _Get) -> dict[str, Any]:
    """Take a file as the repository's sync reported it, unless commit and blob are given."""
    path = get("path")
    known = RepositoryFile.objects.filter(space=document.space_id, path=path).exclude(blob="").first()
    if not known and not (get("commit") and get("blob")):
        raise invalid("sources", "Give the commit and the blob: nobody reported this file to the space yet.")
    source: dict[str, Any] = {
        "path": path,
        "commit": get("commit") or (known.commit if known else ""),
        "blob": get("blob") or (known.blob if known else ""),
    }
    lines = _LINES.fullmatch(get("lines"))
    if get("lines") and not lines:
        raise invalid("sources", "Lines are one number, or two with a dash: 10-20.")
    return source | ({"lines": [int(lines[1]), int(lines[2] or lines[1])]} if lines else {})


_READ: Final[dict[str, Callable[[Document, _Get], dict[str, Any]]]] = {
    "url": _url,
    "page": _page,
    "artifact": _artifact,
    "document": _document,
    "event": _event,
    "repository": _repository,
}


def _id(given: str, what: str) -> str:
    """Answer the id in what somebody pasted: the id itself, or the address of the thing."""
    found = _ID.search(given)
    if found is None:
        raise HubError("invalid_argument", f"Give the id of the {what}, or the address of its page.", field="sources")
    return parse(found[0], "sources")
