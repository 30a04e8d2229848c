"""Browser steps of changedetection.io as ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from driftline.errors import UsageError
from driftline.model.browser.steps import (
    Check,
    Click,
    Evaluate,
    Fill,
    Goto,
    Press,
    Scroll,
    Select,
    Step,
    WaitFor,
)

_LEFT_OUT: Final = frozenset({"", "Choose one", "Goto site"})  # the page is open already


def steps_of(watch: Mapping[str, Any]) -> tuple[Step, ...]:
    """The steps of a watch, with its delay; raises UsageError for one that has no counterpart."""
    listed = watch.get("browser_steps")
    steps = [step for one in (listed if isinstance(listed, list) else ()) if (step := _step(one)) is not None]
    delay = watch.get("webdriver_delay")
    if isinstance(delay, int) and 0 < delay <= 60:
        steps.append(WaitFor(ms=delay * 1000, timeout_for=delay + 5.0))
    return tuple(steps)


def _step(entry: Any) -> Step | None:
    values = entry if isinstance(entry, dict) else {}
    operation = str(values.get("operation") or "").strip()
    on, value = (str(values.get(name) or "").strip() for name in ("selector", "optional_value"))
    on = on.removeprefix("xpath:") if on.startswith("xpath:/") else on
    match operation:
        case "Click element":
            return Click(on=on)
        case "Click element if exists":
            return Click(on=on, optional=True, timeout_for=3.0)
        case "Click element containing text":
            return Click(on=f"text={value}")
        case "Click element containing text if exists":
            return Click(on=f"text={value}", optional=True, timeout_for=3.0)
        case "Enter text in field":
            return Fill(on=on, value=value)
        case "Press Enter" | "Press Page Down" | "Press Page Up":
            return Press(key=operation.removeprefix("Press ").replace(" ", ""))
        case "Select by label" | "<select> by option text":
            return Select(on=on, value=value)
        case "Check checkbox":
            return Check(on=on)
        case "Wait for seconds" if value.isdigit() and int(value) <= 60:
            return WaitFor(ms=int(value) * 1000, timeout_for=int(value) + 5.0)
        case "Wait for text" | "Wait for text in element":
            return WaitFor(text=value)
        case "Scroll down":
            return Scroll()
        case "Goto URL":
            return Goto(url=value)
        case "Execute JS":
            return Evaluate(script=value)
        case _ if operation in _LEFT_OUT:
            return None
    raise UsageError("this step is not supported", step=operation[:80], hint="write it anew; see docs/steps.md")
