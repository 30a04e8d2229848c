"""Schemas that can be checked, and values that stand in a page."""

from __future__ import annotations

from typing import Any

import pytest

from driftline.core.answers.schema_fields import check_schema, fields_in_text
from driftline.errors import BadRule

TEXT = "Family plan\nNow 1.299,00 EUR a month, for 5 people\nEurope  and\u00a0Asia"


def fields(**types: Any) -> dict[str, Any]:
    return {"properties": {name: {"type": of} if isinstance(of, str) else of for name, of in types.items()}}


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ({}, "object with fields"),
        ({"properties": {}}, "object with fields"),
        ({"type": "array", "properties": {"a": {"type": "string"}}}, "object with fields"),
        (fields(**{f"f{number}": "string" for number in range(31)}), "object with fields"),
        (fields(a="boolean"), "cannot be checked"),
        (fields(a={"type": "array", "items": {"type": "object"}}), "cannot be checked"),
        (fields(a={"type": "string", "pattern": "(a+)+"}), "unknown word"),
        ({"$ref": "#/x", **fields(a="string")}, "unknown word"),
        (fields(**{"a\nb": "string"}), "invalid field"),
        (fields(a={"type": "string", "description": "x" * 301}), "invalid description"),
    ],
)
def test_a_schema_whose_values_cannot_be_checked_is_refused(schema: dict[str, Any], says: str) -> None:
    with pytest.raises(BadRule, match=says) as refused:
        check_schema(schema)
    assert refused.value.hint


def test_a_value_that_does_not_stand_in_the_page_is_refused() -> None:
    schema = fields(plan="string", price="number", seats="integer", places={"type": "array"}, other="string")
    check_schema(schema)
    given = {"plan": "family PLAN", "price": 1299, "seats": 5, "places": ["Europe and Asia", "Mars"], "more": "Europe"}
    found, refused = fields_in_text(schema, given, TEXT)
    assert found == {"plan": "family PLAN", "price": 1299, "seats": 5, "places": ["Europe and Asia"]}
    assert refused == ("places",)
    wrong = {"plan": "Free plan", "price": "1299", "seats": 5.5, "places": [], "other": True}
    assert fields_in_text(schema, wrong, TEXT) == ({}, ("plan", "price", "seats", "other"))
