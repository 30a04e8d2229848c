"""Templates without logic: `{{name}}` is replaced once. Checked when they are saved."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from driftline.core.identity.severity import worst
from driftline.deliver.render import wording
from driftline.deliver.render.excerpt import ExcerptLine, excerpt
from driftline.errors import BadRule
from driftline.model.change import Change
from driftline.model.delivery import Message

NAMES: Final[Mapping[str, str]] = {
    "headline": "what happened, in one line",
    "watch": "the watch's name; of a digest: how many there are",
    "url": "where the first change can be seen",
    "count": "how many changes the message has",
    "severity": "the highest severity among them: low, medium or high",
    "changes": "every change, one per line",
    "diff": "the lines that went (-) and came (+), at most 40",
    "before": "the first change before: its price, or the lines that went",
    "after": "the first change after: its price, or the lines that came",
    "summary": "what the changes are, counted by type; of an article its summary",
    "at": "when it was written, in the user's time zone",
    "user": "the user's name",
    "id": "the delivery's id, the same at every attempt",
}
MAX_LENGTH: Final = 10_000  # characters
_LINES_AT_MOST: Final = 40

_NAME: Final = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")


def check(template: str, *, one_line: bool = False) -> None:
    """Raise BadRule for unknown names, unmatched braces, and line breaks that could forge a header."""
    if len(template) > MAX_LENGTH:
        raise BadRule("the template is too long", length=len(template), hint=f"at most {MAX_LENGTH} characters")
    if one_line and any(ord(letter) < 32 or letter in "\x7f\x85\u2028\u2029" for letter in template):
        raise BadRule("the template holds a line break or control character", template=template, hint="keep it on one line")
    unknown = [name for name in _NAME.findall(template) if name not in NAMES]
    if unknown:
        raise BadRule("the template holds an unknown name", name=unknown[0], hint=f"use {', '.join(NAMES)}")
    rest = _NAME.sub("", template)
    if "{{" in rest or "}}" in rest:
        raise BadRule("the template has braces without a name", template=template, hint="write {{headline}}")


def check_json(template: str) -> None:
    """Raise BadRule for a template that is not JSON with its names inside strings."""
    check(template)
    try:
        msgspec.json.decode(_NAME.sub("x", template))
    except msgspec.DecodeError as error:
        raise BadRule("the template is not JSON", problem=str(error), hint='write {"text": "{{headline}}"}') from None


def fill(template: str, values: Mapping[str, str], *, escape: Callable[[str], str] = str) -> str:
    """The template with its names replaced; inserted values are never read as a template."""
    return _NAME.sub(lambda found: escape(values[found[1]]), template)


def fill_json(template: str, values: Mapping[str, str]) -> bytes:
    """The same inside JSON: values cannot leave their strings."""
    return fill(template, values, escape=lambda value: msgspec.json.encode(value).decode()[1:-1]).encode()


class MessageValues(Mapping[str, str]):
    """The value of each name for a message, made when a template asks for it."""

    def __init__(self, message: Message) -> None:
        self._message = message

    def __getitem__(self, name: str) -> str:
        return _VALUES[name](self._message)

    def __iter__(self) -> Iterator[str]:
        return iter(_VALUES)

    def __len__(self) -> int:
        return len(_VALUES)


def _diff_lines(changes: Sequence[Change]) -> list[ExcerptLine]:
    return [line for change in changes for line in excerpt(change, _LINES_AT_MOST)[0]][:_LINES_AT_MOST]


def _side(changes: Sequence[Change], sign: str) -> str:
    """One side of the first change."""
    if not changes:
        return ""
    if (moved := wording.prices(changes[0])) is not None:
        return moved[sign == "+"]
    return "\n".join(line.text for line in excerpt(changes[0], _LINES_AT_MOST)[0] if line.sign == sign)


def _summary(changes: Sequence[Change]) -> str:
    written = [text for change in changes if isinstance(text := (change.after or {}).get("summary"), str) and text]
    return "\n".join(written) or wording.count_text(changes)


_VALUES: Final[Mapping[str, Callable[[Message], str]]] = {
    "headline": wording.headline,
    "watch": wording.about,
    "url": lambda message: message.changes[0].url if message.changes else "",
    "count": lambda message: str(len(message.changes)),
    "severity": lambda message: worst([change.severity for change in message.changes]),
    "changes": lambda message: "\n".join(line for section in message.sections for line in wording.lines(section)),
    "diff": lambda message: "\n".join(f"{line.sign} {line.text}" for line in _diff_lines(message.changes)),
    "before": lambda message: _side(message.changes, "-"),
    "after": lambda message: _side(message.changes, "+"),
    "summary": lambda message: _summary(message.changes),
    "at": lambda message: wording.moment(message.written_at, message.user.timezone),
    "user": lambda message: message.user.name,
    "id": lambda message: str(message.id),
}
