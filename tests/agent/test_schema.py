"""Calls made up from the OpenAPI document, right and wrong: never a fault, always as documented (AGT-01)."""

from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import one_of
from schemathesis import GenerationMode
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import positive_data_acceptance

from hubsite import agent_calls
from hubsite.uploads import UPLOADS
from tests.running import Hub

EXAMPLES = 8
# Left out: that everything the document allows is accepted. It does not spell out what an id or a path looks like.


@pytest.fixture(scope="module")
def token(hub: Hub) -> str:
    """Answer the token of an agent with a live session."""
    hub.project("schema-test")
    token = hub.agent("schema-tester")
    with hub.api(token) as api:
        assert api.post("/projects/schema-test/sessions", name="one").status == 200
    return token


@pytest.fixture(scope="module")
def operations(hub: Hub) -> dict[str, Any]:
    """Answer the documented operations by id."""
    document = httpx.get(f"{hub.url}/api/v1/openapi.json", trust_env=False).json()
    schema = schemathesis.openapi.from_dict(document)
    found = [result.ok() for result in schema.get_all_operations() if isinstance(result, Ok)]
    return {operation.definition.raw["operationId"]: operation for operation in found}


@pytest.mark.parametrize("name", sorted([*agent_calls.calls(), *[upload.name for upload in UPLOADS]]))
def test_agt_01_calls_made_up_from_the_document_are_never_a_fault(
    hub: Hub, token: str, operations: dict[str, Any], name: str
) -> None:
    strategies = [operations[name].as_strategy(generation_mode=mode) for mode in GenerationMode]

    @settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(one_of(strategies))
    def holds(case: Any) -> None:
        if "timeout_s" in case.query:
            case.query["timeout_s"] = "0"
        headers = {"Authorization": f"Bearer {token}"}
        case.call_and_validate(base_url=hub.url, headers=headers, excluded_checks=[positive_data_acceptance])

    holds()
