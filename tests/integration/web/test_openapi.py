"""The OpenAPI document says what the API does, and the API does what it says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from tests.web_server import HERE, WebServer, server_on

from driftline.web.api.schema import document

EXPORTED = Path(__file__).parents[3] / "docs" / "openapi.json"
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    with server_on(f"sqlite:///{tmp_path_factory.mktemp('openapi') / 'driftline.db'}") as server:
        server.tenant.furnished()
        yield server


CONTRACT = schemathesis.openapi.from_dict(msgspec.json.decode(EXPORTED.read_bytes()))
OPERATIONS = [found.ok() for found in CONTRACT.get_all_operations() if isinstance(found, Ok)]


@pytest.mark.parametrize(
    "operation", [one for one in OPERATIONS if one.path != "/changes/stream"], ids=lambda operation: operation.label
)
def test_the_api_keeps_its_contract(operation: Any, furnished: WebServer) -> None:
    """Made-up requests, good and bad: each is answered as the document says, and none breaks anything."""
    good = operation.as_strategy(generation_mode=GenerationMode.POSITIVE)
    bad = operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)

    @given(case=good | bad if operation.body or len(operation.query) else good)
    @settings(
        max_examples=10,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def keeps(case: schemathesis.Case[Any]) -> None:
        headers = {"Authorization": f"Bearer {furnished.tenant.token}"}
        sent = case.as_transport_kwargs(base_url=f"{HERE}/api/v1", headers=headers)
        body = {"json": sent["json"]} if "json" in sent else {"content": sent.get("data")}
        response = furnished.client.request(
            sent["method"],
            sent["url"],
            params=sent.get("params"),
            headers=dict(sent["headers"]),
            follow_redirects=False,
            **body,
        )
        case.validate_response(response, checks=CHECKS)

    keeps()


def test_the_exported_document_is_the_one_that_is_served(furnished: WebServer) -> None:
    served = furnished.client.get("/api/v1/openapi.json").content
    assert EXPORTED.read_bytes() == served, "out of date: run `make docs`"


def test_every_route_of_the_api_is_described(furnished: WebServer) -> None:
    paths = msgspec.json.decode(document(furnished.web))["paths"]
    operations = [operation for path in paths.values() for operation in path.values()]
    names = [operation["operationId"] for operation in operations]
    assert len(set(names)) == len(names) > 60
    assert all(operation["summary"] and operation["description"] for operation in operations)
    assert all(operation.get("x-needs") or operation["security"] == [] for operation in operations)
    served = {path for _, path, _ in furnished.routes() if path.startswith("/api/v1/")}
    assert len(served) == len(paths) + 1  # the document itself


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
def test_every_operation_stands_in_the_guide(operation: Any) -> None:
    raw = operation.definition.raw
    needs = raw.get("x-needs", "the feed token in its address")
    row = f"| `{operation.method.upper()} {operation.path}` | {raw['summary']} | {needs} |"
    assert row in (EXPORTED.parent / "api.md").read_text(encoding="utf-8")
