"""What the hub did not mean to raise: one shape, an incident, no internals (issue 2)."""

import logging
import sqlite3
from typing import Any

import psycopg
import pytest
from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.db import IntegrityError, InterfaceError, OperationalError
from django.http import Http404
from django.test import Client, RequestFactory
from rest_framework import exceptions as drf
from rest_framework.serializers import CharField, Serializer

from core.errors import STATUS, HubError
from hubsite import problems, skill


def caused[E: Exception](error: E, cause: Exception) -> E:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (HubError("conflict", "No."), "conflict"),
        (Http404("x"), "not_found"),
        (PermissionDenied("x"), "forbidden"),
        (RequestDataTooBig("x"), "payload_too_large"),
        (caused(OperationalError("database is locked"), sqlite3.OperationalError()), "unavailable"),
        (caused(OperationalError("database or disk is full"), sqlite3.OperationalError()), "unavailable"),
        (caused(OperationalError("no such table: x"), sqlite3.OperationalError()), "internal"),
        (caused(OperationalError("server closed the connection"), psycopg.OperationalError()), "unavailable"),
        (caused(InterfaceError("connection already closed"), psycopg.InterfaceError()), "unavailable"),
        (caused(IntegrityError("UNIQUE"), sqlite3.IntegrityError()), "internal"),
        (KeyError("secret"), "internal"),
        (RecursionError("secret"), "internal"),
    ],
)
def test_agt_01_every_exception_has_its_refusal(error: Exception, code: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "muster.problems"):
        refusal = problems.refusal_of(error, "a test")
    assert refusal.code == code
    if code in {"internal", "unavailable"}:
        assert refusal.details["incident"] in caplog.text
        assert str(error) not in refusal.message
        assert refusal.retryable
    else:
        assert not caplog.records


def test_agt_01_what_may_succeed_later_says_when() -> None:
    assert problems.headers(HubError("unavailable", "Busy."))["Retry-After"] == "1"
    assert "Retry-After" not in problems.headers(HubError("conflict", "No."))


class Named(Serializer[Any]):
    """Wants a name."""

    name = CharField(max_length=3)


@pytest.mark.parametrize(
    ("error", "code", "field"),
    [
        (drf.ParseError(), "invalid_argument", "body"),
        (drf.NotAuthenticated(), "unauthenticated", None),
        (drf.PermissionDenied(), "forbidden", None),
        (drf.NotFound(), "not_found", None),
        (drf.MethodNotAllowed("PATCH"), "method_not_allowed", None),
        (drf.UnsupportedMediaType("text/plain"), "unsupported_media_type", None),
        (drf.Throttled(), "rate_limited", None),
        (drf.ValidationError("No."), "invalid_argument", "arguments"),
        (HubError("expired", "Late."), "expired", None),
        (Http404(), "not_found", None),
        (ValueError("secret"), "internal", None),
    ],
)
def test_hum_01_the_human_api_answers_the_same_shape(error: Exception, code: str, field: str | None) -> None:
    response = problems.drf_exception_handler(error, {})
    assert response.status_code == STATUS[code]
    assert response.content_type == problems.MEDIA_TYPE
    assert response.data is not None
    assert (response.data["code"], response.data["details"].get("field")) == (code, field)
    assert "secret" not in str(response.data)
    assert "WWW-Authenticate" not in response.headers


def test_hum_01_a_serializers_errors_are_named(db: None) -> None:
    serializer = Named(data={"name": "too long"})
    assert not serializer.is_valid()
    response = problems.drf_exception_handler(drf.ValidationError(serializer.errors), {})
    assert response.data is not None
    assert response.data["details"]["field"] == "name"


@pytest.mark.parametrize("prefix", ["/api/v1/x", "/human/api/v1/x"])
def test_agt_01_djangos_own_errors_are_problems_under_the_json_faces(prefix: str) -> None:
    request = RequestFactory().get(prefix)
    for response, status in [
        (problems.bad_request(request, RequestDataTooBig()), 413),
        (problems.bad_request(request, ValueError()), 422),
        (problems.permission_denied(request, PermissionDenied()), 403),
        (problems.page_not_found(request, Http404()), 404),
        (problems.server_error(request), 500),
    ]:
        assert (response.status_code, response.headers["Content-Type"]) == (status, problems.MEDIA_TYPE)


def test_agt_01_every_code_is_explained_in_the_guide(client: Client) -> None:
    assert skill.ERRORS.keys() == STATUS.keys()
    text = client.get("/SKILL.md").content.decode()
    for code, status in STATUS.items():
        assert f'<a id="{code}"></a>`{code}` | {status} |' in text
