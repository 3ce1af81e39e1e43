"""Every refusal in one shape, whatever raised it and whichever face shows it.

HTTP faces answer RFC 9457 problem+json, MCP the same code, message, retryable and details. What the hub did not mean
to raise becomes `internal` with an incident id: the log has the rest, the caller never sees it.
"""

import json
import logging
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, Final

from django.core.exceptions import PermissionDenied, RequestDataTooBig, TooManyFilesSent
from django.db import DatabaseError, InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.views import defaults
from pydantic import ValidationError
from rest_framework import exceptions as drf
from rest_framework.response import Response

from core import limits
from core.errors import HubError, not_found

logger = logging.getLogger("muster.problems")

MEDIA_TYPE: Final = "application/problem+json"
CHALLENGE: Final = 'Bearer realm="Muster"'
RETRY_SECONDS: Final = 1
JSON_PREFIXES: Final = ("/api/", "/human/api/")
# What SQLite says when the store is out of reach for a while; its other operational errors are bugs.
_SQLITE_PASSING: Final = ("locked", "busy", "disk", "full", "unable to open")


def problem(error: HubError) -> dict[str, Any]:
    """Answer the problem document of a refusal: RFC 9457's members and the hub's own."""
    return {
        "type": f"/SKILL.md#{error.code}",
        "title": HTTPStatus(error.status).phrase,
        "status": error.status,
        "detail": error.message,
        **error.as_dict(),
    }


def encoded_problem(error: HubError) -> bytes:
    """Answer the problem document as JSON."""
    return json.dumps(problem(error), ensure_ascii=False, default=str).encode("utf-8", "replace")


def headers(error: HubError) -> dict[str, str]:
    """Answer the headers that belong to a refusal."""
    extra = {"Cache-Control": "no-store"}
    if error.details.get("header") == "Authorization":  # an agent's face; people sign in on a page
        extra["WWW-Authenticate"] = CHALLENGE
    if error.retryable and error.code != "internal":
        extra["Retry-After"] = str(RETRY_SECONDS)
    if "allow" in error.details:
        extra["Allow"] = ", ".join(error.details["allow"])
    return extra


def problem_response(error: HubError) -> HttpResponse:
    """Answer a refusal as problem+json."""
    extra = headers(error)
    return HttpResponse(encoded_problem(error), status=error.status, content_type=MEDIA_TYPE, headers=extra)


def refusal_of(error: BaseException, where: str) -> HubError:
    """Answer the refusal that stands for any exception. `where` names the call, for the log."""
    if isinstance(error, HubError):
        return error
    if isinstance(error, Http404):
        return not_found("page")
    if isinstance(error, PermissionDenied):
        return HubError("forbidden", "You may not do this.")
    if isinstance(error, (RequestDataTooBig, TooManyFilesSent)):
        return body_too_large(limits.REQUEST_BYTES)
    return _unmeant(error, where)


def _unmeant(error: BaseException, where: str) -> HubError:
    incident = secrets.token_hex(8)
    logger.error("%s failed, incident %s", where, incident, exc_info=error)
    if _is_passing(error):
        return HubError("unavailable", "The hub's store is out of reach for a moment. Try again.", incident=incident)
    return HubError("internal", "Something went wrong in the hub. Its log has the incident.", incident=incident)


def _is_passing(error: BaseException) -> bool:
    if not isinstance(error, DatabaseError | InterfaceError):
        return False
    if type(error.__cause__).__module__.startswith("sqlite3"):
        return isinstance(error, OperationalError) and any(sign in str(error) for sign in _SQLITE_PASSING)
    return isinstance(error, OperationalError | InterfaceError)


@contextmanager
def only_refusals(where: str) -> Iterator[None]:
    """Let nothing but `HubError` leave the block."""
    try:
        yield
    except HubError:
        raise
    except Exception as error:
        raise refusal_of(error, where) from error


