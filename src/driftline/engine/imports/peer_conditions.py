"""Conditions of changedetection.io, in our words: what it compares, and which types of changes it reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from driftline.core.commerce.amounts import canonical
from driftline.model.condition import Compared, Measure
from driftline.policy.conditions.written import parse_condition, stored_condition, written

_SIGNS: Final = {">": ">", ">=": ">=", "<": "<", "<=": "<=", "==": "=", "!=": "!="}
_MEASURES: Final = {
    "price": "price",
    "restock.price": "price",
    "extracted_number": "number /.*/",
}
_SIDES: Final = (("filter_text_added", "added"), ("filter_text_removed", "removed"))


def condition_of(watch: Mapping[str, Any]) -> str:
    """The condition of an entry of its datastore; empty where it has none that can be said here."""
    rules = [text for text, _ in map(_rule, _rules(watch)) if text]
    word = " or " if watch.get("conditions_match_logic") == "ANY" else " and "
    joined = word.join(f"({text})" if len(rules) > 1 and " " in text else text for text in rules)
    sides = _sides(watch)
    return written(parse_condition(" and ".join(f"({part})" for part in (joined, sides) if part))) if joined or sides else ""


def condition_left_out(watch: Mapping[str, Any]) -> Iterator[str]:
    """Its conditions without a counterpart here."""
    left = [problem for _, problem in map(_rule, _rules(watch)) if problem]
    if left:
        yield f"conditions ({', '.join(left)})"


def _rules(watch: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    rules = watch.get("conditions")
    return [rule for rule in rules if isinstance(rule, dict)] if isinstance(rules, list) else []


def _rule(rule: Mapping[str, Any]) -> tuple[str, str]:
    """One comparison as a condition, or what it was."""
    field, operator, value = (str(rule.get(name) or "").strip() for name in ("field", "operator", "value"))
    if not field or field == "None":
        return "", ""
    sign = _SIGNS.get(operator)
    if (measure := _MEASURES.get(field)) and sign and (number := _number(value)) is not None:
        return f"{measure} {sign} {number}", ""
    if field == "page_filtered_text" and operator.lstrip("!") in ("in", "contains_regex") and value:
        text = f"/{value.replace('/', chr(92) + '/')}/" if "regex" in operator else value
        occurs = Compared(what=Measure(of="count", text=text), op="=" if operator.startswith("!") else ">", value=Decimal(0))
        if stored_condition(written(occurs)) == occurs:
            return written(occurs), ""
    return "", f"{field} {operator}"


def _sides(watch: Mapping[str, Any]) -> str:
    """Only additions, or only removals; changed lines are both."""
    wanted = [word for name, word in _SIDES if watch.get(name) is not False]
    if len(wanted) == len(_SIDES) or (watch.get("filter_text_replaced") is True and not wanted):
        return ""
    return wanted[0] if wanted else ""


def _number(value: str) -> str | None:
    try:
        return canonical(Decimal(value)) if Decimal(value) >= 0 else None
    except (InvalidOperation, ValueError):
        return None
