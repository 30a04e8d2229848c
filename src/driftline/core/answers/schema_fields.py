"""Fields described by a JSON schema: which schemas are supported, and which extracted values really occur in the page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from driftline.core.commerce.amounts import NUMBER, read_number
from driftline.core.text.folding import fold
from driftline.core.text.safety.sanitize import sanitize
from driftline.errors import BadRule

FIELDS_AT_MOST: Final = 30
VALUES_AT_MOST: Final = 50  # of a list
VALUE_AT_MOST: Final = 500  # characters
_DESCRIPTION_AT_MOST: Final = 300
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_ -]{0,59}")
_NUMBER: Final = re.compile(NUMBER)
_PLAIN: Final = ("string", "number", "integer")
_OUTSIDE: Final = frozenset({"$schema", "title", "description", "type", "properties", "required", "additionalProperties"})
_INSIDE: Final = frozenset({"title", "description", "type", "items"})


def check_schema(schema: Mapping[str, Any]) -> None:
    """Raise BadRule for a schema that is not a flat object of texts, numbers and lists of them: nothing else can be checked."""
    fields = schema.get("properties")
    if schema.get("type", "object") != "object" or not isinstance(fields, dict) or not 0 < len(fields) <= FIELDS_AT_MOST:
        raise BadRule(
            "a schema is an object with fields",
            hint=f'1 to {FIELDS_AT_MOST}, for example {{"properties": {{"price": {{"type": "number"}}}}}}',
        )
    _refuse_others(schema, _OUTSIDE, "the schema")
    for name, field in fields.items():
        if not _NAME.fullmatch(name) or not isinstance(field, dict):
            raise BadRule("invalid field of the schema", field=name[:80], hint="letters, digits, spaces, _ and -, and its type")
        _refuse_others(field, _INSIDE, name)
        described = field.get("description", "")
        if not isinstance(described, str) or len(described) > _DESCRIPTION_AT_MOST:
            raise BadRule("invalid description", field=name, hint=f"a text of at most {_DESCRIPTION_AT_MOST} characters")
        kind, items = field.get("type"), field.get("items", {"type": "string"})
        of_list = kind == "array" and isinstance(items, dict) and items.get("type") in _PLAIN and set(items) <= _INSIDE
        if kind not in _PLAIN and not of_list:
            raise BadRule(
                "this type of field cannot be checked", field=name, hint="string, number, integer, or an array of them"
            )


def _refuse_others(part: Mapping[str, Any], known: frozenset[str], where: str) -> None:
    if other := next((name for name in part if name not in known), None):
        raise BadRule("unknown word in the schema", word=str(other)[:80], where=where, hint=f"use: {', '.join(sorted(known))}")


def fields_in_text(schema: Mapping[str, Any], values: Mapping[str, Any], text: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The values that have the right type and occur in the text, and the names of fields with other values."""
    searched, numbers = fold(text).casefold(), frozenset(_numbers(text))
    found: dict[str, Any] = {}
    refused = []
    for name, field in schema["properties"].items():
        value = values.get(name)
        if value is None or value == []:
            continue
        many = field["type"] == "array"
        type_ = field.get("items", {"type": "string"})["type"] if many else field["type"]
        values_of_field = value if many and isinstance(value, list) else [value]
        kept = [one for one in values_of_field[:VALUES_AT_MOST] if _occurs(one, type_, searched, numbers)]
        if len(kept) < len(values_of_field):
            refused.append(name)
        if kept:
            found[name] = [_clean(one) for one in kept] if many else _clean(kept[0])
    return found, tuple(refused)


def _occurs(value: Any, type_: str, searched: str, numbers: frozenset[Decimal]) -> bool:
    if type_ == "string":
        return isinstance(value, str) and 0 < len(value) <= VALUE_AT_MOST and fold(value).casefold() in searched
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return (type_ == "number" or value == int(value)) and abs(Decimal(str(value))) in numbers


def _clean(value: Any) -> Any:
    return fold(sanitize(value)) if isinstance(value, str) else value


def _numbers(text: str) -> Iterator[Decimal]:
    for token in _NUMBER.findall(text):
        if (value := read_number(token)) is not None:
            yield value
