"""Dates without a year: the matching date nearest after the page was read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from functools import cache
from typing import Final

from driftline.core.identity.timestamps import EARLIEST
from driftline.core.lexicon import all_of, any_of, numbered, pattern_of
from driftline.core.text.lazy_regex import lazy_regex
from driftline.core.text.short_cache import short_cache
from driftline.kinds.availability.slot_times import day_of

_MAX_AGE: Final = timedelta(days=45)  # of a past day that a page may still show
_YEARS_BACK: Final = 6  # years after which a date has had every weekday
_LETTERS: Final = r"[^\W\d_]"
_LEAD: Final = rf"(?:(?P<lead>{_LETTERS}{{2,14}})[.,]{{0,2}}\s)?"
_TRAIL: Final = rf"(?:[,.]?\s\(?(?P<trail>{_LETTERS}{{2,14}})[.)]{{0,2}})?"
_FORMS: Final = (
    re.compile(
        rf"{_LEAD}(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|\.|\u00ba)?\s(?:de\s|of\s)?(?P<month>{_LETTERS}{{3,12}})\.?{_TRAIL}"
    ),
    re.compile(rf"{_LEAD}(?P<month>{_LETTERS}{{3,12}})\.?\s(?P<day>\d{{1,2}})(?:st|nd|rd|th)?{_TRAIL}"),
    re.compile(rf"{_LEAD}(?P<day>\d{{1,2}})\.\s?(?P<number>\d{{1,2}})\.?{_TRAIL}"),
    re.compile(rf"(?P<lead>{_LETTERS}{{2,14}})[.,]{{0,2}}\s(?P<one>\d{{1,2}})/(?P<two>\d{{1,2}})"),
    lazy_regex(
        lambda: (
            rf"(?P<number>\d{{1,2}})(?:/|{any_of('date.month')})\s?(?P<day>\d{{1,2}})(?:{any_of('date.day')})?\s?"
            rf"[(（](?P<trail>{pattern_of(all_of('weekdays_sign'))})(?:{any_of('date.weekday_after')})?[)）]"
        )
    ),
)


@cache
def weekdays() -> Mapping[str, int]:
    """The names of weekdays; Monday is 1."""
    return numbered("weekdays", "weekdays_short", "weekdays_two", "weekdays_sign")


@short_cache(1024)
def day_near(text: str, near: date | None, timezone: str) -> str | None:
    """The day of a text that is only a day and a month, with or without its weekday."""
    if near is None or not 4 <= len(text) <= 40:
        return None
    low = text.lower()
    found = next((found for form in _FORMS if (found := form.fullmatch(low))), None)
    if found is None:
        return None
    parts = found.groupdict()
    known = weekdays()
    named = [known[name] for name in (parts.get("lead"), parts.get("trail")) if name is not None and name in known]
    if named:  # it decides between day and month, and the year of an old page
        years = sorted(range(near.year - _YEARS_BACK, near.year + 2), key=lambda year: (abs(year - near.year), -year))
        fitting = [day for year in years for day in _days(parts, year, timezone) if day.isoweekday() == named[0]]
        ahead = [day for day in fitting if _is_ahead(day, near)] or fitting
        return ahead[0].isoformat() if ahead else None
    if parts.get("one"):
        return None
    around = [day for year in (near.year - 1, near.year, near.year + 1) for day in _days(parts, year, timezone)]
    return next((day.isoformat() for day in around if _is_ahead(day, near)), None)


def _is_ahead(day: date, near: date) -> bool:
    return near - _MAX_AGE <= day < near - _MAX_AGE + timedelta(days=365)


def near_of(at: datetime) -> date | None:
    """The day of an answer; None if it was read from a file without a time."""
    return at.date() if at.year > EARLIEST.year else None


def _days(parts: dict[str, str | None], year: int, timezone: str) -> list[date]:
    one, two = parts.get("one"), parts.get("two")
    if one and two:
        written = {f"{year}-{int(one):02}-{int(two):02}", f"{year}-{int(two):02}-{int(one):02}"}
    elif parts.get("number"):
        written = {f"{year}-{int(parts['number'] or 0):02}-{int(parts['day'] or 0):02}"}
    else:
        written = {f"{parts['day']} {parts['month']} {year}"}
    return [date.fromisoformat(day) for text in sorted(written) if (day := day_of(text, timezone))]
