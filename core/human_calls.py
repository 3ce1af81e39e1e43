"""The views of the human API: input validated by a model, a person as the actor, JSON out."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http.response import HttpResponseBase
from pydantic import BaseModel
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.actor import Actor
from core.calls import Arguments
from core.json_values import check_storable

type Handler = Callable[..., Response]
type View = Callable[..., HttpResponseBase]


class Nothing(Arguments):
    """No input."""


def person(request: Request) -> Actor:
    """Answer the signed-in person as an actor; the site's permission has checked that they are active staff."""
    return Actor("human", request.user.get_username(), request.user.pk, trusted=True)


def human_call[M: Arguments](model: type[M]) -> Callable[[Callable[..., dict[str, Any]]], Handler]:
    """Make ``function(actor, input, **path)`` the handler of one method; `invalid_argument` for what does not fit.

    The input comes from the query string where there is no body (GET, DELETE), else from the JSON body.
    """

    def wrap(function: Callable[..., dict[str, Any]]) -> Handler:
        @wraps(function)
        def handle(view: APIView, request: Request, **path: str) -> Response:  # noqa: ARG001 - a method of the view
            given = _query(request, model) if request.method in {"GET", "DELETE"} else request.data
            check_storable(model.stored({**given, **path}) if isinstance(given, dict) else path)
            return Response(function(person(request), model.model_validate(given), **path))

        return handle

    return wrap


def resource(**handlers: Handler) -> View:
    """Make the view of one address out of its handlers by method: ``resource(get=..., post=...)``."""
    first = next(iter(handlers.values()))
    made: type[APIView] = type(f"{first.__name__}_resource", (APIView,), {**handlers, "__doc__": first.__doc__})
    return made.as_view()


def _query(request: Request, model: type[BaseModel]) -> dict[str, Any]:
    """Answer the query string; a field that is a list takes every value given for it."""
    given: dict[str, Any] = request.query_params.dict()
    for name, field in model.model_fields.items():
        if name in given and "list" in str(field.annotation):
            given[name] = request.query_params.getlist(name)
    given.pop("format", None)  # the browsable API's own
    return given
