"""The agents' HTTP API, raw: addresses, methods, where arguments go, bodies (AGT-01)."""

import json
from typing import Any
from urllib.parse import unquote

import pytest
from django.test import Client, RequestFactory
from django.urls import resolve
from django.urls.resolvers import RegexPattern, URLResolver

from core.calls import Arguments, Call
from hubsite import agent_calls
from hubsite.agent_api import build_api
from hubsite.problems import MEDIA_TYPE
from projects.models import Event
from tests import world
from tests.faces import AgentApi

pytestmark = pytest.mark.usefixtures("project")


@pytest.mark.parametrize("address", ["/nix", "/whoami/", "/whoami/x", "/projects//events", "/docs/x"])
def test_agt_01_an_unknown_address_is_a_problem(ada_api: AgentApi, address: str) -> None:
    for method in ("GET", "POST", "DELETE"):
        answer = ada_api.call(method, address)
        assert (answer.status, answer.json["code"]) == (404, "not_found")
        assert answer.headers["Content-Type"] == MEDIA_TYPE


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_agt_01_another_method_is_a_problem_that_names_the_right_ones(ada_api: AgentApi, method: str) -> None:
    answer = ada_api.call(method, "/whoami")
    assert (answer.status, answer.json["code"], answer.headers["Allow"]) == (405, "method_not_allowed", "GET")
    answer = ada_api.call("PATCH", "/brain/entry")
    assert answer.headers["Allow"] == "DELETE, GET, PUT"


def test_agt_01_head_is_no_method_of_the_api(ada: world.AgentWithToken) -> None:
    response = Client().head("/api/v1/whoami", headers={"Authorization": f"Bearer {ada.token}"})
    assert response.status_code == 405


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", 422),
        (b"[1]", 422),
        (b'"x"', 422),
        (b"null", 422),
        (b"\xff", 422),
        (b'{"name":NaN}', 422),
        (b'{"name":"\\ud800"}', 422),
        (b'{"a":' * 10_000, 422),
    ],
)
def test_agt_01_a_body_that_is_no_json_object_is_refused(ada: world.AgentWithToken, body: bytes, code: int) -> None:
    response = _post(ada, "/projects/atlas/sessions", body)
    assert response.status_code == code
    assert (response.json()["code"], response.json()["details"]["field"]) == ("invalid_argument", "body")


def test_agt_01_another_content_type_is_refused(ada: world.AgentWithToken) -> None:
    response = _post(ada, "/projects/atlas/sessions", b'{"name":"one"}', "text/plain")
    assert (response.status_code, response.json()["code"]) == (415, "unsupported_media_type")


def test_agt_01_the_path_decides_over_the_body_and_says_so(ada_api: AgentApi) -> None:
    answer = ada_api.post("/projects/atlas/sessions", name="one", project="nix")
    assert (answer.status, answer.json["details"]["field"]) == (422, "project")


def test_agt_01_arguments_in_the_wrong_place_are_refused_not_ignored(ada: world.AgentWithToken) -> None:
    response = _post(ada, "/projects/atlas/sessions?name=two", b'{"name":"one"}')
    assert (response.status_code, response.json()["details"]["field"]) == (422, "name")
    address, guard = "/api/v1/brain/entry?path=/fs/x&store=project", b'{"if_version":"absent"}'
    headers = {"Authorization": f"Bearer {ada.token}"}
    response = Client().generic("DELETE", address, guard, "application/json", headers=headers)
    assert (response.status_code, response.json()["details"]["field"]) == (422, "body")


def test_agt_01_an_argument_given_twice_is_refused_and_a_list_is_not(ada: world.AgentWithToken) -> None:
    client, headers = Client(), {"Authorization": f"Bearer {ada.token}"}
    twice = client.get("/api/v1/projects/atlas/events?limit=1&limit=2", headers=headers)
    assert (twice.status_code, twice.json()["details"]["field"]) == (422, "limit")
    several = client.get("/api/v1/projects/atlas/events?kinds=signal&kinds=finished", headers=headers)
    assert several.status_code == 200


def test_agt_01_both_faces_answer_the_same(ada: world.AgentWithToken, ada_api: AgentApi) -> None:
    answer = ada_api.get("/whoami")
    assert answer.json["agent"] == "ada"
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Cache-Control"] == "no-store"


def test_agt_01_a_persons_session_opens_nothing_here(human_client: Client) -> None:
    response = human_client.get("/api/v1/whoami")
    assert (response.status_code, response.json()["code"]) == (401, "unauthenticated")
    response = human_client.post("/api/v1/projects/atlas/sessions", {"name": "x"}, content_type="application/json")
    assert response.status_code == 401
    assert not Event.objects.filter(kind="session").exists()


def test_agt_01_a_post_needs_no_csrf_token(ada: world.AgentWithToken) -> None:
    client = Client(enforce_csrf_checks=True)
    headers = {"Authorization": f"Bearer {ada.token}"}
    response = client.post(
        "/api/v1/projects/atlas/sessions", {"name": "one"}, content_type="application/json", headers=headers
    )
    assert response.status_code == 200


def test_agt_01_a_body_over_the_limit_is_refused(ada: world.AgentWithToken) -> None:
    response = _post(ada, "/projects/atlas/sessions", b'{"name":"%s"}' % (b"x" * 4 * 1024 * 1024))
    assert (response.status_code, response.json()["code"]) == (413, "payload_too_large")
    assert response.json()["details"]["limit"] == 4 * 1024 * 1024


def test_agt_01_a_path_argument_may_hold_slashes(ada: world.AgentWithToken) -> None:
    class Place(Arguments):
        path: str
        depth: int = 0

    call = Call("probe", "Probe", "A probe.", ("GET", "/tree/{path}"), Place, _echo, None, True, False, True)  # noqa: FBT003
    api = build_api({"probe": call}, "slashes")
    for address, wanted in [("tree/a/b%20c/d.md", "a/b c/d.md"), ("tree/x", "x")]:
        assert _serve(api, ada, address, {"depth": "3"}) == {"path": wanted, "depth": 3}
    [(documented, methods)] = api.get_openapi_schema(path_prefix="")["paths"].items()
    assert documented == "/tree/{path}"
    assert [place["name"] for place in methods["get"]["parameters"]] == ["path", "depth"]


def _echo(_: object, arguments: Any) -> dict[str, Any]:
    return dict(arguments.model_dump())


def _serve(api: Any, agent: world.AgentWithToken, address: str, query: dict[str, str]) -> Any:
    request = RequestFactory().get(
        f"/{address}", query_params=query, headers={"Authorization": f"Bearer {agent.token}"}
    )
    match = URLResolver(RegexPattern(r"^/"), api.urls[0]).resolve(unquote(f"/{address}"))
    response = match.func(request, *match.args, **match.kwargs)
    return json.loads(response.content)


def _post(agent: world.AgentWithToken, address: str, body: bytes, content_type: str = "application/json") -> Any:
    headers = {"Authorization": f"Bearer {agent.token}"}
    return Client().generic("POST", f"/api/v1{address}", body, content_type, headers=headers)


def test_agt_01_every_call_has_its_route() -> None:
    for call in agent_calls.calls().values():
        method, template = call.http
        address = template.replace("{project}", "atlas").replace("{question}", "x").replace("{session}", "x")
        assert resolve(f"/api/v1{address}").namespaces == ["agent-api"], (method, template)


def test_agt_01_pages_elsewhere_keep_djangos_own_errors(client: Client) -> None:
    response = client.get("/healthz/nix")
    assert response.status_code in {302, 404}
    assert response.headers["Content-Type"].startswith("text/html")
