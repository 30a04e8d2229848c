"""The fields of a watch as texts: what a form holds and what `driftline set` takes, read into a watch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import UnionType
from typing import Any, Final, Union, get_args, get_origin

import msgspec

from driftline.core.answers.invalid_value import did_you_mean, invalid_value
from driftline.core.text.step_texts import read_steps
from driftline.engine.editing.watch_input import WatchInput
from driftline.errors import BadRule, BadSchedule, UsageError
from driftline.kinds.kind import AnyKind
from driftline.model.fetch import FetchOptions
from driftline.model.watch import Schedule
from driftline.policy.schedule.every import parse_every
from driftline.policy.schedule.windows import parse_window
from driftline.policy.tag_settings import OWN_FIELDS

Texts = Sequence[str]  # what was written for one field; none: back to the default
RULE: Final = "rules."  # in front of a rule whose name a field of the watch has too
ALIASES: Final[Mapping[str, str]] = {
    "address": "url",
    "tags": "tag",
    "headers": "header",
    "cookies": "cookie",
    "windows": "window",
    "steps": "step",
    "ignore": "ignore_text",
    "trigger": "trigger_text",
    "snapshots": "detailed_snapshots",
    "condition": "when",
}
_SNAPSHOTS: Final[Mapping[str, str]] = {"keep": "true", "none": "false", "yes": "true", "no": "false"}
_TRUE: Final = frozenset({"yes", "true", "on", "1"})
_FALSE: Final = frozenset({"no", "false", "off", "0", ""})


def with_field(watch_input: WatchInput, name: str, texts: Texts, kinds: Mapping[str, AnyKind]) -> WatchInput:
    """The watch with one field as the texts say; UsageError says what is wrong with them."""
    name = ALIASES.get(name, name)
    texts = [text.strip() for text in texts if text.strip()]
    if name in _FIELDS:
        field = "every" if name == "cron" else name
        own = {*watch_input.own} - {field} | ({field} if texts and field in OWN_FIELDS else set())
        return msgspec.structs.replace(_FIELDS[name](watch_input, texts), own=tuple(sorted(own)))
    kind = kinds.get(watch_input.kind)
    rule = name.removeprefix(RULE)
    types = rule_types(kind) if kind is not None else {}
    if rule not in types:
        raise BadRule(
            f'unknown field "{name}"', hint=did_you_mean(rule, [*_FIELDS, *ALIASES, *types]) or f"use one of: {_listed(types)}"
        )
    rules = {**watch_input.rules, rule: _rule(rule, types[rule], texts, kind)}
    return msgspec.structs.replace(watch_input, rules=rules if texts else _without(rules, rule))


def rule_types(kind: AnyKind) -> dict[str, Any]:
    """The kind's rules by name, with the type of each."""
    return {field.encode_name: field.type for field in msgspec.structs.fields(kind.rules)}


def is_list(type_: Any) -> bool:
    """Whether a rule takes several values."""
    return any(get_origin(one) is tuple for one in options_of(type_))


def options_of(type_: Any) -> tuple[Any, ...]:
    """The types of a union, the values of a literal; one type alone."""
    origin = get_origin(type_)
    return get_args(type_) if origin in (Union, UnionType) or str(origin) == "typing.Literal" else (type_,)


def _rule(name: str, type_: Any, texts: Texts, kind: Any) -> Any:
    """A rule's value; whether it fits is for `read_rules` to say, which knows all of them."""
    if not texts:
        return None
    options = options_of(type_)
    if bool in options and texts[0].lower() in _TRUE | _FALSE | _SNAPSHOTS.keys():
        return yes_or_no(name, [_SNAPSHOTS.get(texts[0].lower(), texts[0])])
    if is_list(type_):
        parts = [part.strip() for text in texts for part in (text.split(",") if _numbers(options) else [text])]
        return parts[0] if str in options and len(parts) == 1 and " " in parts[0] else _converted(name, type_, parts, kind)
    if len(texts) > 1:
        raise BadRule(f'"{name}" takes one value', hint="write it on one line")
    if texts[0].startswith("{"):
        try:
            return msgspec.json.decode(texts[0])
        except msgspec.DecodeError as error:
            raise BadRule(f'"{name}" is not valid JSON', problem=str(error)) from None
    return _converted(name, type_, texts[0], kind)


