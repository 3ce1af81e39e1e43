"""What the browser gets of an artifact beside its page: its bytes, and forms that write (ART-04, INB-07)."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from artifacts import delivery
from artifacts.models import Kind
from artifacts.operations import delete_artifact, delete_comment, reopen_comment, resolve_comment
from artifacts.queries import artifact_of, comment_of, version_of
from core.actor import Actor
from core.errors import invalid
from identity.pages import human_page, told


@human_page
def raw(request: HttpRequest, actor: Actor, artifact: str, number: int) -> HttpResponseBase:
    """Answer a version's bytes, with ``?download`` as a file to keep."""
    row = artifact_of(actor, artifact)
    return delivery.stored(row, version_of(row, number), download="download" in request.GET)


@human_page
def frame(request: HttpRequest, actor: Actor, artifact: str, number: int) -> HttpResponseBase:
    """Answer an HTML version for the frame of its page. Opened by itself it could lead its reader away: to the page."""
    row = artifact_of(actor, artifact)
    version = version_of(row, number)
    if row.kind != Kind.HTML or version.protected:
        raise invalid("version", "Only HTML that is not protected is shown in a frame.")
    if request.headers.get("Sec-Fetch-Dest") == "document":
        return redirect_to(row.pk, number, None)
    return delivery.frame(row, version)


@human_page
def shell(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    """Answer the empty frame for HTML the browser has decrypted."""
    return delivery.shell()


@require_POST
@human_page
def delete(request: HttpRequest, actor: Actor, artifact: str) -> HttpResponse:
    """Delete an artifact."""
    row = artifact_of(actor, artifact)
    with told(request, f"{row.title} is deleted."):
        delete_artifact(actor, row.project_id, artifact=row.pk)
    return redirect("admin:artifacts", row.project_id)


@require_POST
@human_page
def resolve(request: HttpRequest, actor: Actor, comment: str) -> HttpResponse:
    """Mark a comment as dealt with."""
    return _changed(request, actor, comment, resolve_comment)


@require_POST
@human_page
def reopen(request: HttpRequest, actor: Actor, comment: str) -> HttpResponse:
    """Take back that a comment was dealt with."""
    return _changed(request, actor, comment, reopen_comment)


@require_POST
@human_page
def remove(request: HttpRequest, actor: Actor, comment: str) -> HttpResponse:
    """Delete a comment."""
    return _changed(request, actor, comment, delete_comment)


def _changed(request: HttpRequest, actor: Actor, comment: str, change: Any) -> HttpResponse:  # noqa: ANN401 - an operation
    row = comment_of(actor, comment)
    with told(request):
        change(actor, row.project_id, comment=row.pk)
    number = request.POST.get("version", "")
    return redirect_to(row.artifact_id, int(number) if number.isdecimal() and len(number) < 10 else None)  # noqa: PLR2004


def redirect_to(artifact: str, number: int | None, part: str | None = "comments") -> HttpResponse:
    """Send the person to an artifact's page, where they stood."""
    query = {} if number is None else {"version": number}
    return redirect(reverse("admin:artifact", args=[artifact], query=query, fragment=part))


ROUTES = [
    ("artifact/frame/", shell, "artifact-shell"),
    ("artifact/<str:artifact>/<int:number>/raw/", raw, "artifact-raw"),
    ("artifact/<str:artifact>/<int:number>/frame/", frame, "artifact-frame"),
    ("artifact/<str:artifact>/delete/", delete, "artifact-delete"),
    ("comment/<str:comment>/resolve/", resolve, "comment-resolve"),
    ("comment/<str:comment>/reopen/", reopen, "comment-reopen"),
    ("comment/<str:comment>/delete/", remove, "comment-delete"),
]
# Sent as they are read, a piece at a time: not compressed, which would need them whole.
STREAMED = {"artifact-raw", "artifact-frame"}
