"""Slots in a JSON answer that nobody described: found by their times, with the day, the venue and the state around them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from driftline.core.text.json_text import decode_json
from driftline.errors import BadFile
from driftline.kinds.availability.json.field_names import (
    BEGINS,
    CLOCKS,
    DATES,
    DAYS,
    ENTITIES,
    LINKS,
    PEOPLE,
    PLACES,
    has_kinds,
    holds_slots,
    is_aside,
    is_list,
    is_of_venues,
    is_offers,
    is_slots,
    like_start,
    named_by,
    own_name,
)
from driftline.kinds.availability.json.number_clocks import Form, clock, form_of, is_number_clock
from driftline.kinds.availability.slot import name_of
from driftline.kinds.availability.slot_openness import is_full, is_open, is_yes, plain
from driftline.kinds.availability.slot_times import day_of, local_time

MAX_VALUES: Final = 400_000  # that one answer may hold
MAX_DEPTH: Final = 60
MAX_SLOTS: Final = 20_000
_OFFSET_AT_MOST: Final = 2 * 24 * 60  # minutes from the time that was asked for
_BOOKINGS: Final = ("reservation", "reservations", "booking", "online")  # what people can book, of several kinds of days

NO_TIME: Final = "a slot has no time, or one in an unknown form"


class FoundSlot(NamedTuple):
    """A slot as it was found."""

    local: str
    provider: str
    venue_id: str | None  # None: nothing around it names a venue
    venue_name: str
    booking_url: str | None
    raw: Any  # the slot as it is written


class Around(NamedTuple):
    """What the values around a slot say of it."""

    day: str | None = None
    provider: str = ""
    venue_id: str | None = None
    venue_name: str = ""
    booking_url: str | None = None


class Discovery:
    """One answer, walked once. `listed` says that a list was there, if perhaps an empty one."""

    def __init__(self, timezone: str, *, month_first: bool = False) -> None:
        self.slots: list[FoundSlot] = []
        self.bad: Counter[str] = Counter()
        self.listed = False
        self.named = False  # a list of some values is called slots, in one of the words for it
        self.gone = 0  # slots that say that they are taken
        self._timezone = timezone
        self._month_first = month_first
        self._values = 0
        self._answer: Any = None
        self._asked: str | None = None  # the time that was asked for: some answers count from it
        self._form: Form | None = None
        self._form_known = False

    def walk(self, value: Any, day: str | None, clock: str | None = None) -> None:
        """Find all slots below a value; raises BadFile where that is too much. `day` and `clock`: what was asked for."""
        self._answer, self._asked = value, local_time(clock, self._timezone, day) if clock else None
        self._value(value, "slots" if isinstance(value, list) else "", Around(day=day), 0, one=False)

    def _value(self, value: Any, name: str, around: Around, depth: int, *, one: bool) -> None:
        """`one`: it is one of several, and may itself be a slot."""
        self._values += 1
        if self._values > MAX_VALUES or depth > MAX_DEPTH:
            raise BadFile("the answer is too large to look for slots in it", limit=MAX_VALUES)
        if isinstance(value, dict):
            self._object(value, name, around, depth, one=one)
        elif isinstance(value, list):
            self._list(value, name, around, depth)
        elif isinstance(value, str) and value[:1] in ("[", "{") and is_list(name):  # JSON in a string, as ASP.NET wraps it
            self._value(decode_json(value.encode()), name, around, depth + 1, one=False)

    def _list(self, values: list[Any], name: str, around: Around, depth: int) -> None:
        slotlike = is_slots(name)
        self.listed = self.listed or slotlike or (not values and (is_list(name) or is_of_venues(name, depth)))
        self.named = self.named or (slotlike and bool(values))
        if len(values) > MAX_SLOTS:
            raise BadFile("too many slots in one answer", limit=MAX_SLOTS)
        if (slotlike or is_list(name)) and (local := self._row(values)):
            self.add(local, around, values)
            return
        for value in values:
            if isinstance(value, dict | list):
                self._value(value, name, around, depth + 1, one=True)
            elif value is not None and (slotlike or is_list(name)):
                self._bare(value, around, sure=slotlike)

    def _row(self, values: list[Any]) -> str | None:
        """The time of a slot that is a row of texts: a day, a time, and more."""
        if not 2 <= len(values) <= 12 or not all(isinstance(value, str | int | float | None) for value in values):
            return None
        texts = [value.strip() for value in values if isinstance(value, str)]
        days = [day for text in texts if DATES.fullmatch(text) and (day := self._day_of(text))]
        times = [text for text in texts if CLOCKS.fullmatch(text)]
        return local_time(times[0], self._timezone, days[0]) if len(days) == 1 and 1 <= len(times) <= 2 else None

    def _bare(self, value: Any, around: Around, *, sure: bool) -> None:
        """A time that stands for its slot, or a day for itself."""
        local = local_time(value, self._timezone, around.day)
        if local is None and isinstance(value, str) and (day := self._day_of(value)):
            local = f"{day}T00:00"
        if local is not None:
            self.add(local, around)
        elif sure:
            self.bad[NO_TIME] += 1

    def _object(self, value: dict[str, Any], name: str, around: Around, depth: int, *, one: bool) -> None:
        members = {plain(key): key for key in value}
        lists = [key for low, key in members.items() if holds_slots(low, value[key])]
        if depth > 0 and is_open(value, as_a_whole=bool(lists) or not one) is False:
            self.listed = self.listed or one
            self.gone += one
            return
        inner = self._around(value, members, name, around, top=depth == 0)
        if lists and one and self._day(value, members) and is_full(value):  # none of the day's times is left
            self.listed = True
            self.gone += 1
            return
        before, bad, gone = len(self.slots), self.bad.copy(), self.gone
        for key in lists:
            self._value(value[key], plain(key), inner, depth + 1, one=False)
        if len(self.slots) > before or self.gone > gone or any(not value[key] or _are_slots(value[key]) for key in lists):
            return
        local = self._time(value, members, inner) if one else None
        if local is not None and _offers_nothing(value):
            self.listed = True
            self.gone += 1
            return
        if local is not None and local.endswith("T00:00") and not lists:  # a day: what lies below may know the time
            self._children(value, inner, depth, one=one)
            if len(self.slots) > before or self.gone > gone:
                return
        if local is not None and not (lists and local.endswith("T00:00")):
            self.bad = bad
            self.add(local, inner, value)
        elif lists:
            if one and inner.day and is_open(value):  # so many left, and no times that could be read
                self.bad = bad
                self.add(f"{inner.day}T00:00", inner, value)
        elif not self._children(value, inner, depth, one=one) and one and len(self.slots) == before and self.bad == bad:
            self._day_or_nothing(value, members, name, inner)

    def _children(self, value: dict[str, Any], inner: Around, depth: int, *, one: bool) -> bool:
        """What lies deeper: days and hours as keys, and objects and lists under any name that is not aside.

        Says whether there were days or hours, or nothing at all: such an object is no slot.
        """
        keyed = not value
        for key, child in value.items():
            if DATES.fullmatch(key) and (day := self._day_of(key)):
                self.listed = keyed = True
                self._on_day(key, child, inner._replace(day=day), depth)
            elif CLOCKS.fullmatch(key):
                keyed = True
                self.listed = True
                local = local_time(key, self._timezone, inner.day)
                said = is_open(child) if isinstance(child, dict) else is_yes(child)
                if local and (bool(child) if said is None else said):
                    self.add(local, inner)
            elif isinstance(child, dict | list | str) and not is_aside(low := plain(key)):
                self.listed = self.listed or (child == {} and is_slots(low))
                self._value(child, low, inner, depth + 1, one=one and isinstance(child, dict))
        return keyed

    def _on_day(self, key: str, child: Any, inner: Around, depth: int) -> None:
        """What a map has for a day: its slots, or whether the day is free."""
        said = is_open(child) if isinstance(child, dict) else is_yes(child)
        plainly = isinstance(child, dict) and said and not any(isinstance(value, dict | list) for value in child.values())
        if isinstance(child, dict | list) and not plainly:
            self._value(child, "slots", inner, depth + 1, one=True)
        elif said:
            self.add(local_time(key, self._timezone) or f"{inner.day}T00:00", inner, child)

    def _day_or_nothing(self, value: dict[str, Any], members: Mapping[str, str], name: str, inner: Around) -> None:
        """A day that is free as a whole; or a slot without a time."""
        said = next((value[members[low]] for low in BEGINS if low in members), None)
        day = self._day_of(said) or (self._day(value, members) if said is None else None)
        is_free = is_open(value)
        if is_free is None and day and (says := _inventory(value)) is not None:
            is_free, self.listed = says, True
            self.gone += not says
            if not says:
                return
        local = self._span(value) if is_free else None
        if local:
            self.add(local, inner, value)
        elif day and (is_slots(name) or is_free):
            self.add(f"{day}T00:00", inner, value)
        elif is_slots(name):
            self.bad[NO_TIME] += 1

    def add(self, local: str, around: Around, raw: Any = None) -> None:
        """Note a slot; raises BadFile where there are too many."""
        if len(self.slots) >= MAX_SLOTS:
            raise BadFile("too many slots in one answer", limit=MAX_SLOTS)
        self.listed = True
        self.slots.append(FoundSlot(local, around.provider, around.venue_id, around.venue_name, around.booking_url, raw))

    def _time(self, value: dict[str, Any], members: Mapping[str, str], inner: Around) -> str | None:
        named = [low for low in (*BEGINS, *like_start(members)) if low in members]
        local = next((local for low in named if (local := self._begins(value[members[low]], inner.day))), None)
        return (
            local
            or self._by_number_clock(value, members, named, inner.day)
            or _by_numbers(value, members, inner.day)
            or self._by_offset(value, members)
            or self._by_name(value, members, inner.day)
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
        """The time of `{"timeOffsetMinutes": -30}`, counted from the one that was asked for."""
        offset = value.get(members.get("timeoffsetminutes", ""))
        if self._asked is None or type(offset) is not int or abs(offset) > _OFFSET_AT_MOST:
            return None
        return (datetime.fromisoformat(self._asked) + timedelta(minutes=offset)).isoformat(timespec="minutes")

    def _by_name(self, value: dict[str, Any], members: Mapping[str, str], day: str | None) -> str | None:
        """The time of a slot that is called by it: `{"name": "12:00"}`."""
        said = (value[members[low]] for low in ("name", "title", "label", "text") if low in members)
        return next(
            (local_time(one, self._timezone, day) for one in said if isinstance(one, str) and CLOCKS.fullmatch(one)), None
        )

    def _begins(self, said: Any, day: str | None) -> str | None:
        if not isinstance(said, dict):
            return local_time(said, self._timezone, day)
        inner = {plain(key): value for key, value in said.items()}
        own = next((found for low in DAYS if (found := self._day_of(inner.get(low)))), day)
        named = [inner[low] for low in (*BEGINS, *like_start(inner)) if low in inner]
        tried = named or [value for value in inner.values() if isinstance(value, str) and ":" in value]
        local = next((local for value in tried if (local := local_time(value, self._timezone, own))), None)
        return local or _by_numbers(said, {plain(key): key for key in said}, own)

    def _span(self, value: dict[str, Any]) -> str | None:
        """Where the one span of time begins that a slot encloses, whatever its name."""
        inner = [{plain(key): said for key, said in child.items()} for child in value.values() if isinstance(child, dict)]
        spans = [child["start"] for child in inner if "start" in child and "end" in child]
        return local_time(spans[0], self._timezone) if len(spans) == 1 else None

    def _day_of(self, value: object) -> str | None:
        return day_of(value, self._timezone, month_first=self._month_first)

    def _day(self, value: dict[str, Any], members: Mapping[str, str]) -> str | None:
        said = (value[members[low]] for low in DAYS if low in members)
        within = (
            one for low, key in members.items() if low.endswith(("date", "day", "dt")) and isinstance(one := value[key], dict)
        )
        dates = (one.get(low) for one in within for low in ("date", "day", "value"))
        return next((day for one in (*said, *dates) if (day := self._day_of(one))), None)

    def _around(self, value: dict[str, Any], members: Mapping[str, str], name: str, around: Around, *, top: bool) -> Around:
        """What this object adds: the day, who offers it, where, and whose time it is."""
        day = self._day(value, members)
        link = next((said for low in LINKS if low in members and isinstance(said := value[members[low]], str)), None)
        around = around._replace(
            day=around.day or day if top else day or around.day,  # at the top it may be today
            provider=name_of(value.get("provider")) or around.provider,
            booking_url=link or around.booking_url,
        )
        outer = around
        for words in (PLACES, PEOPLE):
            if not any(low.startswith(words) for low in members):
                continue
            found = next((found for word in words if (found := named_by(value, members, word))), None)
            if found and not found[1] and name.removesuffix("s").endswith(words):  # {"centers": [{"center_id": 7, "name": ...
                found = (found[0], (own_name(value, members) or ("", ""))[1])
            around = within(around, *found) if found else around
        if around is not outer or top:
            return around
        holds = not day and (
            any(holds_slots(low, value[key]) for low, key in members.items())
            or (has_kinds(value, members) and not self._time(value, members, around))
        )
        if not holds and (not name.removesuffix("s").endswith(ENTITIES) or self._time(value, members, around)):
            return around  # a slot's own id names no venue
        own = own_name(value, members)
        return within(around, *own) if own else around


def _by_numbers(value: dict[str, Any], members: Mapping[str, str], day: str | None) -> str | None:
    """The time of `{"hour": 9, "minute": 30}` on a known day."""
    hour, minute = (value.get(members.get(name, members.get(f"{name}s", ""))) for name in ("hour", "minute"))
    if day is None or type(hour) is not int or type(minute) is not int or not (0 <= hour < 24 and 0 <= minute < 60):
        return None
    return f"{day}T{hour:02}:{minute:02}"


def _inventory(value: dict[str, Any]) -> bool | None:
    """What a day says of itself by kinds: `{"inventory": {"reservation": "sold-out", "event": "not available"}}`."""
    for child in value.values():
        said = {plain(key): is_yes(one) for key, one in child.items()} if isinstance(child, dict) else {}
        if said and all(one is not None for one in said.values()):
            return next((said[name] for name in _BOOKINGS if name in said), any(said.values()))
    return None


def _offers_nothing(value: dict[str, Any]) -> bool:
    """Whether a slot lists what can be booked of it, and none of that can be."""
    listed = ([child] if isinstance(child, dict) else child for key, child in value.items() if child and is_offers(plain(key)))
    return any(
        all(isinstance(one, dict) and is_open(one) is False for one in child) for child in listed if isinstance(child, list)
    )


def _are_slots(child: Any) -> bool:
    """Whether the values of a list say of themselves that they are to be had: what encloses them is no slot."""
    return isinstance(child, list) and any(isinstance(one, dict) and is_open(one) is not None for one in child[:10])


def within(around: Around, own_id: str, own_name: str) -> Around:
    """What is around a slot with a place, or with a person or court at a place."""
    if around.venue_id in (None, own_id):
        return around._replace(venue_id=own_id, venue_name=own_name or around.venue_name)
    names = ", ".join(filter(None, (around.venue_name, own_name)))
    return around._replace(venue_id=f"{around.venue_id}/{own_id}", venue_name=names)
