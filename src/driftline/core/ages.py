"""How long ago something was, told until it is a day or a week old, and as a date from then on."""

from __future__ import annotations

from typing import Final

from driftline.core import dates
from driftline.core.later import later
from driftline.core.noise import PLACEHOLDER, SET_TIME, canonical, explain
from driftline.core.text import composed

_LONGEST: Final = 200  # characters of a line with such a time in it
_SHORT: Final = later(r"(?<![\w.,:])\d{1,2}\s?(?:m|mins?|h|hrs?|d|w)\.?(?!\w)")
_DATE: Final = later(
    rf"(?<![\w/.-])(?:(?:{dates.WEEKDAYS})\.?,?\s)?(?:{dates.DATE})(?P<clock>,?\s(?:at\s|um\s|à\s)?{dates.CLOCK})?(?![\w/])"
)


def has_aged(before: str, after: str) -> bool:
    """Whether the same words stand around an age before and around a date after, and it is no date that somebody set."""
    if max(len(before), len(after)) > _LONGEST or not _may_tell(before):
        return False
    low = after.lower()
    found = list(_DATE.finditer(low))
    if len(found) != 1 or len(low) != len(after):
        return False
    start, end = found[0].span()
    without = found[0].start("clock") if found[0]["clock"] else end
    return any(_is_around_age(before, after[:start].rstrip(), after[cut:].lstrip()) for cut in (end, without))


def _may_tell(line: str) -> bool:
    """Whether a line may have an age in it; what the rules make of it is known from its mark."""
    return PLACEHOLDER in canonical(composed(line)).text or _SHORT.search(line.lower()) is not None


def _is_around_age(line: str, head: str, tail: str) -> bool:
    if not (line.startswith(head) and line.endswith(tail)) or SET_TIME.search(head.lower()):
        return False
    said = line[len(head) : len(line) - len(tail)].strip(" ,·|-–—")
    return bool(said) and _is_age(said)


def _is_age(said: str) -> bool:
    if _SHORT.fullmatch(said.lower()):
        return True
    spans = [text for rule, text in explain(said) if rule.name == "relative-time"]
    return bool(spans) and max(map(len, spans)) == len(said) and PLACEHOLDER not in said
