"""Finds the day that applies to following elements: headings, or any element that is only a date."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from driftline.kinds.availability.html.tree import CHOICES, Element
from driftline.kinds.availability.slot_text import DATE, is_aside, is_day
from driftline.kinds.availability.slot_times import day_of
from driftline.kinds.availability.yearless_dates import day_near

_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "caption", "legend", "dt", "time"})
_SAYING: Final = _HEADINGS | {"div", "span", "p", "strong", "b", "th", "td", "li", "summary", "header", "a", "button"}
_FIELD: Final = re.compile(r"^(?:date|datum|fecha|data|jour|day|dag|tag)$", re.IGNORECASE)
_CHOSEN: Final = frozenset("active selected current is-active is-selected is-current chosen aktiv actif activo".split())
_ISO_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_MIN_STRIP: Final = 3  # consecutive days from which one can be chosen
_MAX_SIBLINGS: Final = 500  # siblings that are examined
_MAX_CLIMB: Final = 4  # surrounding elements without further text


class DayHeadings:
    """The days of the headings of a page."""

    def __init__(self, timezone: str, *, month_first: bool, near: date | None) -> None:
        self._timezone = timezone
        self._month_first = month_first
        self._near = near
        self._dates: dict[str, str | None] = {}  # by text: a board repeats the same texts

    def of(self, part: Element) -> str | None:
        """The day that an element sets for what follows."""
        day = self.read(part.attributes.get("datetime") or part.text[:200]) if part.tag in _HEADINGS else None
        return day or self._alone(part) or self._chosen(part)

    def is_one(self, part: Element) -> bool:
        """Whether an element is only a date, and cannot be clicked or chosen."""
        return self._date(part) is not None and not part.choices and not is_chosen(part)

    def read(self, written: str | None) -> str | None:
        """The day of a date in text, whatever is around it."""
        found = DATE.search(written) if written else None
        day = day_of(found[0] if found else written, self._timezone, month_first=self._month_first)
        return day or day_of(written, self._timezone, month_first=self._month_first)

    def _alone(self, part: Element) -> str | None:
        """The day of an element without other text, unless it is one of several to choose from."""
        day = self._date(part)
        if day is None:
            return None
        whole = [part]
        while len(whole) < _MAX_CLIMB and part.parent is not None and part.parent.chars == part.chars:
            part = part.parent
            whole.append(part)
        if any(is_chosen(one) for one in whole):
            return day
        if any(self._is_in_strip(one) for one in whole):
            return None
        if all(one.tag not in CHOICES for one in (*whole, *_inner(whole[0]))):
            return day
        return day if any(self._opens(one) for one in whole) else None

    def _date(self, part: Element) -> str | None:
        if part.tag not in _SAYING or not 4 <= part.chars <= 40 or part.choices > 1:
            return None
        text = part.text
        if text not in self._dates:
            self._dates[text] = self._date_in(text) if any(sign.isdigit() for sign in text) else None
        written = part.attributes.get("value") or ""
        if self._dates[text] is None and _ISO_DAY.fullmatch(written) and text[-2:].isdigit():  # Tue, Dec 01
            return self.read(written)
        return self._dates[text]

    def _date_in(self, text: str) -> str | None:
        day = is_day(text, self._timezone, month_first=self._month_first) or day_near(text, self._near, self._timezone)
        return day if day and not is_aside(text) else None

    def _is_in_strip(self, part: Element) -> bool:
        beside = part.parent.children if part.parent else [part]
        if len(beside) > _MAX_SIBLINGS:
            return False
        at = beside.index(part)
        row = 1
        for step in (1, -1):
            near = at + step
            while 0 <= near < len(beside) and row < _MIN_STRIP and beside[near].tag == part.tag and self._date(beside[near]):
                row, near = row + 1, near + step
        return row >= _MIN_STRIP

    def _opens(self, part: Element) -> bool:
        """Whether slots follow, and no other day."""
        beside = part.parent.children if part.parent else [part]
        after = beside[beside.index(part) + 1 :][:1] if len(beside) <= _MAX_SIBLINGS else []
        return bool(after) and after[0].choices > 0 and self._date(after[0]) is None

    def _chosen(self, part: Element) -> str | None:
        """The day in a date field."""
        if part.tag != "input" or not _FIELD.search(part.attributes.get("type") or part.attributes.get("name") or ""):
            return None
        return is_day(part.attributes.get("value") or "", self._timezone, month_first=self._month_first)


def _inner(part: Element) -> list[Element]:
    return [inner for inner in part.walk(10) if inner is not part]


def is_chosen(part: Element) -> bool:
    """Whether an element is the chosen one of several."""
    states = (part.attributes.get(name) for name in ("aria-selected", "aria-current", "aria-pressed"))
    return any(one not in (None, "false") for one in states) or not _CHOSEN.isdisjoint(part.words)
