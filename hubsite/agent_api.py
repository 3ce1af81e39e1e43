"""The agents' HTTP API: one route per registered call, answering what the MCP tool answers.

Ninja routes and documents. Arguments are validated once, by the call itself, after the token: so both faces refuse the
same things in the same words, and who has no token learns nothing about the arguments.
"""

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Final

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from ninja import NinjaAPI
from ninja.params import functions as ninja_params
from ninja.security.http import HttpAuthBase

from core.calls import Call, Json
from core.errors import HubError, invalid, not_found
from core.json_values import parse
from core.version import VERSION
from hubsite import agent_calls
from hubsite.agent_openapi import IN_QUERY, PROBLEM, described, described_upload, is_list, path_names
from hubsite.mcp.jsonrpc import encode
from hubsite.problems import problem_response, refusal_of
from hubsite.uploads import UPLOADS

METHODS: Final = ("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE")
DESCRIPTION: Final = (
    "The hub's calls for agents. The same as the tools of /mcp; /SKILL.md explains how to work with them."
)


class AgentToken(HttpAuthBase):
    """Documents the bearer token. The dispatcher checks it, on the thread that has the database."""

    openapi_scheme = "bearer"
    openapi_description = "An agent's token, hub_..."

    def __call__(self, _: HttpRequest) -> bool:
        """Let the request reach the dispatcher."""
        return True


class AgentApi(NinjaAPI):
    """Ninja's API with the hub's error in its document."""

    def get_openapi_schema(self, **kwargs: Any) -> Any:  # noqa: ANN401 - Ninja's own
        """Answer the OpenAPI document."""
        document = super().get_openapi_schema(**kwargs)
        document["components"]["schemas"]["Problem"] = PROBLEM
        return document


def build_api(registry: Mapping[str, Call], namespace: str = "agent-api", uploads: Iterable[Call] = ()) -> NinjaAPI:
    """Answer the API over `registry`; uploads are served elsewhere and only described here."""
    api = AgentApi(
        title="Muster",
        version=VERSION,
        description=DESCRIPTION,
        urls_namespace=namespace,
        auth=AgentToken(),
    )
    api.add_exception_handler(Exception, _refused)
    routes: dict[str, list[Call]] = {}
    for call in sorted(registry.values(), key=_takes_slashes):
        routes.setdefault(_route(call), []).append(call)
    for route, calls in routes.items():
        for call in calls:
            _add(api, route, call)
        _refuse_other_methods(api, route, calls)
    for upload in uploads:
        _add_upload(api, upload)
    _hidden(api, METHODS, "/{path:rest}", _nowhere)
    return api


def _refused(request: HttpRequest, error: Any) -> HttpResponse:  # noqa: ANN401 - Ninja passes any exception
    return problem_response(refusal_of(error, f"{request.method} {request.path}"))


def _takes_slashes(call: Call) -> bool:
    return call.http[1].endswith("/{path}")


def _route(call: Call) -> str:
    path = call.http[1]
    return path.removesuffix("{path}") + "{path:path}" if _takes_slashes(call) else path


def _add(api: NinjaAPI, route: str, call: Call) -> None:
    _document(api, route, call, described(call))(_view(call))


def _add_upload(api: NinjaAPI, upload: Call) -> None:
    """Describe an upload; `hubsite.asgi` serves it before a request comes here (see `hubsite.uploads`)."""

    def elsewhere(_: HttpRequest, **__: str) -> HttpResponseBase:
        raise not_found("address")

    elsewhere.__signature__ = _signature(upload)  # type: ignore[attr-defined]
    _document(api, upload.http[1], upload, described_upload(upload))(elsewhere)


def _document(api: NinjaAPI, route: str, call: Call, extra: Json) -> Callable[..., Any]:
    return api.api_operation(
        [call.http[0]],
        route,
        operation_id=call.name,
        summary=call.title,
        description=call.description,
        tags=[call.arguments.__module__.partition(".")[0].removesuffix("_app")],
        openapi_extra=extra,
    )


