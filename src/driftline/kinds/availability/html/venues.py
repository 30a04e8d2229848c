"""Finds headings that name venues: those of similar cards or sections, each with a name of its own."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Final

from driftline.core.lexicon import any_of
from driftline.core.text.lazy_regex import lazy_regex
from driftline.kinds.availability.html.tree import Element
from driftline.kinds.availability.slot_text import has_clock, state_in
from driftline.kinds.availability.yearless_dates import weekdays

HEADINGS: Final = frozenset({"h2", "h3", "h4", "h5", "h6"})
_MAX_NAME: Final = 80  # characters
_MAX_HEADINGS: Final = 500  # per page
_MAX_CLIMB: Final = 12  # levels from a slot to its card
# Headings above slots that name no venue.
_GENERIC: Final = lazy_regex(
    lambda: rf"(?:early|late|this|next|in the|am|le|la|de)?\s?(?:{any_of('board.part')})s?|.*\b(?:{any_of('board.step')})\b.*",
    re.IGNORECASE,
)


class Venues:
    """The venue names of a page."""

    def __init__(self, headings: Sequence[Element], is_day: Callable[[str], bool]) -> None:
        self._names: dict[Element, str] = {}  # by the element that a heading applies to
        named = [part for part in headings[:_MAX_HEADINGS] if is_venue_name(part.text) and not is_day(part.text)]
        for tag in HEADINGS:
            alike = [part for part in named if part.tag == tag]
            if len({part.text for part in alike}) > 1:
                self._take(alike)

    def of(self, part: Element) -> str | None:
        """The venue of an element."""
        above: Element | None = part
        for _ in range(_MAX_CLIMB if self._names else 0):
            if above is None or above in self._names:
                break
            above = above.parent
        return self._names.get(above) if above is not None else None

    def _take(self, headings: list[Element]) -> None:
        """Add the headings of one level, if at least two of them are above similar elements."""
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
                groups[id(card.parent), card is heading, *_shape(scope[0])].append((scope, heading.text))
        for group in groups.values():
            if len({name for _, name in group}) > 1:
                self._names |= {part: name for scope, name in group for part in scope}


def _following(heading: Element) -> list[Element]:
    """The elements after a heading, up to the next one of its level."""
    beside = heading.parent.children if heading.parent else []
    after = beside[beside.index(heading) + 1 :]
    end = next((number for number, part in enumerate(after) if part.tag == heading.tag), len(after))
    return after[:end]


def _shape(part: Element) -> tuple[object, ...]:
    return part.tag, part.attributes.get("class")


def is_venue_name(text: str) -> bool:
    """Whether a text may name a venue: no time, no state, no part of the day."""
    plain = text.strip(" :.-–").lower()
    if not 2 <= len(plain) <= _MAX_NAME or not any(sign.isalpha() for sign in plain) or plain in weekdays():
        return False
    return not has_clock(text) and state_in(text) is None and not _GENERIC.fullmatch(plain)
