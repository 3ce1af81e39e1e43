"""Drafting a document from a page, a brain's entry, an artifact or an answer, as it was read (GOV-09)."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from agentfs import Entry
from artifacts.queries import artifact_of
from core import limits
from core.actor import Actor
from core.errors import HubError, not_found
from core.ids import parse
from core.operation import Right
from identity.access import authorized
from identity.pages import human_page, number_in, page
from knowledge.models import Document, Space
from knowledge.operations import draft_from_answer, draft_from_artifact, draft_from_brain, draft_from_page
from knowledge.queries import get_page
from projects.models import Event, Kind, Project
from sessions_app.queries import brain_get, session_of

_HEADING: Final = re.compile(r"^#{1,6}[ \t]+(\S[^\n]*)$", re.MULTILINE)
MOVED: Final = "Somebody changed this since you read it. Look at it again, then draft from what it says now."
# What an address names the thing to draft from by; a form sends the same on.
FIELDS: Final = ("page", "session", "path", "version", "artifact", "event")


@dataclass(frozen=True, slots=True)
class Start:
    """What a document is drafted from: in words, what it may be called, where it is, and the operation that does it."""

    what: str
    title: str
    address: str
    draft: Callable[..., dict[str, Any]]


@human_page
def promote(request: HttpRequest, actor: Actor, slug: str) -> HttpResponseBase:
    """Ask for title, kind and space, then make the draft and go on in its editor."""
    project = authorized(actor, slug, Right.WRITE)
    given = request.POST if request.method == "POST" else request.GET
    start = _start(actor, project, given)
    if request.method != "POST":
        return _form(request, project, start, {"title": start.title[: limits.TITLE_CHARS], "kind": "guide"})
    asked = {name: request.POST.get(name, "") for name in ("title", "kind", "space")}
    try:
        made = start.draft(title=asked["title"], kind=asked["kind"], space=asked["space"] or None)
    except HubError as refusal:
        return _form(request, project, start, asked, refusal)
    return redirect("admin:document-edit", made["document"])


def _form(
    request: HttpRequest, project: Project, start: Start, typed: dict[str, str], refusal: HubError | None = None
) -> HttpResponse:
    given = request.POST if request.method == "POST" else request.GET
    return page(
        request,
        "documents/promote.html",
        place=project.pk,
        title="Draft a document",
        status=refusal.status if refusal else 200,
        refused=refusal and (MOVED if refusal.code == "version_mismatch" else refusal.message),
        project=project,
        start=start,
        typed=typed,
        sent=[(name, given[name]) for name in FIELDS if given.get(name)],
        kinds=Document.Kind.values,
        repositories=Space.objects.filter(project=project, kind=Space.Kind.REPOSITORY).order_by("name"),
    )


def _start(actor: Actor, project: Project, given: QueryDict) -> Start:
    if given.get("page"):
        return _from_page(actor, project, given)
    if given.get("session"):
        return _from_brain(actor, project, given)
    if given.get("artifact"):
        return _from_artifact(actor, project, given)
    return _from_answer(actor, project, given)


def _from_page(actor: Actor, project: Project, given: QueryDict) -> Start:
    path, entry = given["page"], get_page(project, f"/fs/{given['page']}")
    draft = partial(draft_from_page, actor, project.pk, path=entry.path, version=given.get("version") or entry.version)
    return Start(f"the page {path}", _title(entry), reverse("admin:knowledge-page", args=[project.pk, path]), draft)


def _from_brain(actor: Actor, project: Project, given: QueryDict) -> Start:
    session = session_of(actor, given.get("session", ""))
    entry = brain_get(session, given.get("path", ""))
    asked = {"session": session.pk, "path": entry.path, "version": given.get("version") or entry.version}
    address = reverse("admin:brain", args=[session.pk, entry.path.removeprefix("/")])
    what = f"{entry.path} in the brain of {session.name}"
    return Start(what, _title(entry), address, partial(draft_from_brain, actor, project.pk, **asked))


def _from_artifact(actor: Actor, project: Project, given: QueryDict) -> Start:
    row = artifact_of(actor, given.get("artifact", ""))
    number = number_in(given.get("version")) or row.version
    address = f"{reverse('admin:artifact', args=[row.pk])}?version={number}"
    draft = partial(draft_from_artifact, actor, project.pk, artifact=row.pk, version=number)
    return Start(f"version {number} of the artifact {row.title}", row.title, address, draft)


def _from_answer(actor: Actor, project: Project, given: QueryDict) -> Start:
    answers = Event.objects.filter(project=project, kind=Kind.ANSWER)
    answer = answers.filter(pk=parse(given.get("event", ""), "event")).first()
    question = Event.objects.filter(project=project, pk=answer.thread).first() if answer else None
    if answer is None or question is None:
        raise not_found("answer")
    address = reverse("admin:inbox-item", args=[question.pk])
    draft = partial(draft_from_answer, actor, project.pk, event=answer.pk)
    return Start(f"the answer to “{question.summary}”", question.summary, address, draft)


def _title(entry: Entry) -> str:
    """Answer what a text may be called: its first heading, or the name of its file."""
    heading = _HEADING.search(entry.content.decode(errors="replace"))
    if heading:
        return heading[1].strip().rstrip("#").strip()
    return entry.path.rpartition("/")[2].rpartition(".")[0] or entry.path.rpartition("/")[2]


ROUTES = [("project/<str:slug>/documents/from/", promote, "document-from")]