def _numbers(options: Sequence[Any]) -> bool:
    return any(get_origin(one) is tuple and int in get_args(one) for one in options)


def _converted(name: str, type_: Any, value: Any, kind: Any) -> Any:
    """Numbers and truths from their texts."""
    try:
        return msgspec.to_builtins(msgspec.convert({name: value}, msgspec.defstruct("One", [(name, type_)]), strict=False))[
            name
        ]
    except msgspec.ValidationError as error:
        message, hint = invalid_value(error, kind.rules, called="rule", hint="see docs/rules.md")
        raise BadRule(message, hint=hint) from None


def _without(rules: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in rules.items() if key != name}


def _listed(types: Mapping[str, Any]) -> str:
    return ", ".join([*_FIELDS, *types])


def _one(name: str, texts: Texts) -> str | None:
    if len(texts) > 1:
        raise UsageError(f'"{name}" takes one value', hint="give it once")
    return texts[0] if texts else None


def yes_or_no(name: str, texts: Texts) -> bool:
    """What a text says of a truth; nothing is no."""
    text = (_one(name, texts) or "").lower()
    if text not in _TRUE | _FALSE:
        raise UsageError(f'"{name}" must be yes or no')
    return text in _TRUE


def _pairs(name: str, texts: Texts, separator: str, form: str) -> dict[str, str]:
    pairs = {}
    for text in texts:
        key, found, value = text.partition(separator)
        if not found or not key.strip():
            raise UsageError(f'"{text}" is not a {name}', hint=f"write it as {form}")
        pairs[key.strip()] = value.strip()
    return pairs


def _cookies(texts: Texts) -> dict[str, str]:
    """One a line, or as a browser sends them: `a=1; b=2`."""
    return _pairs("cookie", [part.strip() for text in texts for part in text.split(";") if part.strip()], "=", "name=value")


def _url(watch_input: WatchInput, texts: Texts) -> WatchInput:
    return msgspec.structs.replace(watch_input, url=_one("url", texts) or "")


def _kind(watch_input: WatchInput, texts: Texts) -> WatchInput:
    return msgspec.structs.replace(watch_input, kind=_one("kind", texts) or watch_input.kind)


def _name(watch_input: WatchInput, texts: Texts) -> WatchInput:
    return msgspec.structs.replace(watch_input, name=_one("name", texts))


def _tags(watch_input: WatchInput, texts: Texts) -> WatchInput:
    tags = tuple(tag.strip() for text in texts for tag in text.split(",") if tag.strip())
    return msgspec.structs.replace(watch_input, tags=tags)


def _every(schedule: Schedule, texts: Texts) -> Schedule:
    text = _one("every", texts)
    every_for = parse_every(text) if text else Schedule().every_for
    return msgspec.structs.replace(schedule, every_for=every_for, cron=None if text else schedule.cron)


def _windows(schedule: Schedule, texts: Texts) -> Schedule:
    parts = [part for text in texts for part in text.split(";") if part.strip()]
    return msgspec.structs.replace(schedule, windows=tuple(parse_window(part) for part in parts))


def _cron(schedule: Schedule, texts: Texts) -> Schedule:
    return msgspec.structs.replace(schedule, cron=_one("cron", texts))


def _timezone(schedule: Schedule, texts: Texts) -> Schedule:
    return msgspec.structs.replace(schedule, timezone=_one("timezone", texts) or "UTC")


def _adaptive(schedule: Schedule, texts: Texts) -> Schedule:
    return msgspec.structs.replace(schedule, adaptive=yes_or_no("adaptive", texts))


