"""The methods of the protocol, and which revision has which."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from core.actor import Actor
from core.calls import Call, Json
from core.errors import HubError
from core.json_values import check_storable
from core.version import VERSION
from hubsite.mcp import prompts, resources, tools
from hubsite.mcp.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, Encoded, Failure, Request, encode
from hubsite.mcp.revisions import RESOURCE_NOT_FOUND, STATELESS, finished, negotiated
from hubsite.skill import INSTRUCTIONS
from tasks.queries import is_bound

SERVER: Final[Json] = {"name": "muster", "title": "Muster", "version": VERSION}
CAPABILITIES: Final[Json] = {"tools": {}, "resources": {}, "prompts": {}}


@dataclass
class Methods:
    """What a request can ask of the hub, besides calling a tool."""

    registry: Mapping[str, Call]

    def answer(self, actor: Actor, request: Request, hub_url: str, *, stateless: bool) -> Json | Encoded:
        """Answer a request's result, or fail. Runs on a request thread."""
        if request.method == "tools/list":
            return self._encoded_tools[is_bound(actor), stateless]
        method = (_STATELESS if stateless else _HANDSHAKE).get(request.method)
        if method is None:
            raise Failure(METHOD_NOT_FOUND, f"Method not found: {request.method}")
        try:
            check_storable(request.params)
            result = method(self, actor, request.params, hub_url)
        except HubError as error:
            raise _failure(error, request.method, stateless=stateless) from error
        return finished(request.method, result, SERVER) if stateless else result

    @cached_property
    def _encoded_tools(self) -> dict[tuple[bool, bool], Encoded]:
        """Answer the lists by whether the caller runs a task, and whether the revision is the stateless one."""
        lists: dict[tuple[bool, bool], Encoded] = {}
        for in_task in (False, True):
            result = tools.listed(self.registry, in_task=in_task)
            lists[in_task, False] = Encoded(encode(result))
            lists[in_task, True] = Encoded(encode(finished("tools/list", result, SERVER)))
        return lists

    @cached_property
    def call_extra(self) -> dict[bool, bytes]:
        """What the result of a tool call ends with, by whether the revision is the stateless one."""
        return {False: b"", True: b"," + encode(finished("tools/call", {}, SERVER))[1:-1]}


def _failure(error: HubError, method: str, *, stateless: bool) -> Failure:
    if error.status >= 500:  # noqa: PLR2004 - server errors
        return Failure(INTERNAL_ERROR, error.message, error.as_dict())
    missing = method == "resources/read" and error.code == "not_found" and not stateless
    return Failure(RESOURCE_NOT_FOUND if missing else INVALID_PARAMS, error.message, error.as_dict())


def _text(params: Json, name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str):
        raise Failure(INVALID_PARAMS, f"params.{name} must be a string.")
    return value


def _initialize(_: Methods, __: Actor, params: Json, ___: str) -> Json:
    version = negotiated(params.get("protocolVersion"))
    return {
        "protocolVersion": version,
        "capabilities": CAPABILITIES,
        "serverInfo": SERVER,
        "instructions": INSTRUCTIONS,
    }


def _discover(_: Methods, __: Actor, ___: Json, ____: str) -> Json:
    return {"supportedVersions": list(STATELESS), "capabilities": CAPABILITIES, "instructions": INSTRUCTIONS}


def _ping(_: Methods, __: Actor, ___: Json, ____: str) -> Json:
    return {}


def _resources_list(_: Methods, actor: Actor, params: Json, __: str) -> Json:
    return resources.listed(actor, _text(params, "cursor") if "cursor" in params else None)


def _resource_templates_list(_: Methods, __: Actor, ___: Json, ____: str) -> Json:
    return resources.templates()


def _resources_read(_: Methods, actor: Actor, params: Json, hub_url: str) -> Json:
    return resources.read(actor, _text(params, "uri"), hub_url)


def _prompts_list(_: Methods, __: Actor, ___: Json, ____: str) -> Json:
    return prompts.listed()


def _prompts_get(methods: Methods, actor: Actor, params: Json, _: str) -> Json:
    return prompts.got(actor, params, methods.registry)


type _Method = Callable[[Methods, Actor, dict[str, Any], str], Json]
_BOTH: Final[dict[str, _Method]] = {
    "resources/list": _resources_list,
    "resources/templates/list": _resource_templates_list,
    "resources/read": _resources_read,
    "prompts/list": _prompts_list,
    "prompts/get": _prompts_get,
}
_HANDSHAKE: Final[dict[str, _Method]] = {**_BOTH, "initialize": _initialize, "ping": _ping}
_STATELESS: Final[dict[str, _Method]] = {**_BOTH, "server/discover": _discover}
