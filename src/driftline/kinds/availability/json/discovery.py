"""Finds slots in JSON without rules: by their times, with the day, the venue and the state around them."""

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
    PEOPLE,
    PLACES,
    THINGS,
    WRAPPERS,
    has_kinds,
    holds_slots,
    is_aside,
    is_list,
    is_moment,
    is_of_venues,
    is_offers,
    is_part_of_day,
    is_parts,
    is_slots,
    like_start,
    link_in,
    named_by,
    own_name,
    zone_in,
)
from driftline.kinds.availability.json.number_clocks import Form, clock, form_of, is_number_clock
from driftline.kinds.availability.slot import name_of
from driftline.kinds.availability.slot_openness import is_full, is_open, is_yes, plain
from driftline.kinds.availability.slot_times import day_of, is_seconds, local_time

MAX_VALUES: Final = 400_000  # of one answer
MAX_DEPTH: Final = 60
MAX_SLOTS: Final = 20_000
_OFFSET_AT_MOST: Final = 2 * 24 * 60  # minutes from the requested time
_BOOKINGS: Final = ("reservation", "reservations", "booking", "online")  # types of days that can be booked

NO_TIME: Final = "a slot has no time, or one in an unknown form"


class FoundSlot(NamedTuple):
    """A slot as it was found."""

    local: str
    provider: str
    venue_id: str | None  # None: no venue is named
    venue_name: str
    booking_url: str | None
    raw: Any  # the original value
    timezone: str  # of `local`


class Around(NamedTuple):
    """The context of a slot."""

    day: str | None = None
    provider: str = ""
    venue_id: str | None = None
    venue_name: str = ""
    booking_url: str | None = None
    thing: tuple[str, str] | None = None  # id and name of what is booked: the venue where no place and no person is named


