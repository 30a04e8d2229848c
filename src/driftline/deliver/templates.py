"""Templates without logic: `{{name}}` is replaced once, and nothing else happens. Checked when they are saved."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from driftline.core.severity import worst
from driftline.deliver import wording
from driftline.errors import BadRule
from driftline.model.delivery import Letter

NAMES: Final[Mapping[str, str]] = {
    "headline": "what happened, in one line",
    "watch": "the watch's name; of a digest: how many there are",
    "url": "where the first change can be seen",
    "count": "how many changes the message tells",
    "severity": "the highest severity among them: low, medium or high",
    "changes": "every change, one a line",
    "at": "when it was written, on the user's clock",
    "user": "the user's name",
    "id": "the delivery's id, the same at every attempt",
}
LONGEST: Final = 10_000  # characters of a template

_NAME: Final = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")


def check(template: str, *, one_line: bool = False) -> None:
    """Raise BadRule for unknown names, braces that do not match, and line breaks where they could forge a header."""
    if len(template) > LONGEST:
        raise BadRule("template is too long", length=len(template), hint=f"at most {LONGEST} characters")
    if one_line and any(ord(letter) < 32 or letter in "\x7f\x85\u2028\u2029" for letter in template):
        raise BadRule("template holds a line break or control character", template=template, hint="keep it on one line")
    unknown = [name for name in _NAME.findall(template) if name not in NAMES]
    if unknown:
        raise BadRule("template holds an unknown name", name=unknown[0], hint=f"use {', '.join(NAMES)}")
    rest = _NAME.sub("", template)
    if "{{" in rest or "}}" in rest:
        raise BadRule(
            "template has braces that are not a name", template=template, hint="write {{headline}}; there is no logic"
        )


def check_json(template: str) -> None:
    """Raise BadRule for what is no JSON once its names stand inside strings."""
    check(template)
    try:
        msgspec.json.decode(_NAME.sub("x", template))
    except msgspec.DecodeError as error:
        raise BadRule("template is not JSON", problem=str(error), hint='write {"text": "{{headline}}"}') from None


def fill(template: str, values: Mapping[str, str], *, escape: Callable[[str], str] = str) -> str:
    """The template with its names replaced; what comes in is never read as a template again."""
    return _NAME.sub(lambda found: escape(values[found[1]]), template)


def fill_json(template: str, values: Mapping[str, str]) -> bytes:
    """The same inside JSON: values cannot leave the strings that they stand in."""
    return fill(template, values, escape=lambda value: msgspec.json.encode(value).decode()[1:-1]).encode()


def values(letter: Letter) -> dict[str, str]:
    """What a letter puts for each name."""
    changes = letter.changes
    return {
        "headline": wording.headline(letter),
        "watch": wording.about(letter),
        "url": changes[0].url if changes else "",
        "count": str(len(changes)),
        "severity": worst([change.severity for change in changes]),
        "changes": "\n".join(wording.one_line(change.headline) for change in changes),
        "at": wording.moment(letter.written_at, letter.user.timezone),
        "user": letter.user.name,
        "id": str(letter.id),
    }
