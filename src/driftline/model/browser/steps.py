"""Steps: what the browser does on a page before it is read."""

from __future__ import annotations

from typing import Any, ClassVar, Final

import msgspec

STEP_FOR: Final = 10.0  # seconds of one step, unless it says otherwise
MAX_STEP_FOR: Final = 120.0


class _Step(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="do"):
    """What every step has. `on` is a selector: CSS, `text=Accept`, `role=button[name="Accept"]` or XPath."""

    fields: ClassVar[tuple[str, ...]] = ()  # in the order of its text

    timeout_for: float = STEP_FOR  # seconds; then it failed
    optional: bool = False  # a failure does not end the check


class Goto(_Step, frozen=True, kw_only=True, tag="goto"):
    """Open another address of http or https."""

    fields: ClassVar[tuple[str, ...]] = ("url",)
    url: str


class Click(_Step, frozen=True, kw_only=True, tag="click"):
    """Click an element."""

    fields: ClassVar[tuple[str, ...]] = ("on",)
    on: str


class Fill(_Step, frozen=True, kw_only=True, tag="fill"):
    """Replace the text of a field; `{{secret:name}}` in it is a stored secret."""

    fields: ClassVar[tuple[str, ...]] = ("on", "value")
    on: str
    value: str


class Press(_Step, frozen=True, kw_only=True, tag="press"):
    """Press a key, such as Enter or Control+A, in an element or on the page."""

    fields: ClassVar[tuple[str, ...]] = ("key", "on")
    key: str
    on: str | None = None


class Select(_Step, frozen=True, kw_only=True, tag="select"):
    """Choose an entry of a list, by its value or label."""

    fields: ClassVar[tuple[str, ...]] = ("on", "value")
    on: str
    value: str


class Check(_Step, frozen=True, kw_only=True, tag="check"):
    """Tick a box."""

    fields: ClassVar[tuple[str, ...]] = ("on",)
    on: str


class Hover(_Step, frozen=True, kw_only=True, tag="hover"):
    """Move the pointer over an element."""

    fields: ClassVar[tuple[str, ...]] = ("on",)
    on: str


class Scroll(_Step, frozen=True, kw_only=True, tag="scroll"):
    """Scroll to an element, or to the end of the page as often as it grows, at most `times`."""

    fields: ClassVar[tuple[str, ...]] = ("on",)
    on: str | None = None
    times: int = 10


class WaitFor(_Step, frozen=True, kw_only=True, tag="wait_for"):
    """Wait until an element or a text is visible, or for so many milliseconds: one of the three."""

    fields: ClassVar[tuple[str, ...]] = ("on",)
    on: str | None = None
    text: str | None = None
    ms: int | None = None


class Dismiss(_Step, frozen=True, kw_only=True, tag="dismiss"):
    """Close a cookie banner, found by its role and words; nothing happens where there is none."""


class Frame(_Step, frozen=True, kw_only=True, tag="frame"):
    """Work inside a frame from here on; without `on`, on the page again."""

    fields: ClassVar[tuple[str, ...]] = ("on",)
    on: str | None = None


class Evaluate(_Step, frozen=True, kw_only=True, tag="evaluate"):
    """Run a script on the page, where the operator allows it."""

    fields: ClassVar[tuple[str, ...]] = ("script",)
    script: str


class Screenshot(_Step, frozen=True, kw_only=True, tag="screenshot"):
    """Take a picture, shown by `driftline steps`."""


class StopIf(_Step, frozen=True, kw_only=True, tag="stop_if"):
    """Leave out all further steps if an element or a text is there, such as the name of who is signed in."""

    fields: ClassVar[tuple[str, ...]] = ("on",)
    on: str | None = None
    text: str | None = None


Step = (
    Goto | Click | Fill | Press | Select | Check | Hover | Scroll | WaitFor | Dismiss | Frame | Evaluate | Screenshot | StopIf
)
STEPS: Final[dict[str, Any]] = {
    str(step.__struct_config__.tag): step
    for step in (
        Goto,
        Click,
        Fill,
        Press,
        Select,
        Check,
        Hover,
        Scroll,
        WaitFor,
        Dismiss,
        Frame,
        Evaluate,
        Screenshot,
        StopIf,
    )
}


class StepResult(msgspec.Struct, frozen=True, kw_only=True):
    """How one step went."""

    number: int  # from 1
    step: str  # as text, secrets by their names
    outcome: str  # done, stopped, skipped, left_out, failed
    sentence: str = ""  # why it failed
    took_for: float = 0.0  # seconds
    picture: bytes | None = None  # of a screenshot step, and of a failed one
