"""The fields of a watch written out as texts: what a form shows, and what there is to choose from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args, get_origin

import msgspec

from driftline.core.text.step_texts import step_text
from driftline.engine.editing.watch_fields import RULE, options_of
from driftline.engine.editing.watch_input import WatchInput
from driftline.policy.conditions.written import condition_from, written
from driftline.policy.schedule.every import every_text
from driftline.policy.schedule.windows import window_text
from driftline.policy.tag_settings import fields_set


def texts_of(watch_input: WatchInput, name: str) -> list[str]:
    """A field as it would be written: one text a value, none where the watch does not set it."""
    schedule, fetch = watch_input.schedule, watch_input.fetch
    set_fields = {*fields_set(schedule), *fields_set(fetch), *watch_input.own}
    says = set_fields.__contains__
    plain: dict[str, Sequence[str | None]] = {
        "url": [watch_input.url],
        "kind": [watch_input.kind],
        "name": [watch_input.name],
        "tag": watch_input.tags,
        "every": [] if schedule.cron or not says("every") else [every_text(schedule.every_for)],
        "cron": [schedule.cron],
        "timezone": [schedule.timezone] if says("timezone") else [],
        "window": [window_text(window) for window in schedule.windows],
        "adaptive": ["yes" if schedule.adaptive else "no"] if says("adaptive") else [],
        "when": [_condition(watch_input.when)],
        "intent": [watch_input.intent],
        "header": [f"{key}: {value}" for key, value in fetch.headers.items()],
        "cookie": [f"{key}={value}" for key, value in fetch.cookies.items()],
        "method": [fetch.method] if says("method") else [],
        "body": [fetch.body],
        "proxy": [fetch.proxy],
        "browser": [fetch.browser] if says("browser") else [],
        "wait_for": [fetch.wait_for],
        "step": [step_text(step) for step in fetch.steps],
        "session": [fetch.session],
        "timeout": [every_text(fetch.timeout_for) if fetch.timeout_for else None],
        "robots": [None if fetch.robots is None else "yes" if fetch.robots else "no"],
    }
    if name in plain:
        return [text for text in plain[name] if text]
    value = watch_input.rules.get(name.removeprefix(RULE))
    values = value if isinstance(value, list | tuple) else [] if value is None else [value]
    return [_text(one) for one in values]


def _condition(value: str | dict[str, Any]) -> str:
    return value if isinstance(value, str) else written(condition_from(value))


def _text(value: Any) -> str:
    """A rule's value as it is written."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def type_name(type_: Any) -> str:
    """A type as people read it: `text`, `list of texts`, `yes or no`."""
    simple = {str: "text", int: "whole number", float: "number", bool: "yes or no"}
    options = [one for one in options_of(type_) if one is not type(None)]
    if len(options) > 1 and not all(isinstance(one, type) or get_origin(one) for one in options):
        return " or ".join(str(one) for one in options)
    names = []
    for one in options:
        if get_origin(one) is tuple:
            names.append(f"list of {type_name(get_args(one)[0])}s")
        elif isinstance(one, type) and issubclass(one, msgspec.Struct):
            names.append(f"object with {', '.join(field.encode_name for field in msgspec.structs.fields(one))}")
        else:
            names.append(simple.get(one, str(one)))
    return " or ".join(dict.fromkeys(names))
