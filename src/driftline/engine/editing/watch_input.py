"""Turns a user's input into a checked watch; everything is validated before anything is stored."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

import msgspec

from driftline import extensions
from driftline.core.answers.invalid_value import invalid_value
from driftline.core.identity.urls import complete_url
from driftline.core.text.safety.placeholders import NAME
from driftline.core.text.step_texts import check_steps
from driftline.errors import BadRule, UsageError
from driftline.kinds.kind import EXPRESSIONS_AT_MOST, AnyKind, Explores, Rules
from driftline.model.fetch import CONNECTION_HEADERS, MAX_BODY_BYTES, MAX_TIMEOUT, FetchOptions
from driftline.model.operator_source import SCHEME
from driftline.model.watch import Schedule
from driftline.policy.conditions.checking import checked_condition
from driftline.policy.schedule.cadence import check_schedule
from driftline.policy.tag_settings import OWN_FIELDS, kept_defaults

_NAME_AT_MOST = 200
_LONGEST_WAIT_FOR = 500  # characters
_TAGS_AT_MOST = 100
_INTENT_AT_MOST = 500  # characters
_MAX_BYTES = 64 * 1024  # bytes of an input in JSON
_MAX_ENTRIES = 366  # entries of one list or mapping in the rules: a year's dates


class WatchInput(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A watch as given on the command line, in a file or in a request."""

    url: str
    kind: str = "page"
    name: str | None = None
    tags: tuple[str, ...] = ()
    rules: dict[str, Any] = {}
    fetch: FetchOptions = FetchOptions()
    schedule: Schedule = Schedule()
    when: str | dict[str, Any] = ""  # `price < 80`, or the same as a tree
    intent: str = ""
    own: tuple[str, ...] = ()  # fields that keep their default value, whatever the tags set: every, browser, ...
    paused: bool = False


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """A validated and normalized watch that can be stored."""

    url: str
    kind: str
    name: str
    tags: tuple[str, ...]
    rules: dict[str, Any]
    fetch: FetchOptions
    schedule: Schedule
    when: str
    intent: str
    own: tuple[str, ...] = ()
    paused: bool


def watch_address(url: str) -> str:
    """The address of a watch in normal form. Only here a scheme of an extension counts: no page leads to one."""
    return complete_url(url, has_fetcher=lambda scheme: scheme == SCHEME or extensions.is_usable(extensions.FETCHERS, scheme))


def draft_of(watch_input: WatchInput, kinds: Mapping[str, AnyKind], *, at: datetime) -> Draft:
    """The validated watch; raises BadUrl, BadRule or BadSchedule with what to correct."""
    url = watch_address(watch_input.url)
    if len(msgspec.json.encode(watch_input)) > _MAX_BYTES:
        raise UsageError("the watch is too large", url=url, hint=f"{_MAX_BYTES // 1024} KiB at most, with rules and headers")
    kind = kinds.get(watch_input.kind)
    if kind is None:
        raise UsageError("unknown kind", kind=watch_input.kind, hint=f"use one of: {', '.join(sorted(kinds))}")
    rules = read_rules(kind, watch_input.rules)
    check_amount(rules)
    if isinstance(kind, Explores):
        check_amount(read_rules(kinds[kind.child_kind], kind.child_rules(rules)))
    check_schedule(watch_input.schedule, at=at)
    _check_fetch(watch_input.fetch)
    name = " ".join((watch_input.name or _default_name(url)).split())
    if not name or len(name) > _NAME_AT_MOST:
        raise UsageError("invalid name", length=len(name), hint=f"use 1 to {_NAME_AT_MOST} characters")
    if unknown := next((name for name in watch_input.own if name not in OWN_FIELDS), None):
        raise UsageError(f'unknown field "{unknown}"', hint=f"use one of: {', '.join(sorted(OWN_FIELDS))}")
    tags = tuple(dict.fromkeys(tag.strip() for tag in watch_input.tags if tag.strip()))
    if len(tags) > _TAGS_AT_MOST or any(len(tag) > _NAME_AT_MOST for tag in tags):
        raise UsageError("invalid tags", url=url, hint=f"{_TAGS_AT_MOST} at most, of {_NAME_AT_MOST} characters")
    return Draft(
        url=url,
        kind=watch_input.kind,
        name=name,
        tags=tags,
        rules=_stored_rules(rules, watch_input.rules),
        fetch=watch_input.fetch,
        schedule=watch_input.schedule,
        when=checked_condition(watch_input.when, (kind.traits.subject,)),
        intent=checked_intent(watch_input.intent),
        own=kept_defaults(watch_input.schedule, watch_input.fetch, watch_input.own),
        paused=watch_input.paused,
    )