def _method(fetch: FetchOptions, texts: Texts) -> FetchOptions:
    method = (_one("method", texts) or "GET").upper()
    if method not in ("GET", "POST", "HEAD"):
        raise UsageError(f'unknown method "{method}"', hint="use GET, POST or HEAD")
    return msgspec.structs.replace(fetch, method=msgspec.convert(method, _METHOD))


def _browser(fetch: FetchOptions, texts: Texts) -> FetchOptions:
    mode = (_one("browser", texts) or "auto").lower()
    if mode not in get_args(_BROWSER):
        raise UsageError(f'"{mode}" is no way to use the browser', hint="use auto, never or always")
    return msgspec.structs.replace(fetch, browser=msgspec.convert(mode, _BROWSER))


def _robots(fetch: FetchOptions, texts: Texts) -> FetchOptions:
    return msgspec.structs.replace(fetch, robots=yes_or_no("robots", texts) if texts else None)


def _timeout(fetch: FetchOptions, texts: Texts) -> FetchOptions:
    text = _one("timeout", texts)
    try:
        return msgspec.structs.replace(fetch, timeout_for=parse_every(text) if text else None)
    except BadSchedule:
        raise UsageError("invalid timeout", timeout=text, hint="write 30s or 2m") from None


def _of_schedule(change: Callable[[Schedule, Texts], Schedule]) -> Callable[[WatchInput, Texts], WatchInput]:
    return lambda watch_input, texts: msgspec.structs.replace(watch_input, schedule=change(watch_input.schedule, texts))


def _of_fetch(change: Callable[[FetchOptions, Texts], FetchOptions]) -> Callable[[WatchInput, Texts], WatchInput]:
    return lambda watch_input, texts: msgspec.structs.replace(watch_input, fetch=change(watch_input.fetch, texts))


_TYPES: Final = {field.name: field.type for field in msgspec.structs.fields(FetchOptions)}
_METHOD, _BROWSER = _TYPES["method"], _TYPES["browser"]
_FIELDS: Final[Mapping[str, Callable[[WatchInput, Texts], WatchInput]]] = {
    "url": _url,
    "kind": _kind,
    "name": _name,
    "tag": _tags,
    "every": _of_schedule(_every),
    "cron": _of_schedule(_cron),
    "timezone": _of_schedule(_timezone),
    "window": _of_schedule(_windows),
    "adaptive": _of_schedule(_adaptive),
    "header": _of_fetch(
        lambda fetch, texts: msgspec.structs.replace(fetch, headers=_pairs("header", texts, ":", "Name: value"))
    ),
    "cookie": _of_fetch(lambda fetch, texts: msgspec.structs.replace(fetch, cookies=_cookies(texts))),
    "method": _of_fetch(_method),
    "body": _of_fetch(lambda fetch, texts: msgspec.structs.replace(fetch, body="\n".join(texts) or None)),
    "proxy": _of_fetch(lambda fetch, texts: msgspec.structs.replace(fetch, proxy=_one("proxy", texts))),
    "when": lambda watch_input, texts: msgspec.structs.replace(watch_input, when=_one("when", texts) or ""),
    "intent": lambda watch_input, texts: msgspec.structs.replace(watch_input, intent=" ".join(texts)),
    "browser": _of_fetch(_browser),
    "wait_for": _of_fetch(lambda fetch, texts: msgspec.structs.replace(fetch, wait_for=_one("wait_for", texts))),
    "step": _of_fetch(lambda fetch, texts: msgspec.structs.replace(fetch, steps=read_steps(texts))),
    "session": _of_fetch(lambda fetch, texts: msgspec.structs.replace(fetch, session=_one("session", texts))),
    "timeout": _of_fetch(_timeout),
    "robots": _of_fetch(_robots),
}
FIELDS: Final = tuple(_FIELDS)  # of every watch, whatever its kind
