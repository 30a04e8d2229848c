"""The time and the day of an object in an answer: by its fields' names, by their values, or by numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from driftline.kinds.availability.json.field_names import BEGINS, CLOCKS, DATES, DAYS, is_aside, is_date, is_moment, like_start
from driftline.kinds.availability.json.number_clocks import Form, clock, form_of, is_number_clock
from driftline.kinds.availability.slot_openness import plain
from driftline.kinds.availability.slot_times import day_of, local_time

_OFFSET_AT_MOST: Final = 2 * 24 * 60  # minutes from the requested time


class ObjectTimes:
    """Finds times in one answer. `timezone` is that of the place where the search is."""

    def __init__(self, timezone: str, *, month_first: bool) -> None:
        self.timezone = timezone
        self._month_first = month_first
        self._answer: Any = None
        self._requested: str | None = None  # some answers give times relative to it
        self._form: Form | None = None
        self._form_known = False

    def of_answer(self, answer: Any, day: str | None, clock: str | None) -> None:
        """What was asked for and what came, before anything is looked for in it."""
        self._answer, self._requested = answer, local_time(clock, self.timezone, day) if clock else None

    def time(self, value: dict[str, Any], members: Mapping[str, str], day: str | None) -> str | None:
        """When an object begins; `day`: the one around it, for a time of day alone."""
        named = [low for low in (*BEGINS, *like_start(members)) if low in members]
        local = next((local for low in named if (local := self._begins(value[members[low]], day))), None)
        return (
            local
            or self._by_number_clock(value, members, named, day)
            or _by_numbers(value, members, day)
            or self._by_offset(value, members)
            or self._by_text(value, members, day)
            or self._earliest(value, members)
            or self.row([text for text in value.values() if isinstance(text, str)])
        )

    def _by_number_clock(
        self, value: dict[str, Any], members: Mapping[str, str], named: Sequence[str], day: str | None
    ) -> str | None:
        """The time of `{"StartTime": 540}` on a known day."""
        found = next((value[members[low]] for low in named if is_number_clock(low, value[members[low]])), None)
        if found is None or day is None:
            return None
        if not self._form_known:
            self._form, self._form_known = form_of(self._answer), True
        text = clock(found, self._form)
        return f"{day}T{text}" if text else None

    def _by_offset(self, value: dict[str, Any], members: Mapping[str, str]) -> str | None:
        """The time of `{"timeOffsetMinutes": -30}`, relative to the requested one."""
        offset = value.get(members.get("timeoffsetminutes", ""))
        if self._requested is None or type(offset) is not int or abs(offset) > _OFFSET_AT_MOST:
            return None
        return (datetime.fromisoformat(self._requested) + timedelta(minutes=offset)).isoformat(timespec="minutes")

    def _by_text(self, value: dict[str, Any], members: Mapping[str, str], day: str | None) -> str | None:
        """The time of a slot that is named by it, or has it written out: `{"name": "12:00"}`, `{"formattedTime": "10:00"}`."""
        named = [low for low in ("name", "title", "label", "text") if low in members]
        named += sorted(low for low in members if low.endswith("time") and is_moment(low) and not is_aside(low))
        text = (value[members[low]] for low in named)
        return next(
            (local_time(one, self.timezone, day) for one in text if isinstance(one, str) and CLOCKS.fullmatch(one)),
            None,
        )

    def _earliest(self, value: dict[str, Any], members: Mapping[str, str]) -> str | None:
        """The first of the moments in a slot, whatever their names: it departs before it arrives."""
        moments = (
            local_time(value[key], self.timezone)
            for low, key in members.items()
            if isinstance(value[key], str) and is_moment(low) and not is_aside(low)
        )
        return min(filter(None, moments), default=None)

    def _begins(self, text: Any, day: str | None) -> str | None:
        if not isinstance(text, dict):
            return local_time(text, self.timezone, day)
        inner = {plain(key): value for key, value in text.items()}
        own = next((found for low in DAYS if (found := self.day_of(inner.get(low)))), day)
        named = [inner[low] for low in (*BEGINS, *like_start(inner)) if low in inner]
        tried = named or [value for value in inner.values() if isinstance(value, str) and ":" in value]
        local = next((local for value in tried if (local := local_time(value, self.timezone, own))), None)
        return local or _by_numbers(text, {plain(key): key for key in text}, own)

    def span(self, value: dict[str, Any]) -> str | None:
        """The start of the only time span inside a slot, whatever its name."""
        inner = [{plain(key): text for key, text in child.items()} for child in value.values() if isinstance(child, dict)]
        spans = [child["start"] for child in inner if "start" in child and "end" in child]
        return local_time(spans[0], self.timezone) if len(spans) == 1 else None

    def day_of(self, value: object) -> str | None:
        """The day of a written date."""
        return day_of(value, self.timezone, month_first=self._month_first)

    def has_unread_day(self, value: dict[str, Any], members: Mapping[str, str]) -> bool:
        """Whether an object names a whole date in a form that is not known."""
        texts = (value[members[low]] for low in DAYS if low in members)
        return any(isinstance(text, str) and sum(map(str.isdigit, text)) >= 6 and self.day_of(text) is None for text in texts)

    def day(self, value: dict[str, Any], members: Mapping[str, str]) -> str | None:
        """The day that an object names."""
        text = (value[members[low]] for low in DAYS if low in members)
        within = (
            one for low, key in members.items() if low.endswith(("date", "day", "dt")) and isinstance(one := value[key], dict)
        )
        dates = (one.get(low) for one in within for low in ("date", "day", "value"))
        named = next((day for one in (*text, *dates) if (day := self.day_of(one))), None)
        if named:
            return named
        others = {day for low, key in members.items() if is_date(low) and (day := self.day_of(value[key]))}
        return others.pop() if len(others) == 1 else None

    def row(self, values: list[Any]) -> str | None:
        """The time of a slot that is a list of texts: a day, a time, and more."""
        if not 2 <= len(values) <= 12 or not all(isinstance(value, str | int | float | None) for value in values):
            return None
        texts = [value.strip() for value in values if isinstance(value, str)]
        days = [day for text in texts if DATES.fullmatch(text) and (day := self.day_of(text))]
        times = [text for text in texts if CLOCKS.fullmatch(text)]
        return local_time(times[0], self.timezone, days[0]) if len(days) == 1 and 1 <= len(times) <= 2 else None


def _by_numbers(value: dict[str, Any], members: Mapping[str, str], day: str | None) -> str | None:
    """The time of `{"hour": 9, "minute": 30}` on a known day."""
    hour, minute = (value.get(members.get(name, members.get(f"{name}s", ""))) for name in ("hour", "minute"))
    if day is None or type(hour) is not int or type(minute) is not int or not (0 <= hour < 24 and 0 <= minute < 60):
        return None
    return f"{day}T{hour:02}:{minute:02}"
