"""Finds slots in JSON without rules: by their times, with the day, the venue and the state around them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from driftline.core.text.json_text import decode_json
from driftline.errors import BadFile
from driftline.kinds.availability.json.field_names import (
    BEGINS,
    CLOCKS,
    DATES,
    WRAPPERS,
    holds_slots,
    is_aside,
    is_list,
    is_number,
    is_of_venues,
    is_offers,
    is_parts,
    is_slots,
    zone_in,
)
from driftline.kinds.availability.json.found import Around, FoundSlot, is_map_of_places, surroundings, within
from driftline.kinds.availability.json.object_times import ObjectTimes
from driftline.kinds.availability.slot_openness import is_full, is_open, is_yes, plain
from driftline.kinds.availability.slot_times import is_seconds, local_time

MAX_VALUES: Final = 400_000  # of one answer
MAX_DEPTH: Final = 60
MAX_SLOTS: Final = 20_000
_BOOKINGS: Final = ("reservation", "reservations", "booking", "online")  # types of days that can be booked

NO_TIME: Final = "a slot has no time, or one in an unknown form"


class Discovery:
    """Walks one answer. `listed` means that a list of slots exists, even if it is empty."""

    def __init__(self, timezone: str, *, month_first: bool = False) -> None:
        self.slots: list[FoundSlot] = []
        self.bad: Counter[str] = Counter()
        self.listed = False
        self.named = False  # a list is named like slots
        self.taken = 0  # number of taken slots
        self._lists = 0  # number of lists of slots, empty or not
        self._times = ObjectTimes(timezone, month_first=month_first)
        self._finds_zone = timezone == "UTC"  # the rules name none: the one that the answer names is the venue's
        self._values = 0

    def walk(self, value: Any, day: str | None, clock: str | None = None) -> None:
        """Find all slots below a value; raises BadFile if there is too much. `day` and `clock`: as requested."""
        self._times.of_answer(value, day, clock)
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
        if (slotlike or is_list(name)) and (local := self._times.row(values)):
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

    def _bare(self, value: Any, around: Around, *, sure: bool) -> None:
        """A time, or a day, that is a slot by itself."""
        local = local_time(value, self._times.timezone, around.day)
        if local is None and isinstance(value, str) and (day := self._times.day_of(value)):
            local = f"{day}T00:00"
        if local is not None:
            self.add(local, around)
        elif sure:
            self.bad[NO_TIME] += 1

    def _object(self, value: dict[str, Any], name: str, around: Around, depth: int, *, is_entry: bool) -> None:
        members = {plain(key): key for key in value}
        outer = self._times.timezone
        self._times.timezone = (zone_in(value, members) if self._finds_zone else None) or outer
        self._in_zone(value, members, name, around, depth, is_entry=is_entry)
        self._times.timezone = outer

    def _in_zone(
        self, value: dict[str, Any], members: Mapping[str, str], name: str, around: Around, depth: int, *, is_entry: bool
    ) -> None:
        lists = [key for low, key in members.items() if holds_slots(low, value[key])]
        if is_entry and any(not value[key] for key in lists) and self._is_slot_itself(value, members, name, around, lists):
            lists = []
        if depth > 0 and is_open(value, is_container=bool(lists) or not is_entry) is False:
            self.listed = self.listed or is_entry
            self.taken += is_entry
            return
        inner = surroundings(value, members, name, around, self._times, top=depth == 0)
        if lists and is_entry and self._times.day(value, members) and is_full(value):  # no time of the day is left
            self.listed = True
            self.taken += 1
            return
        before, bad, taken, seen = len(self.slots), self.bad.copy(), self.taken, self._lists
        for key in lists:
            self._value(value[key], plain(key), inner, depth + 1, is_entry=False)
        if len(self.slots) > before or self.taken > taken or any(not value[key] or _are_slots(value[key]) for key in lists):
            return
        local = self._times.time(value, members, inner.day) if is_entry else None
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

    def _is_slot_itself(
        self, value: dict[str, Any], members: Mapping[str, str], name: str, around: Around, lists: list[str]
    ) -> bool:
        """Whether an object with a time of its own is the slot, and its empty lists are something else that it may have."""
        if not (all(is_parts(plain(key)) for key in lists) or is_open(value)):
            return False
        day = surroundings(value, members, name, around, self._times, top=False).day
        local = self._times.time(value, members, day)
        return local is not None and (all(is_parts(plain(key)) for key in lists) or not local.endswith("T00:00"))

    def _children(self, value: dict[str, Any], inner: Around, depth: int, *, is_entry: bool, name: str = "") -> bool:
        """What lies deeper: days and hours as keys, and objects and lists under any name that is not aside.

        Says whether there were days or hours, a list that is wrapped, or nothing at all: such an object is no slot.
        """
        keyed = not value
        for key, child in value.items():
            if DATES.fullmatch(key) and (day := self._times.day_of(key)):
                self.listed = keyed = True
                self._lists += 1
                self._on_day(key, child, inner._replace(day=day), depth)
            elif CLOCKS.fullmatch(key) or (is_seconds(key) and not isinstance(child, str)):
                keyed = True
                self.listed = True
                local = local_time(key, self._times.timezone, inner.day)
                text = is_open(child) if isinstance(child, dict) else is_yes(child)
                if local and (bool(child) if text is None else text):
                    self.add(local, inner)
            elif isinstance(child, list) and is_slots(name) and (plain(key) in WRAPPERS or is_number(key)):
                # {"availability": {"edges": [...]}}, {"availability": {"61": [...]}}
                keyed = True
                self._value(child, name, inner, depth + 1, is_entry=False)
            elif isinstance(child, dict | list | str) and not is_aside(low := plain(key)):
                self.listed = self.listed or (child == {} and is_slots(low))
                keyed_by_place = (
                    not is_entry and isinstance(child, dict) and not is_slots(low) and is_map_of_places(name, child)
                )
                place = within(inner, key, "") if keyed_by_place else inner
                self._value(child, low, place, depth + 1, is_entry=is_entry and isinstance(child, dict))
        return keyed

    def _on_day(self, key: str, child: Any, inner: Around, depth: int) -> None:
        """The value of a day in a map: its slots, or whether the day is free."""
        text = is_open(child) if isinstance(child, dict) else is_yes(child)
        plainly = isinstance(child, dict) and text and not any(isinstance(value, dict | list) for value in child.values())
        if isinstance(child, dict | list) and not plainly:
            self._value(child, "slots", inner, depth + 1, is_entry=True)
        elif text:
            self.add(local_time(key, self._times.timezone) or f"{inner.day}T00:00", inner, child)

    def _day_or_nothing(self, value: dict[str, Any], members: Mapping[str, str], name: str, inner: Around) -> None:
        """A whole free day, or a slot without a time."""
        text = next((value[members[low]] for low in BEGINS if low in members), None)
        day = self._times.day_of(text) or (self._times.day(value, members) if text is None else None)
        is_free = is_open(value)
        if day and self._is_closed_day(value):
            return
        if is_free is None and day and (is_offered := _inventory(value)) is not None:
            is_free, self.listed = is_offered, True
            self.taken += not is_offered
            if not is_offered:
                return
        local = self._times.span(value) if is_free else None
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
            FoundSlot(local, around.provider, venue_id, venue_name, around.booking_url, raw, timezone or self._times.timezone)
        )


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
