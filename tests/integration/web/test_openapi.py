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


EXPORT = msgspec.json.decode(EXPORTED.read_bytes())
OPERATIONS = [f"{method.upper()} {path}" for path, methods in EXPORT["paths"].items() for method in methods]


@pytest.fixture(scope="module")
def operations() -> dict[str, Any]:
    """The operations of the contract, by label."""
    contract = schemathesis.openapi.from_dict(EXPORT)
    return {one.label: one for found in contract.get_all_operations() if isinstance(found, Ok) for one in [found.ok()]}


@pytest.mark.parametrize("label", [label for label in OPERATIONS if label != "GET /changes/stream"])
def test_the_api_keeps_its_contract(label: str, operations: dict[str, Any], furnished: WebServer) -> None:
    """Made-up requests, good and bad: each is answered as the document says, and none breaks anything."""
    operation = operations[label]
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
    assert len(set(names)) == len(operations) > 60
    assert all(operation["summary"] and operation["description"] for operation in operations)
    assert all(operation.get("x-needs") or operation["security"] == [] for operation in operations)
    served = {path for _, path, _ in furnished.routes() if path.startswith("/api/v1/")}
    assert len(served) == len(paths) + 1  # the document itself


def test_every_operation_stands_in_the_guide() -> None:
    guide = (EXPORTED.parent / "api.md").read_text(encoding="utf-8").splitlines()
    rows = [
        f"| `{method.upper()} {path}` | {raw['summary']} | {raw.get('x-needs', 'the feed token in its address')} |"
        for path, methods in EXPORT["paths"].items()
        for method, raw in methods.items()
    ]
    assert len(rows) > 60
    assert [row for row in rows if row not in guide] == []
