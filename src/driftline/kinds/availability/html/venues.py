"""Headings that name a venue: those of cards or parts of a page that are alike, each with a name of its own."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Final

from driftline.core.lexicon import any_of
from driftline.core.text.lazy_regex import lazy_regex
from driftline.kinds.availability.html.tree import Element
from driftline.kinds.availability.slot_text import has_clock, says
from driftline.kinds.availability.yearless_dates import weekdays

HEADINGS: Final = frozenset({"h2", "h3", "h4", "h5", "h6"})
_LONG: Final = 80  # characters of a name
_MANY: Final = 500  # headings that are looked at
_UP: Final = 12  # levels from a slot to its card
# What stands above slots and names nobody.
_PARTS: Final = lazy_regex(
    lambda: rf"(?:early|late|this|next|in the|am|le|la|de)?\s?(?:{any_of('board.part')})s?|.*\b(?:{any_of('board.step')})\b.*",
    re.IGNORECASE,
)


class Venues:
    """The headings of a page, and what each of them stands for."""

    def __init__(self, headings: Sequence[Element], is_day: Callable[[str], bool]) -> None:
        self._names: dict[Element, str] = {}  # of the elements that a heading speaks of
        named = [part for part in headings[:_MANY] if _is_name(part.text) and not is_day(part.text)]
        for tag in HEADINGS:
            alike = [part for part in named if part.tag == tag]
            if len({part.text for part in alike}) > 1:
                self._take(alike)

    def of(self, part: Element) -> str | None:
        """The name of the venue that an element belongs to."""
        above: Element | None = part
        for _ in range(_UP if self._names else 0):
            if above is None or above in self._names:
                break
            above = above.parent
        return self._names.get(above) if above is not None else None

    def _take(self, headings: list[Element]) -> None:
        """Note what headings of one level speak of, where at least two of them speak of parts that are alike."""
        inside: Counter[Element] = Counter()
        for heading in headings:
            above: Element | None = heading
            while above is not None:
                inside[above] += 1
                above = above.parent
        groups: defaultdict[tuple[object, ...], list[tuple[list[Element], str]]] = defaultdict(list)
        for heading in headings:
            card = heading
            while card.parent is not None and inside[card.parent] == 1:
                card = card.parent
            scope = _following(heading) if card is heading else [card]
            if scope:
                groups[id(card.parent), card is heading, *_look(scope[0])].append((scope, heading.text))
        for group in groups.values():
            if len({name for _, name in group}) > 1:
                self._names |= {part: name for scope, name in group for part in scope}


def _following(heading: Element) -> list[Element]:
    """The elements after a heading, up to the next one of its level."""
    beside = heading.parent.children if heading.parent else []
    after = beside[beside.index(heading) + 1 :]
    end = next((number for number, part in enumerate(after) if part.tag == heading.tag), len(after))
    return after[:end]


def _look(part: Element) -> tuple[object, ...]:
    return part.tag, part.attributes.get("class")


def _is_name(text: str) -> bool:
    plain = text.strip(" :.-–").lower()
    if not 2 <= len(plain) <= _LONG or not any(sign.isalpha() for sign in plain) or plain in weekdays():
        return False
    return not has_clock(text) and says(text) is None and not _PARTS.fullmatch(plain)
