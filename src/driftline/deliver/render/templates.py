"""Templates without logic: `{{name}}` is replaced once. Checked when they are saved."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from driftline.core.identity.severity import worst
from driftline.deliver.render import wording
from driftline.errors import BadRule
from driftline.model.delivery import Message

NAMES: Final[Mapping[str, str]] = {
    "headline": "what happened, in one line",
    "watch": "the watch's name; of a digest: how many there are",
    "url": "where the first change can be seen",
    "count": "how many changes the message has",
    "severity": "the highest severity among them: low, medium or high",
    "changes": "every change, one per line",
    "at": "when it was written, in the user's time zone",
    "user": "the user's name",
    "id": "the delivery's id, the same at every attempt",
}
MAX_LENGTH: Final = 10_000  # characters

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


def values(message: Message) -> dict[str, str]:
    """The value of each name for a message."""
    changes = message.changes
    return {
        "headline": wording.headline(message),
        "watch": wording.about(message),
        "url": changes[0].url if changes else "",
        "count": str(len(changes)),
        "severity": worst([change.severity for change in changes]),
        "changes": "\n".join(line for section in message.sections for line in wording.lines(section)),
        "at": wording.moment(message.written_at, message.user.timezone),
        "user": message.user.name,
        "id": str(message.id),
    }
