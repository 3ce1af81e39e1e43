"""``/SKILL.md``: the public guide for agents, written from the registry so that it never lies. It holds no secrets."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from core import limits
from core.calls import Call, Json
from core.errors import RETRYABLE, STATUS
from core.version import VERSION
from hubsite import agent_calls
from hubsite.agent_schemas import input_schema
from hubsite.origins import hub_url

INSTRUCTIONS: Final = (
    "Muster is the hub you report to and the place where people answer you. Begin with whoami, then session_start in "
    "your project and session_brief to orient. Keep working notes with brain_put (store session), what the project "
    "should know as pages (store project, with if_version). Ask people with question_post or approval_post, then "
    "answer_wait. End with session_end and a handoff. The guide is the resource hub://guide."
)

ERRORS: Final[Mapping[str, str]] = {
    "unauthenticated": "No token, or one that is unknown or revoked. Ask a person for a new one.",
    "forbidden": "You may read this, but not do that.",
    "delegation_revoked": "A person ended it, or its task ended or was rebuilt; task_get names the one that holds.",
    "delegation_expired": "The delegation's time is over; a person can rebuild the task.",
    "organization_mismatch": "The delegation was issued by another hub.",
    "generation_stale": "The task was rebuilt since; task_get tells how it stands.",
    "subject_inactive": "The person the task is for may not read this any more.",
    "grant_revoked": "You may not read this any more.",
    "scope_denied": "The delegation does not cover this. Nothing is narrowed for you; ask for less.",
    "scope_exceeds_subject": "The person the task is for may not read a space it names.",
    "scope_exceeds_actor": "You may not read a space the task names.",
    "not_found": "It does not exist, or you may not see it: the two look the same.",
    "method_not_allowed": "This address takes other methods.",
    "no_active_session": "Name a session, or start one with session_start.",
    "ambiguous_session": "You have several live sessions here; name one of those in details.",
    "conflict": "It collides with what is there; details say with what.",
    "version_mismatch": "Somebody wrote since you read: details.current is the version now. Read, merge, try again.",
    "expired": "Its time is over.",
    "payload_too_large": "Over the limit in details.limit. Nothing was stored.",
    "unsupported_media_type": "Send application/json.",
    "invalid_argument": "details.field names the argument, details.errors lists all that is wrong.",
    "precondition_required": "Say which version you read.",
    "rate_limited": "Too many; wait, then try again.",
    "internal": "A fault of the hub; details.incident finds it in the log.",
    "unavailable": "Busy or restarting; try again.",
    "evidence_unavailable": "What you were to be told could not be noted, so it was not told; try again.",
    "retrieval_plane_unavailable": "A task cannot be prepared while retrieval is down; try again.",
}
"""What each code means to an agent."""


def guide(url: str) -> str:
    """Answer the guide for agents that know the hub by `url`."""
    registry = agent_calls.calls()
    return _guide(url, tuple(registry))


@lru_cache(maxsize=8)
def _guide(url: str, _: tuple[str, ...]) -> str:
    registry = agent_calls.calls()
    context = {
        "url": url,
        "version": VERSION,
        "tools": [_tool(call) for call in registry.values()],
        "errors": [_error(code) for code in STATUS],
        "limits": limits,
        "instructions": INSTRUCTIONS,
    }
    return render_to_string("hubsite/SKILL.md", context)


def _tool(call: Call) -> Json:
    schema = input_schema(call)
    required = schema.get("required", [])
    optional = [f"{name}?" for name in schema["properties"] if name not in required]
    method, path = call.http
    return {
        "name": call.name,
        "arguments": ", ".join([*required, *optional]),
        "description": call.description,
        "route": f"{method} /api/v1{path}",
    }


def _error(code: str) -> Json:
    return {"code": code, "status": STATUS[code], "retryable": code in RETRYABLE, "meaning": ERRORS[code]}


@require_safe
def skill(request: HttpRequest) -> HttpResponse:
    """Show the guide to anyone."""
    text = guide(hub_url(request.scheme or "http", request.headers.get("host")))
    return HttpResponse(text, content_type="text/markdown; charset=utf-8")
