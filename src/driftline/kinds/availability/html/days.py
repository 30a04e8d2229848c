"""Reads calendars on a page: cells with day numbers; each day that can be chosen is a slot."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final, NamedTuple
from urllib.parse import unquote_plus

from driftline.core.lexicon import any_of
from driftline.core.text.lazy_regex import lazy_regex
from driftline.kinds.availability.html.empty_board import says_none_free
from driftline.kinds.availability.html.slot_attributes import gone_itself, is_gone, says_gone
from driftline.kinds.availability.html.tree import Element
from driftline.kinds.availability.slot_openness import is_yes
from driftline.kinds.availability.slot_text import DATE, has_clock, state_in, states_in
from driftline.kinds.availability.slot_times import day_of, local_time

MIN_CELLS: Final = 14  # cells that make a calendar, even if none can be chosen
_MAX_CELL_TEXT: Final = 80  # characters
_CELLS: Final = frozenset({"td", "button", "a", "li", "div", "span"})
_DAY_LIKE: Final = re.compile(r"day(?![a-z])|(?<![a-z])(?:(?:date|cell)(?![a-z])|kalender|calendar)", re.IGNORECASE)
_DATES: Final = (
    "data-date",
    "day",
    "data-day",
    "data-full-date",
    "data-iso",
    "datetime",
    "data-value",
    "data-cal-date",
    "value",
)
_NUMBER: Final = re.compile(r"(?:\D{0,40}?\s)?0?(\d{1,2})(?:\.|\s\D.{0,40}|\s?\.\s?\d{1,2}\.\s?\d{4})?", re.DOTALL)
_MONTH: Final = re.compile(r"(?<![^\W_])([^\W\d_]{3,12})\.?(?:\sde)?,?\s((?:19|20)\d\d)(?!\d)")
_NUMBERED_MONTH: Final = lazy_regex(
    lambda: rf"(?<!\d)(20\d\d)\s?(?:{any_of('date.year')})\s?(\d{{1,2}})\s?(?:{any_of('date.month')})(?!\s?\d)"
)
_LINKED: Final = re.compile(r"(?<!\d)(?:\d{4}-\d{2}-\d{2}|\d{1,2}\.\d{1,2}\.\d{4})(?!\d)")
_SECONDS: Final = re.compile(r"(?<!\d)1\d{9}(?!\d)")
_FREE: Final = re.compile(
    r"(?:buchbar|frei|available|availability|bookable|free|open|selectable|vacant|libre|disponible|vrij|ledig|beschikbaar|wolny|wolne|"
    r"active(?:day|date)|enabled)"
)
_NOT: Final = re.compile(r"(?:nicht|not?|non|un|in|un-|no-|not-|non-)" + _FREE.pattern)
_OTHER: Final = frozenset(
    "old new other othermonth outside outsidemonth adjacent muted prev previous next notcurrent offmonth outofmonth".split()
)
_PIECES: Final = re.compile(r"[-_]+")


class CalendarDay(NamedTuple):
    """A day of a calendar."""

    part: Element
    day: str
    can_choose: bool | None  # None: unknown
    link: str | None
    is_open: bool = False


def read_days(page: Element, timezone: str, *, month_first: bool) -> list[CalendarDay]:
    """The days of all calendars of a page, in order."""
    calendar = _Calendar(timezone, month_first=month_first)
    waiting = [page]
    while waiting:
        part = waiting.pop()
        found = calendar.visit(part)
        if found is not None:
            calendar.days.append(found)
        elif part.tag == "select":
            calendar.days += calendar.options(part)
        else:
            waiting.extend(reversed(part.children))
    verdicts = {day.can_choose for day in calendar.days}
    marked = False in verdicts and True not in verdicts  # only unavailable days are marked
    return [
        day._replace(is_open=day.can_choose or (day.can_choose is None and marked and bool(day.part.words)))
        for day in calendar.days
    ]


class _Calendar:
    """Walks a page in order: a month applies to the cells after it."""

    def __init__(self, timezone: str, *, month_first: bool) -> None:
        self.days: list[CalendarDay] = []
        self._timezone = timezone
        self._month_first = month_first
        self._month: str | None = None  # the first day of the current month

    def visit(self, part: Element) -> CalendarDay | None:
        """The day of an element, if it is one; a month is remembered."""
        if not 0 < part.chars <= _MAX_CELL_TEXT:
            return None
        if not part.inner_choices and (found := _MONTH.search(part.text)) and not DATE.search(part.text):
            self._month = day_of(f"1 {found[1]} {found[2]}", self._timezone) or self._month
        elif not part.inner_choices and (found := _NUMBERED_MONTH.search(part.text)):
            self._month = day_of(f"{found[1]}-{int(found[2]):02}-01", self._timezone) or self._month
        if part.tag == "a" and state_in(part.text) and (day := self._linked(part, None)):
            return self._as_day(part, day)
        number = self._number(part)
        day = self._day(part, number) if number else None
        return self._as_day(part, day) if day else None

    def options(self, part: Element) -> list[CalendarDay]:
        """The days of a select whose options say which are left; that of a search form has any day."""
        written = [(one, one.attributes.get("value") or one.text) for one in part.walk(400) if one.tag == "option"]
        days = [
            CalendarDay(one, day, not says_gone(one) and False not in states_in(one.text), None)
            for one, text in written
            if (day := day_of(text, self._timezone, month_first=self._month_first))
        ]
        said = any(not day.can_choose or states_in(day.part.text) for day in days)
        return days if said else []

    def _as_day(self, part: Element, day: str) -> CalendarDay:
        linked = next((inner for inner in part.walk(10) if inner.tag == "a" and inner.attributes.get("href")), None)
        return CalendarDay(part, day, _can_choose(part), linked.attributes.get("href") if linked else None)

    def _number(self, part: Element) -> int | None:
        if part.tag not in _CELLS or (
            part.tag in {"div", "span", "li"} and not _DAY_LIKE.search(part.attributes.get("class") or "")
        ):
            return None
        text = part.text
        found = _NUMBER.fullmatch(text)
        if found is None or has_clock(text) or not 1 <= int(found[1]) <= 31 or sum(sign.isdigit() for sign in text) > 8:
            return None
        return int(found[1])

    def _day(self, part: Element, number: int) -> str | None:
        """The day of a numbered cell, by its attributes, text or link, or by the current month."""
        inner = list(part.walk(10))
        texts = [one.attributes.get(name) for one in inner for name in _DATES] + [one.labels_text for one in inner]
        for text in (*filter(None, texts), part.node.text()):
            found = DATE.search(" ".join(text.split())[:200])
            day = day_of(found[0], self._timezone, month_first=self._month_first) if found else None
            if day and int(day[8:]) == number:
                return day
        for one in inner:
            if day := self._linked(one, number) or self._numbered(one, number):
                return day
        if self._month is None or not _OTHER.isdisjoint(piece for word in part.words for piece in _pieces(word)):
            return None
        return day_of(f"{self._month[:8]}{number:02}", self._timezone)

    def _linked(self, part: Element, number: int | None) -> str | None:
        """The day in a link; a timestamp may be midnight in another time zone."""
        address = unquote_plus((part.attributes.get("href") or "")[:2_000])
        if not any(sign.isdigit() for sign in address):
            return None
        if found := _LINKED.search(address):
            day = day_of(found[0], self._timezone)
            return day if number is None or (day and int(day[8:]) == number) else None
        seconds = _SECONDS.search(address)
        local = local_time(int(seconds[0]), self._timezone) if seconds else None
        if local is None or number is None:
            return None
        there = date.fromisoformat(local[:10])
        near = (there + timedelta(days=days) for days in (0, 1, -1))
        return next((day.isoformat() for day in near if day.day == number), None)

    def _numbered(self, part: Element, number: int) -> str | None:
        """The day by year and month attributes (months from 0), as date pickers write them."""
        for prefix in ("data-", "data-pika-"):
            year, month = part.attributes.get(f"{prefix}year") or "", part.attributes.get(f"{prefix}month") or ""
            if year.isdecimal() and month.isdecimal() and int(month) < 12:
                return day_of(f"{year}-{int(month) + 1:02}-{number:02}", self._timezone)
        return None


def _pieces(word: str) -> list[str]:
    return [word, *_PIECES.split(word)]


def _can_choose(part: Element) -> bool | None:
    """Whether a day can be chosen: it says so or can be clicked, and is not marked as gone."""
    inner = list(part.walk(10))
    clicks = [one for one in inner if one.tag == "button" or (one.tag == "a" and "href" in one.attributes)]
    if says_gone(part) or any(says_gone(one) or is_gone(one, gone_itself()) for one in clicks):
        return False
    words = [word for one in inner for word in one.words]
    if any(_NOT.fullmatch(word) or _is_negative(word) for word in words):
        return False
    texts = [part.text, *part.pieces, *(one.labels_text for one in inner if one.labels_text)]
    verdicts = [one for text in texts for one in states_in(text)]
    if False in verdicts or any(says_none_free(DATE.sub(" ", text)) for text in texts):
        return False
    free = True in verdicts or bool(clicks) or any(_FREE.fullmatch(piece) for word in words for piece in _pieces(word))
    return True if free else None


def _is_negative(word: str) -> bool:
    *before, last = _PIECES.split(word)
    return is_yes(last) is False or (("no" in before or "not" in before or "nicht" in before) and bool(_FREE.fullmatch(last)))
