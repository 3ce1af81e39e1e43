"""Artifacts in the browser: a project's gallery, one artifact with its comments, what changed (ART-04, INB-07)."""

import difflib
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import urlencode

from django.conf import settings
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.csp import CSP
from django.views.decorators.csp import csp_override
from django.views.decorators.http import require_POST

from artifacts.file_names import plain_name
from artifacts.models import TEXTUAL, Artifact, ArtifactVersion, Comment, Kind
from artifacts.operations import post_comment
from artifacts.pages import redirect_to
from artifacts.queries import artifact_of, artifacts_of, comments_of, comments_page, listed, version_of
from core.actor import Actor
from core.errors import HubError, invalid
from core.ids import parse
from core.operation import Right
from hubsite.showing import shown, text_of
from identity.access import authorized
from identity.pages import human_page, newest_event, number_in, page
from projects.models import Project
from sessions_app.models import Session

PAGE: Final = 48
GROUPS: Final = ("day", "agent", "kind")
COMMENTS: Final = 100
VERSIONS: Final = 200
# Two texts longer than this take longer to compare than a page may.
COMPARED_BYTES: Final = 256 * 1024
COMPARED_LINES: Final = 3000
# A page with an artifact on it shows frames of this hub, and pictures the browser itself decrypted.
POLICY: Final[dict[str, Any]] = {
    **settings.SECURE_CSP,
    "frame-src": [CSP.SELF],
    "img-src": [CSP.SELF, "data:", "blob:"],
}


