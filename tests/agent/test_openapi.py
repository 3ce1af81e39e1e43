"""The OpenAPI document: whole, as it was agreed, and shown without loosening the content policy (AGT-01, HUM-02).

Write it anew with ``MUSTER_WRITE_OPENAPI=1 .venv/bin/python -m pytest tests/agent/test_openapi.py``.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from hubsite import agent_calls
from hubsite.agent_openapi import path_names
from hubsite.agent_schemas import input_schema
from hubsite.uploads import UPLOADS

SNAPSHOT = Path(__file__).with_name("openapi.json")


@pytest.fixture
def document(client: Client) -> Any:
    response = client.get("/api/v1/openapi.json")
    assert response.status_code == 200
    return response.json()


def test_agt_01_the_document_is_the_agreed_one(document: Any) -> None:
    written = json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    if os.environ.get("MUSTER_WRITE_OPENAPI") == "1":
        SNAPSHOT.write_text(written)
    assert json.loads(SNAPSHOT.read_text()) == document, "the API changed: see this module's head"


def test_agt_01_every_call_is_described_with_all_its_arguments(document: Any) -> None:
    for call in agent_calls.calls().values():
        method, template = call.http
        operation = document["paths"][f"/api/v1{template}"][method.lower()]
        assert (operation["operationId"], operation["summary"]) == (call.name, call.title)
        assert operation["description"] == call.description
        assert operation["security"] == [{"AgentToken": []}]
        in_address = {(place["in"], place["name"]) for place in operation["parameters"]}
        body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
        assert {name for kind, name in in_address if kind == "path"} == set(path_names(call))
        named = {name for _, name in in_address} | set(body.get("properties", ()))
        assert named == set(input_schema(call)["properties"]), call.name
        assert operation["responses"].keys() == {"200", "default"}
        if method in {"GET", "DELETE"}:
            assert "requestBody" not in operation
        elif body:
            assert body["additionalProperties"] is False
    assert sum(map(len, document["paths"].values())) == len(agent_calls.calls()) + len(UPLOADS)


def test_art_01_uploads_are_described_as_forms_with_a_file(document: Any) -> None:
    for upload in UPLOADS:
        operation = document["paths"][f"/api/v1{upload.http[1]}"]["post"]
        (media_type,) = operation["requestBody"]["content"]
        schema = operation["requestBody"]["content"][media_type]["schema"]
        assert media_type == "multipart/form-data"
        assert schema["properties"]["content"]["format"] == "binary"
        named = {place["name"] for place in operation["parameters"]} | set(schema["properties"])
        assert named == {*input_schema(upload)["properties"], "content"}
        assert "content" in schema["required"]


def test_hum_02_the_docs_page_needs_nothing_from_elsewhere(client: Client) -> None:
    response = client.get("/api/v1/docs")
    page = response.content.decode()
    assert response.status_code == 200
    assert "unsafe" not in response.headers["Content-Security-Policy"]
    assert "https://" not in page
    assert "http://" not in page
    assert '"/api/v1/openapi.json"' in page
