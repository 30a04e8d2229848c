"""What a watch is like with its tags: its own values first, then those of its tags in their order, then the defaults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec

from driftline.model.fetch import FetchOptions
from driftline.model.tag import Tag
from driftline.model.watch import OwnSettings, Schedule

S = TypeVar("S", Schedule, FetchOptions)

# Fields under the names that people write; the interval and the cron line are one, as only one of them holds.
_WRITTEN: Final[Mapping[str, str]] = {
    "every_for": "every",
    "cron": "every",
    "windows": "window",
    "headers": "header",
    "cookies": "cookie",
    "timeout_for": "timeout",
    "steps": "step",
}
OWN_FIELDS: Final = frozenset(
    _WRITTEN.get(name, name) for struct in (Schedule, FetchOptions) for name in struct.__struct_fields__
)


class Combined(msgspec.Struct, frozen=True, kw_only=True):
    """The values that hold, and which of them come from a tag."""

    schedule: Schedule
    fetch: FetchOptions
    rules: dict[str, Any]
    origins: Mapping[str, str]  # field or rule -> name of the tag; what is not in it is the watch's own, or the default


def combined(own: OwnSettings, kind: str, tags: Sequence[Tag]) -> Combined:
    """The watch's values over those of its tags; of two tags, the first wins."""
    origins: dict[str, str] = {}
    schedule = _over(own.schedule, [(tag.name, tag.settings.schedule) for tag in tags], own.own, origins)
    fetch = _over(own.fetch, [(tag.name, tag.settings.fetch) for tag in tags], own.own, origins)
    rules = dict(own.rules)
    for tag in tags:
        for name, value in tag.settings.rules.get(kind, {}).items():
            if name not in rules:
                rules[name] = value
                origins[f"rules.{name}"] = tag.name
    return Combined(schedule=schedule, fetch=fetch, rules=rules, origins=origins)


def kept_defaults(schedule: Schedule, fetch: FetchOptions, names: Sequence[str]) -> tuple[str, ...]:
    """Those of these fields whose default value has to be remembered: any other value says itself that it is set."""
    said = {*fields_set(schedule), *fields_set(fetch)}
    return tuple(sorted({name for name in names if name in OWN_FIELDS and name not in said}))


def _over(own: S, others: Sequence[tuple[str, S]], named: Sequence[str], origins: dict[str, str]) -> S:
    taken = {*fields_set(own), *named}
    values: dict[str, Any] = {}
    for tag, other in others:
        fresh = fields_set(other) - taken
        for name in other.__struct_fields__:
            value = getattr(other, name)
            if isinstance(value, dict) and value:  # headers and cookies: each of them for itself
                known = {**values.get(name, {}), **getattr(own, name)}
                if value.keys() - known.keys():
                    values[name] = {**value, **known}
                    origins.setdefault(_WRITTEN[name], tag)
            elif _WRITTEN.get(name, name) in fresh:
                values[name] = value
                origins[_WRITTEN.get(name, name)] = tag
        taken |= fresh
    return msgspec.structs.replace(own, **values) if values else own


def fields_set(one: Schedule | FetchOptions) -> set[str]:
    """The fields that differ from their defaults, under the names that people write."""
    plain = type(one)()
    names = [name for name in one.__struct_fields__ if getattr(one, name) != getattr(plain, name)]
    return {_WRITTEN.get(name, name) for name in names if not isinstance(getattr(one, name), dict)}
