"""Explains a value of the wrong type to users: which one, what it must be, and the name that was probably meant."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, Final, NamedTuple, get_args

import msgspec

_UNKNOWN: Final = re.compile(r"Object contains unknown field `(?P<name>[^`]*)`(?: - at `\$\.?(?P<path>.*)`)?")
_MISSING: Final = re.compile(r"Object missing required field `(?P<name>[^`]*)`(?: - at `\$\.?(?P<path>.*)`)?")
_TYPE: Final = re.compile(
    r"Expected `(?P<type>[^`]*)`(?P<bound>[^`]*?)(?:, got `(?P<got>[^`]*)`)?(?: - at `\$\.?(?P<path>.*)`)?"
)
_UNQUOTED: Final = frozenset({"int", "float", "bool", "date", "datetime"})  # types that YAML gives to text without quotes
_TYPES: Final = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "empty",
    "datetime": "a time such as 2026-01-31T08:00Z",
    "date": "a date such as 2026-01-31",
    "time": "a time such as 08:00",
    "uuid": "an id",
    "decimal": "a number",
}


class InvalidValue(NamedTuple):
    """What is wrong, and what to do about it."""

    message: str
    hint: str


def invalid_value(error: Exception, type_: Any, *, called: str, hint: str) -> InvalidValue:
    """The explanation of a msgspec error for a `type_`; `called` names its fields for users: a rule, a setting."""
    text = str(error)
    if (unknown := _UNKNOWN.fullmatch(text)) is not None:
        names = _names(type_, unknown["path"] or "")
        return InvalidValue(f'unknown {called} "{unknown["name"]}"', did_you_mean(unknown["name"], names) or hint)
    if (missing := _MISSING.fullmatch(text)) is not None:
        return InvalidValue(f'missing {called} "{missing["name"]}"', hint)
    if (typed := _TYPE.fullmatch(text)) is not None and typed["path"]:
        expected = " or ".join(dict.fromkeys(_TYPES.get(name.strip(), name.strip()) for name in typed["type"].split("|")))
        if typed["type"] == "str" and typed["got"] in _UNQUOTED:
            hint = 'quote it, as in "20:30"'
        return InvalidValue(f"invalid {called} {typed['path']}: must be {expected}{typed['bound']}", hint)
    return InvalidValue(f"invalid {called} ({text})", hint)


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """`Did you mean "ignore_text"?`, or an empty text if no name is close."""
    near = get_close_matches(name, list(names), n=1)
    return f'Did you mean "{near[0]}"?' if near else ""


def _names(type_: Any, path: str) -> tuple[str, ...]:
    """The fields of a struct, or of the struct at a path inside it."""
    for step in filter(None, re.split(r"[.\[]", path)):
        if not _is_struct(type_):
            return ()
        fields = {field.encode_name: field.type for field in msgspec.structs.fields(type_)}
        type_ = next((one for one in (fields.get(step), *get_args(fields.get(step))) if _is_struct(one)), None)
    return tuple(field.encode_name for field in msgspec.structs.fields(type_)) if _is_struct(type_) else ()


def _is_struct(type_: Any) -> bool:
    return isinstance(type_, type) and issubclass(type_, msgspec.Struct)