def body_too_large(limit: int) -> HubError:
    """Answer the refusal of a request body past `limit` bytes."""
    return HubError("payload_too_large", f"The request body must be at most {limit} bytes.", field="body", limit=limit)


def invalid_arguments(error: ValidationError) -> HubError:
    """Answer pydantic's refusal: the first field by name, and every error in ``details.errors``."""
    errors = [
        _field_error(line) for line in error.errors(include_url=False, include_context=False, include_input=False)
    ]
    first = errors[0]
    message = first["message"] if len(errors) == 1 else f"{first['message']} ({len(errors)} errors in all)"
    return HubError("invalid_argument", message, field=first["field"], errors=errors)


def _field_error(line: Any) -> dict[str, str]:  # noqa: ANN401 - pydantic's ErrorDetails
    field = ".".join(str(part) for part in line["loc"]) or "arguments"
    if line["type"] == "extra_forbidden":
        return {"field": field, "message": f"Unknown argument {field!r}."}
    if line["type"] == "missing":
        return {"field": field, "message": f"The argument {field!r} is required."}
    return {"field": field, "message": f"{field}: {line['msg']}."}


_DRF_CODES: Final[dict[int, str]] = {
    400: "invalid_argument",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    415: "unsupported_media_type",
    429: "rate_limited",
}


def drf_exception_handler(error: Exception, context: dict[str, Any]) -> Response:
    """Answer what a view of the human API raised, as problem+json."""
    if isinstance(error, drf.APIException):
        refusal = _drf_refusal(error)
    elif isinstance(error, ValidationError):
        refusal = invalid_arguments(error)
    else:
        view = context.get("view")
        refusal = refusal_of(error, f"human API {type(view).__name__}")
    return Response(problem(refusal), status=refusal.status, headers=headers(refusal), content_type=MEDIA_TYPE)


def _drf_refusal(error: drf.APIException) -> HubError:
    if isinstance(error, drf.ValidationError):
        errors = [{"field": field, "message": message} for field, message in _drf_lines(error.detail)]
        first = errors[0]
        return HubError(
            "invalid_argument", f"{first['field']}: {first['message']}", field=first["field"], errors=errors
        )
    if isinstance(error, drf.ParseError):
        return HubError("invalid_argument", "The body is not valid JSON.", field="body")
    signed_out = isinstance(error, drf.NotAuthenticated | drf.AuthenticationFailed)
    code = "unauthenticated" if signed_out else _DRF_CODES.get(error.status_code, "invalid_argument")
    return HubError(code, str(error.detail))


def _drf_lines(detail: Any, field: str = "") -> Iterator[tuple[str, str]]:  # noqa: ANN401 - DRF's nested detail
    if isinstance(detail, dict):
        for name, inner in detail.items():
            yield from _drf_lines(inner, f"{field}.{name}" if field else str(name))
    elif isinstance(detail, list):
        for inner in detail:
            yield from _drf_lines(inner, field)
    else:
        yield field or "arguments", str(detail)


def wants_json(request: HttpRequest) -> bool:
    """Whether the address belongs to one of the JSON faces."""
    return request.path.startswith(JSON_PREFIXES)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer Django's 400 (``handler400``)."""
    if not wants_json(request):
        return defaults.bad_request(request, exception)
    if isinstance(exception, RequestDataTooBig | TooManyFilesSent):
        return problem_response(body_too_large(limits.REQUEST_BYTES))
    return problem_response(HubError("invalid_argument", "The request is malformed.", field="request"))


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer Django's 403 (``handler403``)."""
    if not wants_json(request):
        return defaults.permission_denied(request, exception)
    return problem_response(HubError("forbidden", "You may not do this."))


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer Django's 404 (``handler404``)."""
    if not wants_json(request):
        return defaults.page_not_found(request, exception)
    return problem_response(not_found("address"))


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer Django's 500 (``handler500``), which has logged the exception already."""
    if not wants_json(request):
        return defaults.server_error(request)
    return problem_response(HubError("internal", "Something went wrong in the hub. Its log says what."))
