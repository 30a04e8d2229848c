"""A watch from what a person wrote: everything is checked before anything is stored."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

import msgspec

from driftline.core.urls import checked
from driftline.errors import BadRule, UsageError
from driftline.kinds.kind import AnyKind, Rules
from driftline.model.fetch import FetchOptions
from driftline.model.watch import Schedule
from driftline.policy.cadence import check_schedule

_NAME_AT_MOST = 200


class Wish(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A watch as a person writes it: on the command line, in a file, in a request."""

    url: str
    kind: str = "page"
    name: str | None = None
    tags: tuple[str, ...] = ()
    rules: dict[str, Any] = {}
    fetch: FetchOptions = FetchOptions()
    schedule: Schedule = Schedule()
    paused: bool = False


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """A wish that can be granted: normal form, checked."""

    url: str
    kind: str
    name: str
    tags: tuple[str, ...]
    rules: dict[str, Any]
    fetch: FetchOptions
    schedule: Schedule
    paused: bool


def drafted(wish: Wish, kinds: Mapping[str, AnyKind], *, at: datetime) -> Draft:
    """The wish in normal form; BadUrl, BadRule or BadSchedule say what to mend."""
    url = checked(wish.url)
    kind = kinds.get(wish.kind)
    if kind is None:
        raise UsageError("no such kind", kind=wish.kind, hint=f"use one of: {', '.join(sorted(kinds))}")
    rules = read_rules(kind, wish.rules)
    check_schedule(wish.schedule, at=at)
    _check_fetch(wish.fetch)
    name = " ".join((wish.name or _named_after(url)).split())
    if not name or len(name) > _NAME_AT_MOST:
        raise UsageError("name does not fit", length=len(name), hint=f"use 1 to {_NAME_AT_MOST} characters")
    return Draft(
        url=url,
        kind=wish.kind,
        name=name,
        tags=tuple(dict.fromkeys(tag.strip() for tag in wish.tags if tag.strip())),
        rules=_said(rules, wish.rules),
        fetch=wish.fetch,
        schedule=wish.schedule,
        paused=wish.paused,
    )


def read_rules(kind: AnyKind, values: Mapping[str, Any]) -> Rules:
    """The kind's rules from plain values; unknown fields, wrong types and what does not parse are refused."""
    try:
        rules: Rules = msgspec.convert(dict(values), kind.rules)
    except msgspec.ValidationError as error:
        raise BadRule("rules do not fit the kind", kind=kind.name, problem=str(error), hint="see docs/rules.md") from None
    kind.check_rules(rules)
    return rules


def _said(rules: Rules, wished: Mapping[str, Any]) -> dict[str, Any]:
    """The rules as they are stored: what differs from the usual, and what was said although it is usual."""
    plain: dict[str, Any] = msgspec.to_builtins(rules)
    return plain | {name: msgspec.to_builtins(getattr(rules, name)) for name in wished}


def _check_fetch(fetch: FetchOptions) -> None:
    """Headers and cookies that would break out of a request are refused."""
    for name, value in (*fetch.headers.items(), *fetch.cookies.items()):
        if not name or any(ord(letter) < 32 or letter == "\x7f" for letter in name + value) or ":" in name or " " in name:
            raise UsageError("header or cookie is not valid", name=name, hint="no line breaks, no colon or space in the name")


def _named_after(url: str) -> str:
    """A name for people, from the URL alone."""
    parts = urlsplit(url)
    path = parts.path.strip("/")
    name = parts.netloc.removeprefix("www.")
    return (f"{name}/{path}" if path else name)[:_NAME_AT_MOST]