def _view(call: Call) -> Callable[..., HttpResponse | Awaitable[HttpResponse]]:
    def ready(request: HttpRequest, in_path: Mapping[str, str]) -> agent_calls.Ready:
        actor = agent_calls.authenticate(request.headers.get("Authorization"))
        return agent_calls.prepared(actor, call, _arguments(request, call, in_path))

    async def waiting(request: HttpRequest, **in_path: str) -> HttpResponse:
        return _answer(await agent_calls.wait(await sync_to_async(ready)(request, in_path), call))

    def direct(request: HttpRequest, **in_path: str) -> HttpResponse:
        return _answer(agent_calls.run(ready(request, in_path), call))

    view: Any = waiting if agent_calls.is_waiting(call) else direct
    view.__signature__ = _signature(call)
    return view  # type: ignore[no-any-return]


def _signature(call: Call) -> inspect.Signature:
    """Answer the parameters Ninja takes from the path."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    request = inspect.Parameter("request", kind, annotation=HttpRequest)
    fields = call.arguments.model_fields
    in_path = [
        inspect.Parameter(
            name, kind, annotation=str, default=ninja_params.Path(..., description=fields[name].description)
        )
        for name in path_names(call)
    ]
    return inspect.Signature([request, *in_path])


def _arguments(request: HttpRequest, call: Call, in_path: Mapping[str, str]) -> Json:
    given = _from_query(request, call) if call.http[0] in IN_QUERY else _from_body(request)
    twice = sorted(given.keys() & in_path.keys())
    if twice:
        raise invalid(twice[0], f"{twice[0]} is in the path already.")
    return {**given, **in_path}


def _from_query(request: HttpRequest, call: Call) -> Json:
    if request.body:
        raise invalid("body", "This method takes its arguments in the address, not in a body.")
    return {name: _query_value(name, request.GET.getlist(name), many=is_list(call, name)) for name in request.GET}


def _query_value(name: str, values: list[str], *, many: bool) -> list[str] | str:
    if many:
        return values
    if len(values) > 1:
        raise invalid(name, f"{name} is given {len(values)} times.")
    return values[0]


def _from_body(request: HttpRequest) -> Json:
    if request.GET:
        name = next(iter(request.GET))
        raise invalid(name, "This method takes its arguments as a JSON body, not in the address.")
    if not request.body:
        return {}
    if request.content_type != "application/json":
        raise HubError("unsupported_media_type", "Send application/json.", header="Content-Type")
    try:
        body = parse(request.body)
    except ValueError as error:
        raise invalid("body", f"The body is not valid JSON: {error}") from None
    if not isinstance(body, dict):
        raise invalid("body", "The body must be a JSON object.")
    return body


def _answer(answer: Json) -> HttpResponse:
    return HttpResponse(encode(answer), content_type="application/json", headers={"Cache-Control": "no-store"})


def _hidden(api: NinjaAPI, methods: Any, route: str, view: Callable[..., Any]) -> None:  # noqa: ANN401 - Ninja wants a list
    name = route.strip("/").replace("/", "_") + "_".join(methods)
    api.api_operation(list(methods), route, auth=None, include_in_schema=False, operation_id=f"no_{name}")(view)


def _refuse_other_methods(api: NinjaAPI, route: str, calls: list[Call]) -> None:
    allowed = sorted(call.http[0] for call in calls)

    def refuse(request: HttpRequest, **_: str) -> HttpResponseBase:
        message = f"This address takes {', '.join(allowed)}, not {request.method}."
        raise HubError("method_not_allowed", message, allow=allowed)

    refuse.__signature__ = _signature(calls[0])  # type: ignore[attr-defined]
    _hidden(api, [method for method in METHODS if method not in allowed], route, refuse)


def _nowhere(request: HttpRequest, rest: str) -> HttpResponseBase:  # noqa: ARG001 - Ninja passes them by name
    raise not_found("address")


api: Final = build_api(agent_calls.calls(), uploads=UPLOADS)
"""What `hubsite.urls` mounts at ``/api/v1/``."""
