"""Steps as texts, one a line: `fill #name with Ada`, `click text=Sign in`; what forms hold and `driftline set` takes."""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

from driftline.core.answers.invalid_value import did_you_mean, invalid_value
from driftline.errors import BadRule
from driftline.model.browser.steps import MAX_STEP_FOR, STEP_FOR, STEPS, Fill, Press, Scroll, Select, Step, StopIf, WaitFor

STEPS_AT_MOST: Final = 100
_LONGEST: Final = 4_000  # characters of one value
_OPTIONAL: Final = "try "  # in front of a step that may fail
_WITHIN: Final = re.compile(r" within (?P<seconds>\d{1,3}(?:\.\d)?)s$")
_MS: Final = re.compile(r"(?P<ms>\d{1,6}) ?ms")
_FORMS: Final = {
    "goto": "goto URL",
    "click": "click SELECTOR",
    "fill": "fill SELECTOR with TEXT",
    "press": "press KEY [in SELECTOR]",
    "select": "select VALUE in SELECTOR",
    "check": "check SELECTOR",
    "hover": "hover SELECTOR",
    "scroll": "scroll [to SELECTOR]",
    "wait_for": "wait_for SELECTOR, wait_for text TEXT or wait_for 500 ms",
    "dismiss": "dismiss",
    "frame": "frame [SELECTOR]",
    "evaluate": "evaluate SCRIPT",
    "screenshot": "screenshot",
    "stop_if": "stop_if SELECTOR or stop_if text TEXT",
}


def read_step(text: str) -> Step:
    """The step that a line describes; raises BadRule with the form that was probably meant."""
    line = text.strip()
    if line.startswith("{"):
        return _converted(_json(line))
    optional = line.startswith(_OPTIONAL)
    line = line.removeprefix(_OPTIONAL).strip() if optional else line
    name, _, rest = line.partition(" ")
    if name not in STEPS:
        raise BadRule(f'unknown step "{name[:40]}"', hint=did_you_mean(name, STEPS) or f"use one of: {', '.join(STEPS)}")
    more: dict[str, Any] = {"optional": True} if optional else {}
    if (within := _WITHIN.search(rest)) is not None:
        more["timeout_for"] = float(within["seconds"])
        rest = rest[: within.start()]
    values = _values(name, rest.strip())
    if values is None:
        raise BadRule(f'"{line[:80]}" is not a whole step', hint=f"write it as: {_FORMS[name]}")
    return _converted({"do": name, **values, **more})


def _values(name: str, rest: str) -> dict[str, Any] | None:
    """The fields in the text after a step's name; None if one is missing."""
    match name:
        case "dismiss" | "screenshot":
            return None if rest else {}
        case "fill":
            on, found, value = rest.partition(" with ")
            return {"on": on.strip(), "value": value.strip()} if found and on.strip() else None
        case "select":
            value, found, on = rest.rpartition(" in ")
            return {"on": on.strip(), "value": value.strip()} if found and on.strip() and value.strip() else None
        case "press":
            key, found, on = rest.partition(" in ")
            return ({"key": key.strip()} | ({"on": on.strip()} if found else {})) if key.strip() else None
        case "scroll":
            on = rest.removeprefix("to ").strip()
            return {"on": on} if on and on != "end" else {}
        case "frame":
            return {"on": rest} if rest else {}
        case "wait_for" | "stop_if":
            if name == "wait_for" and (ms := _MS.fullmatch(rest)) is not None:
                return {"ms": int(ms["ms"])}
            if rest.startswith("text "):
                return {"text": rest.removeprefix("text ").strip()}
            return {"on": rest} if rest else None
        case "goto":
            return {"url": rest} if rest else None
        case "evaluate":
            return {"script": rest} if rest else None
    return {"on": rest} if rest else None


def _json(line: str) -> Any:
    try:
        return msgspec.json.decode(line)
    except msgspec.DecodeError as error:
        raise BadRule("this step is not valid JSON", problem=str(error)) from None


def _converted(value: Any) -> Step:
    name = value.get("do") if isinstance(value, dict) else None
    if name not in STEPS:
        raise BadRule(f'unknown step "{str(name)[:40]}"', hint=did_you_mean(str(name), STEPS) or "see docs/steps.md")
    try:
        step: Step = msgspec.convert(value, type=STEPS[name])
    except msgspec.ValidationError as error:
        message, hint = invalid_value(error, STEPS[name], called=f"field of {name}", hint=f"write it as: {_FORMS[name]}")
        raise BadRule(message, hint=hint) from None
    return step


def read_steps(values: object) -> tuple[Step, ...]:
    """Steps from plain values: texts, or objects with `do`."""
    if not isinstance(values, list | tuple):
        raise BadRule("steps must be a list", hint="one step an entry; see docs/steps.md")
    return tuple(read_step(one) if isinstance(one, str) else _converted(one) for one in values)


def step_text(step: Step) -> str:
    """A step as it is written; as JSON where a line cannot say it."""
    text = _line(step)
    try:
        plain = "\n" not in text and read_step(text) == step
    except BadRule:
        plain = False
    return text if plain else msgspec.json.encode(step).decode()


def _line(step: Step) -> str:
    name = str(step.__struct_config__.tag)
    match step:
        case Fill(on=on, value=value):
            rest = f"{on} with {value}"
        case Select(on=on, value=value):
            rest = f"{value} in {on}"
        case Press(key=key, on=on):
            rest = f"{key} in {on}" if on else key
        case Scroll(on=on):
            rest = f"to {on}" if on else ""
        case WaitFor() | StopIf():
            ms = getattr(step, "ms", None)
            rest = f"{ms} ms" if ms is not None else f"text {step.text}" if step.text is not None else step.on or ""
        case _:
            rest = " ".join(str(getattr(step, field)) for field in step.fields if getattr(step, field) is not None)
    within = "" if step.timeout_for == STEP_FOR else f" within {step.timeout_for:g}s"
    return f"{_OPTIONAL if step.optional else ''}{name}{' ' if rest else ''}{rest}{within}"


def check_steps(steps: tuple[Step, ...]) -> None:
    """Refuse what types cannot: too many, too long, without a target, deadlines out of range."""
    if len(steps) > STEPS_AT_MOST:
        raise BadRule("too many steps", count=len(steps), hint=f"{STEPS_AT_MOST} at most")
    for number, step in enumerate(steps, start=1):
        name = str(step.__struct_config__.tag)
        texts = [value for field in step.__struct_fields__ if isinstance(value := getattr(step, field), str)]
        if any(len(text) > _LONGEST for text in texts):
            raise BadRule(f"step {number} is too long", hint=f"{_LONGEST} characters at most")
        if not 0 < step.timeout_for <= MAX_STEP_FOR:
            raise BadRule(f"step {number}: timeout_for is out of range", hint=f"at most {MAX_STEP_FOR:g} seconds")
        if isinstance(step, WaitFor | StopIf):
            given = [one for one in (step.on, step.text, getattr(step, "ms", None)) if one is not None]
            if len(given) != 1:
                raise BadRule(f"step {number}: {name} needs one target", hint=f"write it as: {_FORMS[name]}")
        elif any(not text.strip() for text in texts if not (isinstance(step, Fill) and text == step.value)):
            raise BadRule(f"step {number}: {name} has an empty value", hint=f"write it as: {_FORMS[name]}")
