"""Calendars on a page: runs of consecutive days that start or end today, so each day one is added and one is removed."""

from __future__ import annotations

import re
from functools import cache, cached_property
from itertools import pairwise
from typing import Final

from driftline.core.identity.timestamps import instant
from driftline.core.lexicon import all_of, words
from driftline.kinds.page.compare.lines import LineDifference
from driftline.kinds.page.parsed import NO_ENTRY, ParsedPage

PASSED: Final = "date of today"
_WINDOW: Final = 5  # days in a row that are a calendar, not a choice
_STRIP: Final = 3  # of them in one line that says nothing else
_BELOW: Final = 24  # lines of an entry below its day
_LONGEST_DAY: Final = 40  # characters
_LONGEST_STRIP: Final = 400  # characters
_WORD: Final = re.compile(r"[^\W_]+")
_DIGIT: Final = re.compile(r"\d")
_LONGEST_MONTH: Final = 31


class Calendars:
    """The calendars of two versions of a page, each found when first needed."""

    def __init__(self, before: ParsedPage, after: ParsedPage) -> None:
        self._before, self._after = before, after

    def has_passed(self, difference: LineDifference) -> bool:
        """Whether a line is the first or last day of a calendar that moved on by some days."""
        page = self._after if difference.after is not None else self._before
        if difference.line.place >= len(page.paths) or _day(difference.line.text or "") is None:
            return False  # a page that came parsed, through the queue, has no paths
        return page.paths[difference.line.place].rpartition(">")[0] in self._went_on

    def went_along(self, difference: LineDifference) -> bool:
        """Whether a line was removed with the oldest day of a calendar, or describes one day instead of another."""
        page, at = (self._after, difference.to) if difference.after is not None else (self._before, difference.at)
        line = difference.line
        if line.entry == NO_ENTRY or at < 0 or (difference.after is not None and line.hash not in self._before.line_hashes):
            return False
        if not self._went_on:
            return False
        for number in range(at - 1, max(at - _BELOW, -1), -1):
            above = page.line_details[number]
            if above.entry != line.entry:
                return False
            if _day(above.text or "") is not None:
                passed = difference.after is not None or above.hash not in self._after.line_hashes
                return passed and page.paths[above.place].rpartition(">")[0] in self._went_on
        return False

    @cached_property
    def _went_on(self) -> frozenset[str]:
        """Where such lists stand: the path of what holds each day."""
        olds, news = _days_by_path(self._before), _days_by_path(self._after)
        return frozenset(path for path, days in olds.items() if len(days) >= _WINDOW and _went_on(days, news.get(path, [])))


def _days_by_path(page: ParsedPage) -> dict[str, list[int]]:
    """Consecutive days that stand alone in lines, oldest first, by structural path."""
    holders = [path.rpartition(">")[0] for path in page.paths]
    dated: dict[str, list[str]] = {}
    for line in page.line_details:
        if line.text and len(line.text) <= _LONGEST_DAY and _DIGIT.search(line.text):
            dated.setdefault(holders[line.place] if line.place < len(holders) else "", []).append(line.text)
    found: dict[str, list[int]] = {}
    for path, texts in dated.items():
        if len(texts) >= _WINDOW:  # a line is read as a day only where there are enough for a calendar
            found[path] = _in_a_row([day for text in texts if (day := _day(text)) is not None])
    return found


def days_went_on(old: str, new: str) -> str | None:
    """Whether a line consists of consecutive days, and now shows later ones."""
    if max(len(old), len(new)) > _LONGEST_STRIP:
        return None
    days = _strip(old)
    return PASSED if len(days) >= _STRIP and _went_on(days, _strip(new)) else None


def _went_on(old: list[int], new: list[int]) -> bool:
    """Whether two runs of days are the same calendar, some days later."""
    by = old.index(new[0]) if new and new[0] in old[1:] else 0
    return by > 0 and len(old) == len(new) and old[by:] == new[:-by]


def _strip(text: str) -> list[int]:
    said = [word.lower() for word in _WORD.findall(text)]
    if not all(word.isdecimal() or word in _of_days() for word in said):
        return []
    return _in_a_row([int(word) for word in said if word.isdecimal() and len(word) <= 2])


def _in_a_row(days: list[int]) -> list[int]:
    """The days, oldest first, if they are consecutive; else none."""
    for order in (days, days[::-1]):
        if all(after == day + 1 or (after == 1 and 28 <= day <= _LONGEST_MONTH) for day, after in pairwise(order)):
            return order
    return []


def _day(text: str) -> int | None:
    """The day that a line consists of, as a number (without a year: that of its month); None for any other line."""
    if len(text) > _LONGEST_DAY or _DIGIT.search(text) is None:
        return None
    if (moment := instant(text)) is not None:
        return moment.date().toordinal()
    said = [word.lower() for word in _WORD.findall(text)]
    numbers = [int(word) for word in said if word.isdecimal() and len(word) <= 2]
    named = len(said) > 1 and all(word.isdecimal() or word in _of_days() for word in said)
    return numbers[0] if named and len(numbers) == 1 and 1 <= numbers[0] <= _LONGEST_MONTH else None


@cache
def _of_days() -> frozenset[str]:
    """Names of weekdays and months, and words for today."""
    names = ("weekdays", "weekdays_short", "weekdays_two", "months", "months_short")
    return frozenset((*(word for name in names for word in all_of(name)), *words("date.today", "date.now")))