class Discovery:
    """Walks one answer. `listed` means that a list of slots exists, even if it is empty."""

    def __init__(self, timezone: str, *, month_first: bool = False) -> None:
        self.slots: list[FoundSlot] = []
        self.bad: Counter[str] = Counter()
        self.listed = False
        self.named = False  # a list is named like slots
        self.taken = 0  # number of taken slots
        self._lists = 0  # number of lists of slots, empty or not
        self._timezone = timezone
        self._finds_zone = timezone == "UTC"  # the rules name none: the one that the answer names is the venue's
        self._month_first = month_first
        self._values = 0
        self._answer: Any = None
        self._requested_time: str | None = None  # some answers give times relative to it
        self._form: Form | None = None
        self._form_known = False

    def walk(self, value: Any, day: str | None, clock: str | None = None) -> None:
        """Find all slots below a value; raises BadFile if there is too much. `day` and `clock`: as requested."""
        self._answer, self._requested_time = value, local_time(clock, self._timezone, day) if clock else None
        self._value(value, "slots" if isinstance(value, list) else "", Around(day=day), 0, is_entry=False)

    def _value(self, value: Any, name: str, around: Around, depth: int, *, is_entry: bool) -> None:
        """`is_entry`: it is one of several, and may itself be a slot."""
        self._values += 1
        if self._values > MAX_VALUES or depth > MAX_DEPTH:
            raise BadFile("the answer is too large to look for slots in it", limit=MAX_VALUES)
        if isinstance(value, dict):
            self._object(value, name, around, depth, is_entry=is_entry)
        elif isinstance(value, list):
            self._list(value, name, around, depth)
        elif isinstance(value, str) and value[:1] in ("[", "{") and is_list(name):  # JSON in a string, as ASP.NET sends it
            self._value(decode_json(value.encode()), name, around, depth + 1, is_entry=False)

    def _list(self, values: list[Any], name: str, around: Around, depth: int) -> None:
        slotlike = is_slots(name)
        self._lists += slotlike
        self.listed = self.listed or slotlike or (not values and (is_list(name) or is_of_venues(name, depth)))
        self.named = self.named or (slotlike and bool(values))
        if len(values) > MAX_SLOTS:
            raise BadFile("too many slots in one answer", limit=MAX_SLOTS)
        if (slotlike or is_list(name)) and (local := self._row(values)):
            self.add(local, around, values)
            return
        before, taken = len(self.slots) + self.bad.total(), self.taken
        for value in values:
            if isinstance(value, dict | list):
                self._value(value, name, around, depth + 1, is_entry=True)
            elif value is not None and (slotlike or is_list(name)):
                self._bare(value, around, sure=slotlike)
        if self.taken > taken and len(self.slots) + self.bad.total() == before:  # open ones among them were not read
            self.bad[NO_TIME] += sum(_is_leaf(value) and is_open(value) is True for value in values)

    def _row(self, values: list[Any]) -> str | None:
        """The time of a slot that is a list of texts: a day, a time, and more."""
        if not 2 <= len(values) <= 12 or not all(isinstance(value, str | int | float | None) for value in values):
            return None
        texts = [value.strip() for value in values if isinstance(value, str)]
        days = [day for text in texts if DATES.fullmatch(text) and (day := self._day_of(text))]
        times = [text for text in texts if CLOCKS.fullmatch(text)]
        return local_time(times[0], self._timezone, days[0]) if len(days) == 1 and 1 <= len(times) <= 2 else None

    def _bare(self, value: Any, around: Around, *, sure: bool) -> None:
        """A time, or a day, that is a slot by itself."""
        local = local_time(value, self._timezone, around.day)
        if local is None and isinstance(value, str) and (day := self._day_of(value)):
            local = f"{day}T00:00"
        if local is not None:
            self.add(local, around)
        elif sure:
            self.bad[NO_TIME] += 1

    def _object(self, value: dict[str, Any], name: str, around: Around, depth: int, *, is_entry: bool) -> None:
        members = {plain(key): key for key in value}
        outer = self._timezone
        self._timezone = (zone_in(value, members) if self._finds_zone else None) or outer
        self._in_zone(value, members, name, around, depth, is_entry=is_entry)
        self._timezone = outer

    def _in_zone(
        self, value: dict[str, Any], members: Mapping[str, str], name: str, around: Around, depth: int, *, is_entry: bool
    ) -> None:
        lists = [key for low, key in members.items() if holds_slots(low, value[key])]
        if is_entry and any(not value[key] for key in lists) and all(is_parts(plain(key)) for key in lists):
            lists = [] if self._time(value, members, self._around(value, members, name, around, top=False)) else lists
        if depth > 0 and is_open(value, is_container=bool(lists) or not is_entry) is False:
            self.listed = self.listed or is_entry
            self.taken += is_entry
            return
        inner = self._around(value, members, name, around, top=depth == 0)
        if lists and is_entry and self._day(value, members) and is_full(value):  # no time of the day is left
            self.listed = True
            self.taken += 1
            return
        before, bad, taken, seen = len(self.slots), self.bad.copy(), self.taken, self._lists
        for key in lists:
            self._value(value[key], plain(key), inner, depth + 1, is_entry=False)
        if len(self.slots) > before or self.taken > taken or any(not value[key] or _are_slots(value[key]) for key in lists):
            return
        local = self._time(value, members, inner) if is_entry else None
        if local is not None and _offers_nothing(value):
            self.listed = True
            self.taken += 1
            return
        if local is not None and local.endswith("T00:00") and not lists:  # a day: nested values may have the time
            self._children(value, inner, depth, is_entry=is_entry)
            if len(self.slots) > before or self.taken > taken or self._is_closed_day(value):
                return
        if local is not None and not (lists and local.endswith("T00:00")):
            self.bad = bad
            self.add(local, inner, value)
        elif lists:
            if is_entry and inner.day and is_open(value):  # open, but without readable times
                self.bad = bad
                self.add(f"{inner.day}T00:00", inner, value)
        elif (
            not self._children(value, inner, depth, is_entry=is_entry, name=name)
            and is_entry
            and (len(self.slots), self.bad, self.taken, self._lists) == (before, bad, taken, seen)
        ):
            self._day_or_nothing(value, members, name, inner)

    def _children(self, value: dict[str, Any], inner: Around, depth: int, *, is_entry: bool, name: str = "") -> bool:
        """What lies deeper: days and hours as keys, and objects and lists under any name that is not aside.

        Says whether there were days or hours, a list that is wrapped, or nothing at all: such an object is no slot.
        """
        keyed = not value
        for key, child in value.items():
            if DATES.fullmatch(key) and (day := self._day_of(key)):
                self.listed = keyed = True
                self._lists += 1
                self._on_day(key, child, inner._replace(day=day), depth)
            elif CLOCKS.fullmatch(key) or (is_seconds(key) and not isinstance(child, str)):
                keyed = True
                self.listed = True
                local = local_time(key, self._timezone, inner.day)
                text = is_open(child) if isinstance(child, dict) else is_yes(child)
                if local and (bool(child) if text is None else text):
                    self.add(local, inner)
            elif isinstance(child, list) and is_slots(name) and plain(key) in WRAPPERS:  # {"availability": {"edges": [...]}}
                keyed = True
                self._value(child, name, inner, depth + 1, is_entry=False)
            elif isinstance(child, dict | list | str) and not is_aside(low := plain(key)):
                self.listed = self.listed or (child == {} and is_slots(low))
                self._value(child, low, inner, depth + 1, is_entry=is_entry and isinstance(child, dict))
        return keyed

    def _on_day(self, key: str, child: Any, inner: Around, depth: int) -> None:
        """The value of a day in a map: its slots, or whether the day is free."""
        text = is_open(child) if isinstance(child, dict) else is_yes(child)
        plainly = isinstance(child, dict) and text and not any(isinstance(value, dict | list) for value in child.values())
        if isinstance(child, dict | list) and not plainly:
            self._value(child, "slots", inner, depth + 1, is_entry=True)
        elif text:
            self.add(local_time(key, self._timezone) or f"{inner.day}T00:00", inner, child)

    def _day_or_nothing(self, value: dict[str, Any], members: Mapping[str, str], name: str, inner: Around) -> None:
        """A whole free day, or a slot without a time."""
        text = next((value[members[low]] for low in BEGINS if low in members), None)
        day = self._day_of(text) or (self._day(value, members) if text is None else None)
        is_free = is_open(value)
        if day and self._is_closed_day(value):
            return
        if is_free is None and day and (is_offered := _inventory(value)) is not None:
            is_free, self.listed = is_offered, True
            self.taken += not is_offered
            if not is_offered:
                return
        local = self._span(value) if is_free else None
        if local:
            self.add(local, inner, value)
        elif day and (is_slots(name) or is_free):
            self.add(f"{day}T00:00", inner, value)
        elif is_slots(name):
            self.bad[NO_TIME] += 1

    def _is_closed_day(self, value: dict[str, Any]) -> bool:
        """Whether a day has a list where others have their times, none in it, and does not say that it is free."""
        closed = is_open(value) is not True and any(
            isinstance(child, list)
            and not is_aside(low := plain(key))
            and (not child or (isinstance(child[0], dict) and not is_offers(low)))
            for key, child in value.items()
        )
        self.listed = self.listed or closed
        return closed

    def add(self, local: str, around: Around, raw: Any = None, *, timezone: str | None = None) -> None:
        """Add a slot; raises BadFile if there are too many."""
        if len(self.slots) >= MAX_SLOTS:
            raise BadFile("too many slots in one answer", limit=MAX_SLOTS)
        self.listed = True
        venue_id, venue_name = around.venue_id, around.venue_name
        if venue_id is None and not around.provider and around.thing:
            venue_id, venue_name = around.thing
        self.slots.append(
            FoundSlot(local, around.provider, venue_id, venue_name, around.booking_url, raw, timezone or self._timezone)
        )

    def _time(self, value: dict[str, Any], members: Mapping[str, str], inner: Around) -> str | None:
        named = [low for low in (*BEGINS, *like_start(members)) if low in members]
        local = next((local for low in named if (local := self._begins(value[members[low]], inner.day))), None)
        return (
            local
            or self._by_number_clock(value, members, named, inner.day)
            or _by_numbers(value, members, inner.day)
            or self._by_offset(value, members)
            or self._by_name(value, members, inner.day)
            or self._earliest(value, members)
            or self._row([text for text in value.values() if isinstance(text, str)])
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
        if self._requested_time is None or type(offset) is not int or abs(offset) > _OFFSET_AT_MOST:
            return None
        return (datetime.fromisoformat(self._requested_time) + timedelta(minutes=offset)).isoformat(timespec="minutes")

    def _by_name(self, value: dict[str, Any], members: Mapping[str, str], day: str | None) -> str | None:
        """The time of a slot that is named by it: `{"name": "12:00"}`."""
        text = (value[members[low]] for low in ("name", "title", "label", "text") if low in members)
        return next(
            (
                local_time(is_entry, self._timezone, day)
                for is_entry in text
                if isinstance(is_entry, str) and CLOCKS.fullmatch(is_entry)
            ),
            None,
        )

    def _earliest(self, value: dict[str, Any], members: Mapping[str, str]) -> str | None:
        """The first of the moments in a slot, whatever their names: it departs before it arrives."""
        moments = (
            local_time(value[key], self._timezone)
            for low, key in members.items()
            if isinstance(value[key], str) and is_moment(low) and not is_aside(low)
        )
        return min(filter(None, moments), default=None)

    def _begins(self, text: Any, day: str | None) -> str | None:
        if not isinstance(text, dict):
            return local_time(text, self._timezone, day)
        inner = {plain(key): value for key, value in text.items()}
        own = next((found for low in DAYS if (found := self._day_of(inner.get(low)))), day)
        named = [inner[low] for low in (*BEGINS, *like_start(inner)) if low in inner]
        tried = named or [value for value in inner.values() if isinstance(value, str) and ":" in value]
        local = next((local for value in tried if (local := local_time(value, self._timezone, own))), None)
        return local or _by_numbers(text, {plain(key): key for key in text}, own)

    def _span(self, value: dict[str, Any]) -> str | None:
        """The start of the only time span inside a slot, whatever its name."""
        inner = [{plain(key): text for key, text in child.items()} for child in value.values() if isinstance(child, dict)]
        spans = [child["start"] for child in inner if "start" in child and "end" in child]
        return local_time(spans[0], self._timezone) if len(spans) == 1 else None

    def _day_of(self, value: object) -> str | None:
        return day_of(value, self._timezone, month_first=self._month_first)

    def _day(self, value: dict[str, Any], members: Mapping[str, str]) -> str | None:
        text = (value[members[low]] for low in DAYS if low in members)
        within = (
            is_entry
            for low, key in members.items()
            if low.endswith(("date", "day", "dt")) and isinstance(is_entry := value[key], dict)
        )
        dates = (is_entry.get(low) for is_entry in within for low in ("date", "day", "value"))
        return next((day for is_entry in (*text, *dates) if (day := self._day_of(is_entry))), None)

    def _around(self, value: dict[str, Any], members: Mapping[str, str], name: str, around: Around, *, top: bool) -> Around:
        """The context that this object adds: the day, the person, the place, the time zone."""
        day = self._day(value, members)
        link = link_in(value, members)
        around = around._replace(
            day=around.day or day if top else day or around.day,  # at the top level it may be today
            provider=name_of(value.get("provider")) or around.provider,
            booking_url=link or around.booking_url,
        )
        outer = around
        for words in (PLACES, PEOPLE):
            if not any(low.startswith(words) for low in members):
                continue
            named = [found for word in words if (found := named_by(value, members, word))]
            found = (named[0][0], next((name for _, name in named if name), "")) if named else None
            if found and not found[1] and name.removesuffix("s").endswith(words):  # {"centers": [{"center_id": 7, "name": ...
                found = (found[0], (own_name(value, members) or ("", ""))[1])
            around = within(around, *found) if found else around
        thing = next((found for word in THINGS if (found := named_by(value, members, word))), None)
        if around is not outer or top:
            return around._replace(thing=thing or around.thing)
        around = around._replace(thing=thing or around.thing)
        holds = not day and (
            any(holds_slots(low, value[key]) for low, key in members.items())
            or (has_kinds(value, members) and not self._time(value, members, around))
        )
        if not holds and (not name.removesuffix("s").endswith(ENTITIES) or self._time(value, members, around)):
            return around  # a slot's own id is no venue
        own = own_name(value, members)
        return within(around, *own) if own and not is_part_of_day(own[1]) else around


def _by_numbers(value: dict[str, Any], members: Mapping[str, str], day: str | None) -> str | None:
    """The time of `{"hour": 9, "minute": 30}` on a known day."""
    hour, minute = (value.get(members.get(name, members.get(f"{name}s", ""))) for name in ("hour", "minute"))
    if day is None or type(hour) is not int or type(minute) is not int or not (0 <= hour < 24 and 0 <= minute < 60):
        return None
    return f"{day}T{hour:02}:{minute:02}"


def _inventory(value: dict[str, Any]) -> bool | None:
    """The state of a day by types: `{"inventory": {"reservation": "sold-out", "event": "not available"}}`."""
    for child in value.values():
        text = {plain(key): is_yes(is_entry) for key, is_entry in child.items()} if isinstance(child, dict) else {}
        if text and all(is_entry is not None for is_entry in text.values()):
            return next((text[name] for name in _BOOKINGS if name in text), any(text.values()))
    return None


def _offers_nothing(value: dict[str, Any]) -> bool:
    """Whether a slot lists what can be booked, and none of it is available."""
    listed = ([child] if isinstance(child, dict) else child for key, child in value.items() if child and is_offers(plain(key)))
    return any(
        all(isinstance(is_entry, dict) and is_open(is_entry) is False for is_entry in child)
        for child in listed
        if isinstance(child, list)
    )


def _is_leaf(value: Any) -> bool:
    """Whether a value is an object without others inside."""
    return isinstance(value, dict) and not any(isinstance(child, dict | list) for child in value.values())


def _are_slots(child: Any) -> bool:
    """Whether the values of a list have states of their own: then their container is no slot."""
    return isinstance(child, list) and any(
        isinstance(is_entry, dict) and is_open(is_entry) is not None for is_entry in child[:10]
    )


def within(around: Around, own_id: str, own_name: str) -> Around:
    """The context with a place, or with a person or court at a place."""
    if around.venue_id in (None, own_id):
        return around._replace(venue_id=own_id, venue_name=own_name or around.venue_name)
    names = ", ".join(filter(None, (around.venue_name, own_name)))
    return around._replace(venue_id=f"{around.venue_id}/{own_id}", venue_name=names)