def checked_intent(text: str) -> str:
    """The sentence on one line."""
    intent = " ".join(text.split())
    if len(intent) > _INTENT_AT_MOST or not intent.isprintable():
        raise UsageError("invalid intent", length=len(intent), hint=f"one sentence of at most {_INTENT_AT_MOST} characters")
    return intent


def input_of_draft(draft: Draft) -> WatchInput:
    """The draft as it was given."""
    return WatchInput(**{name: getattr(draft, name) for name in draft.__struct_fields__})


def read_rules(kind: AnyKind, values: Mapping[str, Any]) -> Rules:
    """The kind's rules from plain values; unknown fields, wrong types and invalid expressions are refused."""
    if crowded := next((name for name, value in values.items() if _too_many(value)), None):
        raise BadRule("this rule has too many entries", rule=crowded, hint=f"{_MAX_ENTRIES} at most")
    try:
        rules: Rules = msgspec.convert(dict(values), kind.rules)
    except msgspec.ValidationError as error:
        message, hint = invalid_value(error, kind.rules, called="rule", hint="see docs/rules.md")
        raise BadRule(message, hint=hint) from None
    kind.check_rules(rules)
    return rules


def check_amount(rules: Rules) -> None:
    """Refuse more expressions than can be evaluated in reasonable time; watches stored with more still work."""
    for what, texts in (("selectors", rules.selectors()), ("text patterns", rules.patterns())):
        if len(texts) > EXPRESSIONS_AT_MOST:
            raise BadRule(f"Too many {what}", count=len(texts), hint=f"{EXPRESSIONS_AT_MOST} at most")


def _too_many(value: object) -> bool:
    if isinstance(value, Mapping):
        return len(value) > _MAX_ENTRIES or any(map(_too_many, value.values()))
    return isinstance(value, list | tuple) and len(value) > _MAX_ENTRIES


def _stored_rules(rules: Rules, given: Mapping[str, Any]) -> dict[str, Any]:
    """The rules to store: values that differ from the defaults, and all that were given explicitly."""
    plain: dict[str, Any] = msgspec.to_builtins(rules)
    return plain | {name: msgspec.to_builtins(getattr(rules, name)) for name in given}


def _check_fetch(fetch: FetchOptions) -> None:
    """Refuse headers and cookies that would break the request, and limits out of range."""
    if fetch.timeout_for is not None and not 0 < fetch.timeout_for <= MAX_TIMEOUT:
        raise UsageError("timeout_for is out of range", timeout_for=fetch.timeout_for, hint=f"at most {MAX_TIMEOUT:g} seconds")
    if fetch.max_bytes is not None and not 0 < fetch.max_bytes <= MAX_BODY_BYTES:
        raise UsageError("max_bytes is out of range", max_bytes=fetch.max_bytes, hint=f"at most {MAX_BODY_BYTES:,} bytes")
    if fetch.wait_for is not None and not 0 < len(fetch.wait_for) <= _LONGEST_WAIT_FOR:
        raise UsageError(
            "wait_for is out of range", hint=f"a CSS selector or text=..., of {_LONGEST_WAIT_FOR} characters at most"
        )
    check_steps(fetch.steps)
    if fetch.session is not None and NAME.fullmatch(fetch.session) is None:
        raise UsageError("invalid name of a session", session=fetch.session[:80], hint="driftline session list shows the names")
    if fetch.browser == "never" and (fetch.steps or fetch.session):
        raise UsageError("steps and sessions need the browser", hint="set browser to auto or always")
    if fetch.method != "GET" and (fetch.steps or fetch.session):
        raise UsageError("steps and sessions need the method GET", method=fetch.method, hint="the browser opens pages")
    for name, value in (*fetch.headers.items(), *fetch.cookies.items()):
        if not name or any(ord(letter) < 32 or letter == "\x7f" for letter in name + value) or ":" in name or " " in name:
            raise UsageError("invalid header or cookie", name=name, hint="no line breaks, no colon or space in the name")
    if ours := next((name for name in fetch.headers if name.lower() in CONNECTION_HEADERS), None):
        raise UsageError("this request header cannot be set", header=ours, hint="leave it out")


def _default_name(url: str) -> str:
    """A readable name made from the URL."""
    parts = urlsplit(url)
    path = parts.path.strip("/")
    name = parts.netloc.removeprefix("www.")
    return (f"{name}/{path}" if path else name)[:_NAME_AT_MOST]