@human_page
def gallery(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    """Show a project's artifacts, newest first, grouped by day, agent or kind."""
    project = authorized(actor, slug, Right.READ)
    since = newest_event()
    kind, by = request.GET.get("kind", ""), request.GET.get("by", "")
    kind, by = kind if kind in Kind.values else "", by if by in GROUPS else "day"
    rows = artifacts_of(actor, project=slug, **({"kind": kind} if kind else {}))
    found = listed(rows, cursor=request.GET.get("before"), limit=PAGE)
    return page(
        request,
        "artifacts/gallery.html",
        parts=("gallery",),
        place=slug,
        title=f"Artifacts of {project.name}",
        since=since,
        project=project,
        groups=_grouped(found.rows, by),
        older=found.next_cursor,
        before=request.GET.get("before", ""),
        **_choices(project, kind, by),
    )


def _grouped(rows: Sequence[Artifact], by: str) -> list[tuple[Any, list[Artifact]]]:
    """Answer the rows of a page in groups, each where its newest would stand."""
    groups: dict[Any, list[Artifact]] = {}
    for row in rows:
        key = {"day": row.created_at.date(), "agent": row.actor, "kind": row.kind}[by]
        groups.setdefault(key, []).append(row)
    return list(groups.items())


def _choices(project: Project, kind: str, by: str) -> dict[str, Any]:
    """Answer what the gallery can be narrowed to and grouped by, each with its address."""
    counts = dict(project.artifacts.order_by().values_list("kind").annotate(n=Count("pk")))
    return {
        "kind": kind,
        "by": by,
        "address": _address(kind=kind, by=by),
        "everything": _address(by=by),
        "chips": [(name, counts[name], _address(kind=name, by=by)) for name in Kind.values if name in counts],
        "groupings": [(name, _address(kind=kind, by=name)) for name in GROUPS],
    }


def _address(*, kind: str = "", by: str = "") -> str:
    wanted = {"kind": kind, "by": "" if by == "day" else by}
    return "?" + urlencode({name: value for name, value in wanted.items() if value})


@csp_override(POLICY)
@human_page
def artifact(request: HttpRequest, actor: Actor, artifact: str) -> HttpResponse:
    """Show one version, the newest by default, and the comments on all of them."""
    return _page(request, actor, artifact_of(actor, artifact))


@require_POST
@csp_override(POLICY)
@human_page
def comment(request: HttpRequest, actor: Actor, artifact: str) -> HttpResponseBase:
    """Comment on the version that was shown; what was refused stays typed."""
    row = artifact_of(actor, artifact)
    try:
        number = number_in(request.POST.get("version")) or row.version
        body = request.POST.get("body", "").replace("\r\n", "\n")
        post_comment(actor, row.project_id, artifact=row.pk, body=body, version=number, anchor=_anchor(request))
    except HubError as refusal:
        return _page(request, actor, row, refusal=refusal, typed=request.POST)
    return redirect_to(row.pk, number)


def _anchor(request: HttpRequest) -> dict[str, Any] | None:
    """Answer the place a comment points at, from the fields of its form."""
    quote = request.POST.get("quote", "").replace("\r\n", "\n").strip()
    line, end_line = request.POST.get("line", "").strip(), request.POST.get("end_line", "").strip()
    if quote and line:
        raise invalid("anchor", "Give a quote or lines, not both.")
    if quote:
        return {"quote": quote}
    if not line:
        return None
    if not (line.isdecimal() and (end_line or line).isdecimal()):
        raise invalid("line", "Lines are whole numbers.")
    return {"line": int(line), "end_line": int(end_line or line)}


def _page(
    request: HttpRequest, actor: Actor, row: Artifact, refusal: HubError | None = None, **more: object
) -> HttpResponse:
    since = newest_event()
    version = version_of(row, number_in(request.GET.get("version") or request.POST.get("version")))
    source = "source" in request.GET
    return page(
        request,
        "artifacts/artifact.html",
        parts=("about", "comments"),
        place=row.project_id,
        title=row.title,
        status=refusal.status if refusal else 200,
        refusal=refusal,
        since=since,
        artifact=row,
        project=row.project,
        version=version,
        source=source,
        has_source=row.kind in {Kind.HTML, Kind.MARKDOWN} and not version.protected,
        is_text=row.kind in TEXTUAL and not version.protected,
        shown=shown(row, version, source=source),
        name=plain_name(row, version),
        versions=list(row.versions.order_by("-number")[:VERSIONS]),
        **_sessions(row, version),
        **_comments(request, actor, row),
        **more,
    )


def _sessions(row: Artifact, version: ArtifactVersion) -> dict[str, Any]:
    """Answer the sessions that published the artifact and the version; None for one that is gone."""
    wanted = {row.session, version.session} - {None}
    there = {session.pk: session for session in Session.objects.filter(pk__in=wanted, deleted_at__isnull=True)}
    return {"session": there.get(row.session or ""), "version_session": there.get(version.session or "")}


def _comments(request: HttpRequest, actor: Actor, row: Artifact) -> dict[str, Any]:
    opened = comments_of(actor, artifact=row.pk, status="open")
    resolved = comments_of(actor, artifact=row.pk, status="resolved").order_by("-resolved_at")
    after = request.GET.get("after") or _before_page_of(request.GET.get("comment", ""), opened)
    found = comments_page(opened, cursor=after, limit=COMMENTS)
    return {
        "comments": found.rows,
        "later_comments": found.next_cursor,
        "after": after or "",
        "resolved": list(resolved[:COMMENTS]),
        "open_count": opened.count(),
        "resolved_count": resolved.count(),
    }


def _before_page_of(comment: str, opened: QuerySet[Comment]) -> str | None:
    """Answer the comment after which the page begins that holds one; None where that is the first page."""
    if not comment:
        return None
    before = list(
        opened.filter(pk__lt=parse(comment, "comment")).order_by("-pk").values_list("pk", flat=True)[:COMMENTS]
    )
    return before[0] if len(before) == COMMENTS else None


@human_page
def diff(request: HttpRequest, actor: Actor, artifact: str) -> HttpResponse:
    """Show what changed from one version to another, the newest and the one before by default."""
    row = artifact_of(actor, artifact)
    if row.kind not in TEXTUAL:
        raise invalid("version", f"Only text is compared, not {row.kind}.")
    new = version_of(row, number_in(request.GET.get("to")))
    old = version_of(row, number_in(request.GET.get("from")) or max(1, new.number - 1))
    return page(
        request,
        "artifacts/diff.html",
        place=row.project_id,
        title=f"Changes of {row.title}",
        artifact=row,
        project=row.project,
        old=old,
        new=new,
        versions=list(row.versions.order_by("-number")[:VERSIONS]),
        **_compared(old, new),
    )


def _compared(old: ArtifactVersion, new: ArtifactVersion) -> dict[str, Any]:
    """Answer the difference, or why there is none to show."""
    if old.protected or new.protected:
        return {"why_not": "One of the two is protected: only a browser with the password can read it."}
    if max(old.size, new.size) > COMPARED_BYTES:
        return {"why_not": "These are too long to compare here. Download both."}
    try:
        before, after = (text_of(version, COMPARED_BYTES).splitlines() for version in (old, new))
    except FileNotFoundError:
        return {"why_not": "The bytes of one of the two are gone."}
    if max(len(before), len(after)) > COMPARED_LINES:
        return {"why_not": "These have too many lines to compare here. Download both."}
    lines = difflib.unified_diff(before, after, f"version {old.number}", f"version {new.number}", lineterm="")
    return {"diff": "\n".join(lines)}


ROUTES = [
    ("project/<str:slug>/artifacts/", gallery, "artifacts"),
    ("artifact/<str:artifact>/", artifact, "artifact"),
    ("artifact/<str:artifact>/diff/", diff, "artifact-diff"),
    ("artifact/<str:artifact>/comments/", comment, "artifact-comment"),
]
