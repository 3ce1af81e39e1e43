"""Writing pages in the browser: edit with the version that was read, so nobody's words are lost (KNB-03)."""

import difflib
from typing import Any, Final

from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from agentfs import ABSENT, Entry
from core.actor import Actor
from core.errors import HubError, invalid
from core.operation import Right
from identity.access import authorized
from identity.pages import human_page, page, told
from knowledge.folders import MOST_BYTES, exported, unpacked
from knowledge.operations import delete_page, import_pages, put_page
from knowledge.queries import get_page, log_json, page_log, trust_of
from projects.models import Project

HISTORY: Final = 50


@human_page
def edit(request: HttpRequest, actor: Actor, slug: str, path: str = "") -> HttpResponse:
    """Show the editor, or save. A page that moved meanwhile is shown beside what was typed, and nothing is stored."""
    project = authorized(actor, slug, Right.WRITE)
    if request.method != "POST":
        entry = _stored(project, path) if path else None
        return _editor(request, project, path, _text(entry), entry.version if entry else ABSENT)
    typed = request.POST.get("content", "").replace("\r\n", "\n")
    path = path or request.POST.get("path", "").strip().strip("/")
    version = request.POST.get("if_version", ABSENT)
    try:
        if not path:
            raise invalid("path", "Name the page, for example notes/plan.md.")
        put_page(actor, slug, path=f"/fs/{path}", content=typed.encode(), if_version=version)
    except HubError as refusal:
        return _refused(request, project, path, typed, refusal)
    return redirect("admin:knowledge-page", slug, path)


def _refused(request: HttpRequest, project: Project, path: str, typed: str, refusal: HubError) -> HttpResponse:
    """Show the editor again with what was typed; after a conflict with theirs, the difference and their version."""
    if refusal.code != "version_mismatch":
        version = request.POST.get("if_version", ABSENT)
        return _editor(request, project, path, typed, version, refusal=refusal, status=refusal.status)
    theirs = _stored(project, path)
    lines = difflib.unified_diff(_text(theirs).splitlines(), typed.splitlines(), "theirs", "yours", lineterm="")
    current = theirs.version if theirs else ABSENT
    conflict = {"theirs": _text(theirs), "gone": theirs is None, "diff": "\n".join(lines)}
    return _editor(request, project, path, typed, current, conflict=conflict, status=refusal.status)


def _editor(  # noqa: PLR0913 - what the editor shows
    request: HttpRequest,
    project: Project,
    path: str,
    text: str,
    version: str,
    *,
    status: int = 200,
    **more: Any,  # noqa: ANN401
) -> HttpResponse:
    return page(
        request,
        "knowledge/edit.html",
        place=project.slug,
        title=f"Edit {path}" if path else "New page",
        status=status,
        project=project,
        path=path,
        text=text,
        version=version,
        is_new=version == ABSENT,
        **more,
    )


@require_POST
@human_page
def delete(request: HttpRequest, actor: Actor, slug: str, path: str) -> HttpResponse:
    """Delete a page as it was shown; its history stays."""
    with told(request, f"{path} is deleted. Its history stays."):
        delete_page(actor, slug, path=f"/fs/{path}", if_version=request.POST.get("if_version") or None)
    return redirect("admin:knowledge", slug)


@human_page
def history(request: HttpRequest, actor: Actor, slug: str, path: str = "") -> HttpResponse:
    """Show who wrote a page, or any page, newest first."""
    project = authorized(actor, slug, Right.READ)
    wanted = f"/fs/{path}" if path else None
    rows = page_log(project, path=wanted, cursor=request.GET.get("before"), limit=HISTORY)
    return page(
        request,
        "knowledge/history.html",
        place=slug,
        title=f"History of {path or project.name}",
        project=project,
        path=path,
        rows=[log_json(row) | {"moment": row.at} for row in rows.rows],
        older=rows.next_cursor,
        trust=trust_of(project, wanted) if wanted else None,
    )


@human_page
def download(request: HttpRequest, actor: Actor, slug: str) -> FileResponse:
    """Answer all pages as one zip."""
    project = authorized(actor, slug, Right.READ)
    return FileResponse(exported(project), as_attachment=True, filename=f"{slug}-pages.zip")


@require_POST
@human_page
def upload(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    """Store a zip of pages: all of them, or none and a list of what stands in the way."""
    project = authorized(actor, slug, Right.WRITE)
    given = request.FILES.get("file")
    try:
        if given is None or given.size is None or given.size > MOST_BYTES:
            raise invalid("file", f"Choose a zip file of at most {MOST_BYTES // 1024 // 1024} MiB.", limit=MOST_BYTES)
        overwrite = request.POST.get("overwrite") == "yes"
        done = import_pages(actor, slug, contents=unpacked(given), overwrite=overwrite)
    except HubError as refusal:
        return page(
            request,
            "knowledge/import.html",
            place=slug,
            title="Upload pages",
            status=refusal.status,
            project=project,
            refusal=refusal,
            conflicts=refusal.details.get("conflicts", ()),
        )
    with told(request, f"Stored {len(done['stored'])} pages; {len(done['unchanged'])} were the same already."):
        return redirect("admin:knowledge", slug)


def _stored(project: Project, path: str) -> Entry | None:
    try:
        return get_page(project, f"/fs/{path}")
    except HubError as refusal:
        if refusal.code != "not_found":
            raise
        return None


def _text(entry: Entry | None) -> str:
    return entry.content.decode(errors="replace") if entry else ""


ROUTES = [
    ("project/<str:slug>/pages/new/", edit, "page-new"),
    ("project/<str:slug>/pages/folder.zip", download, "pages-download"),
    ("project/<str:slug>/pages/upload/", upload, "pages-upload"),
    ("project/<str:slug>/edit/<path:path>", edit, "page-edit"),
    ("project/<str:slug>/delete/<path:path>", delete, "page-delete"),
    ("project/<str:slug>/history/", history, "pages-history"),
    ("project/<str:slug>/history/<path:path>", history, "page-history"),
]
