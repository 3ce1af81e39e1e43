"""Sources as pages show them: what each is called, where it is, how it stands now (GOV-07)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, urlencode

from django.urls import reverse

from artifacts.models import Artifact
from knowledge.models import Document, Space
from knowledge.sources import Source, standing
from projects.models import Event, Kind, Project

_FORGES: Final = ("https://github.com/", "https://gitlab.com/")
_THREADS: Final = frozenset({Kind.QUESTION, Kind.APPROVAL, Kind.FINISHED})


@dataclass(frozen=True, slots=True)
class Shown:
    """A source as a page shows it: ``url`` is empty where there is nothing to open."""

    source: Source
    kind: str
    state: str
    label: str
    detail: str
    url: str


def shown_sources(project: Project, space: Space, sources: list[Source]) -> list[Shown]:
    """Answer sources with their names, addresses and states."""
    titles = _titles(project, sources)
    found = []
    for given, source in zip(sources, standing(project, space, sources), strict=True):
        label, detail, url = _described(project, space, source, titles)
        gone = source["state"] == "gone"
        found.append(Shown(given, source["kind"], source["state"], label, detail, "" if gone else url))
    return found


def _named(sources: Iterable[Source], kind: str) -> list[str]:
    return [str(source[kind]).upper() for source in sources if source["kind"] == kind]


def _titles(project: Project, sources: list[Source]) -> Mapping[str, Any]:
    """Answer, in a query per kind, what the ids among sources are called."""
    artifacts = Artifact.objects.filter(project=project, pk__in=_named(sources, "artifact"))
    documents = Document.objects.filter(project=project, pk__in=_named(sources, "document")).select_related("current")
    events = Event.objects.filter(project=project, pk__in=_named(sources, "event"))
    return {
        **dict(artifacts.values_list("pk", "title")),
        **{row.pk: row.current.title for row in documents if row.current},
        **{row.pk: row for row in events},
    }


def _described(project: Project, space: Space, source: Source, titles: Mapping[str, Any]) -> tuple[str, str, str]:
    """Answer a source's label, a detail beside it, and its address."""
    kind = source["kind"]
    if kind == "page":
        path = str(source["path"]).removeprefix("/fs/")
        return path, _short(source["version"]), reverse("admin:knowledge-page", args=[project.pk, path])
    if kind == "brain":
        path = str(source["path"]).removeprefix("/")
        return path, "in the brain of a session", reverse("admin:brain", args=[source["session"], path])
    if kind in {"artifact", "document"}:
        pk, number = str(source[kind]).upper(), source["version"]
        return (
            titles.get(pk, f"A {kind}"),
            f"version {number}",
            f"{reverse(f'admin:{kind}', args=[pk])}?version={number}",
        )
    if kind == "event":
        return _event(project, titles.get(str(source["event"]).upper()))
    if kind == "repository":
        return _file(space, source)
    return source.get("title") or source["url"], "", source["url"]


def _event(project: Project, event: Event | None) -> tuple[str, str, str]:
    if event is None:
        return "An event", "", ""
    thread = event.thread or (event.pk if event.kind in _THREADS else None)
    if thread and event.kind in {*_THREADS, Kind.ANSWER}:
        return event.summary, f"{event.kind} by {event.actor}", reverse("admin:inbox-item", args=[thread])
    wanted = urlencode({"kind": event.kind, "session": event.session or ""})
    address = f"{reverse('admin:feed', args=[project.pk])}?{wanted}"
    return event.summary, f"{event.kind} by {event.actor}", address


def _file(space: Space, source: Source) -> tuple[str, str, str]:
    lines = source.get("lines")
    label = source["path"] + (f", lines {lines[0]} to {lines[1]}" if lines else "")
    return label, f"at commit {source['commit'][:10]}", _forge(space.url, source)


def _forge(url: str, source: Source) -> str:
    """Answer a file's address where the repository is hosted, if how it makes addresses is known; else its own."""
    if not url.startswith(("https://", "http://")):
        return ""
    if not url.startswith(_FORGES):
        return url
    lines = source.get("lines")
    address = f"{url.removesuffix('/').removesuffix('.git')}/blob/{source['commit']}/{quote(source['path'])}"
    return address + (f"#L{lines[0]}-L{lines[1]}" if lines else "")


def _short(version: str) -> str:
    return version.removeprefix("sha256:")[:10]
