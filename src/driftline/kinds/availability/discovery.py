"""Slots in a JSON answer that nobody described: found by their times, with the day, the venue and the state around them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

from driftline.core.json_text import decode_json
from driftline.errors import BadFile
from driftline.kinds.availability.clock import day_of, local_time
from driftline.kinds.availability.openness import is_open, is_yes, plain
from driftline.kinds.availability.slot import name_of

MAX_VALUES: Final = 400_000  # that one answer may hold
MAX_DEPTH: Final = 60
MAX_SLOTS: Final = 20_000

NO_TIME: Final = "a slot has no time, or one in an unknown form"

# Plain names (openness.plain) of members. Lists of slots, and what lists of slots lie in:
_SLOTS: Final = re.compile(
    r"slot|time|avail|appointment|spot|opening|vacanc|session|termin|horario|creneau|disponib|hours?$|free$"
)
_LISTS: Final = re.compile(
    r"result|data$|items?$|collection|venue|date|day|calendar|event|resource|record|row|offer|schedule|value$|^d$"
)
# What may look like slots and are none: slots that are gone, advice, and everything around the answer.
_ASIDE: Final = re.compile(
    r"unavail|notavail|occupied|booked|busy|taken|reserved|blocked|closed|disabled|holiday|histor|waitlist|waiting|notif|suggest|"
    r"alternat|nearby|similar|related|recommend|filter|facet|config|setting|meta|paginat|paging|link|user|customer|polic|pric|"
    r"review|image|photo|error|warning|message|query|param|exception|cancel|soldout|timezone|(?:opening|business|working|office|"
    r"operating|closing|kitchen|service)(?:hours|times)|^(?:next|first|last|previous|prev|earliest|latest|past|end|finish|until|created|updated|expires)(?!minute)"
)


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# When a slot begins, best names first; the last ones count where the value holds more than a date.
_BEGINS: Final = _words("""
start starttime startat startsat startstime startdatetime startdateandtime starttimestamp startson startdate begin begintime
beginat beginsat begindatetime from fromtime timefrom dtstart slotstart slotstarttime appointmentstart appointmentstarttime
timestart datetime dateandtime datetimeiso timeiso isotime iso time slottime slotdatetime appointmenttime appointmentdatetime
appointment appointmentdate teetime timeslot slot hour at when starthour localtime startlocal uhrzeit zeit beginn von heure
debut hora inicio ora inizio termin t date day datum fecha key value
""")
_SURELY: Final = frozenset(_BEGINS) - frozenset(_words("key value at t from von slot date day hour zeit hora ora"))
_DAYS: Final = _words("""
date day startdate slotdate appointmentdate availabilitydate availabledate bookingdate visitdate calendardate localdate isodate
datestr datestring servicedate reservationdate shiftdate fulldate datum tag fecha dia jour giorno
""")
_PLACES: Final = _words("""
venue restaurant location office branch clinic center centre facility store shop practice hospital club course property hotel
salon business station merchant organization organisation school museum park campground testcenter
""")
_PEOPLE: Final = _words("""
staff staffmember doctor practitioner physician provider employee teammember therapist stylist barber agent consultant
instructor coach resource court pitch field lane room desk campsite site agenda calendar counter
""")
_ENTITIES: Final = (*_PLACES, *_PEOPLE)
_LINKS: Final = _words("""
bookingurl bookurl schedulingurl reservationurl reserveurl bookinglink checkouturl deeplink url link href
""")
_IDS: Final = _words("id uuid guid key slug code number")
_NAMES: Final = _words("name title displayname label fullname")
_CLOCKS: Final = re.compile(r"\d{1,2}[:.h]\d{2}(?::\d{2})?\s?(?:[ap]\.?m\.?)?", re.IGNORECASE | re.ASCII)
_DATES: Final = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[T ].*)?|\d{1,2}[/.-]\d{1,2}[/.-]\d{4}|(?:19|20)\d{6}", re.ASCII)


class Found(NamedTuple):
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
        self.slots: list[Found] = []
        self.bad: Counter[str] = Counter()
        self.listed = False
        self._timezone = timezone
        self._month_first = month_first
        self._values = 0

    def walk(self, value: Any, day: str | None) -> None:
        """Find all slots below a value; raises BadFile where that is too much."""
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
        elif isinstance(value, str) and value[:1] in ("[", "{") and _is_list(name):  # JSON in a string, as ASP.NET wraps it
            self._value(decode_json(value.encode()), name, around, depth + 1, one=False)

    def _list(self, values: list[Any], name: str, around: Around, depth: int) -> None:
        slotlike = _is_slots(name)
        self.listed = self.listed or slotlike or (not values and _is_list(name))
        if len(values) > MAX_SLOTS:
            raise BadFile("too many slots in one answer", limit=MAX_SLOTS)
        if (slotlike or _is_list(name)) and (local := self._row(values)):
            self.add(local, around, values)
            return
        for value in values:
            if isinstance(value, dict | list):
                self._value(value, name, around, depth + 1, one=True)
            elif slotlike or _is_list(name):
                self._bare(value, around, sure=slotlike)

    def _row(self, values: list[Any]) -> str | None:
        """The time of a slot that is a row of texts: a day, a time, and more."""
        if not 2 <= len(values) <= 12 or not all(isinstance(value, str | int | float | None) for value in values):
            return None
        texts = [value.strip() for value in values if isinstance(value, str)]
        days = [day for text in texts if _DATES.fullmatch(text) and (day := self._day_of(text))]
        times = [text for text in texts if _CLOCKS.fullmatch(text)]
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
        lists = [key for low, key in members.items() if _holds_slots(low, value[key])]
        if depth > 0 and is_open(value, as_a_whole=bool(lists) or not one) is False:
            self.listed = self.listed or one
            return
        inner = self._around(value, members, name, around, top=depth == 0)
        before, bad = len(self.slots), self.bad.copy()
        for key in lists:
            self._value(value[key], plain(key), inner, depth + 1, one=False)
        if len(self.slots) > before or any(not value[key] for key in lists):
            return
        local = self._time(value, members, inner) if one else None
        if local is not None and not (lists and local.endswith("T00:00")):
            self.bad = bad
            self.add(local, inner, value)
        elif not lists:
            self._children(value, inner, depth, one=one)
            if one and len(self.slots) == before and self.bad == bad:
                self._day_or_nothing(value, members, name, inner)

    def _children(self, value: dict[str, Any], inner: Around, depth: int, *, one: bool) -> None:
        """What lies deeper: days and hours as keys, and objects and lists under any name that is not aside."""
        for key, child in value.items():
            if _DATES.fullmatch(key) and (day := self._day_of(key)):
                self.listed = True
                on_day = inner._replace(day=day)
                if isinstance(child, dict | list):
                    self._value(child, "slots", on_day, depth + 1, one=True)
                elif is_yes(child):
                    self.add(local_time(key, self._timezone) or f"{day}T00:00", on_day)
            elif _CLOCKS.fullmatch(key):
                self.listed = True
                local = local_time(key, self._timezone, inner.day)
                said = is_open(child) if isinstance(child, dict) else is_yes(child)
                if local and (bool(child) if said is None else said):
                    self.add(local, inner)
            elif isinstance(child, dict | list | str) and not _is_aside(low := plain(key)):
                self.listed = self.listed or (child == {} and _is_slots(low))
                self._value(child, low, inner, depth + 1, one=one and isinstance(child, dict))

    def _day_or_nothing(self, value: dict[str, Any], members: Mapping[str, str], name: str, inner: Around) -> None:
        """A day that is free as a whole; or a slot without a time."""
        said = next((value[members[low]] for low in _BEGINS if low in members), None)
        day = self._day_of(said) or (self._day(value, members) if said is None else None)
        if day and (_is_slots(name) or is_open(value)):
            self.add(f"{day}T00:00", inner, value)
        elif _is_slots(name):
            self.bad[NO_TIME] += 1

    def add(self, local: str, around: Around, raw: Any = None) -> None:
        """Note a slot; raises BadFile where there are too many."""
        if len(self.slots) >= MAX_SLOTS:
            raise BadFile("too many slots in one answer", limit=MAX_SLOTS)
        self.listed = True
        self.slots.append(Found(local, around.provider, around.venue_id, around.venue_name, around.booking_url, raw))

    def _time(self, value: dict[str, Any], members: Mapping[str, str], inner: Around) -> str | None:
        named = (members[low] for low in (*_BEGINS, *_like_start(members)) if low in members)
        return next((local for key in named if (local := self._begins(value[key], inner.day))), None)

    def _begins(self, said: Any, day: str | None) -> str | None:
        if not isinstance(said, dict):
            return local_time(said, self._timezone, day)
        inner = {plain(key): value for key, value in said.items()}
        own = next((found for low in _DAYS if (found := self._day_of(inner.get(low)))), day)
        named = [inner[low] for low in (*_BEGINS, *_like_start(inner)) if low in inner]
        tried = named or [value for value in inner.values() if isinstance(value, str) and ":" in value]
        return next((local for value in tried if (local := local_time(value, self._timezone, own))), None)

    def _day_of(self, value: object) -> str | None:
        return day_of(value, self._timezone, month_first=self._month_first)

    def _day(self, value: dict[str, Any], members: Mapping[str, str]) -> str | None:
        return next((day for low in _DAYS if low in members and (day := self._day_of(value[members[low]]))), None)

    def _around(self, value: dict[str, Any], members: Mapping[str, str], name: str, around: Around, *, top: bool) -> Around:
        """What this object adds: the day, who offers it, where, and whose time it is."""
        day = self._day(value, members)
        link = next((said for low in _LINKS if low in members and isinstance(said := value[members[low]], str)), None)
        around = around._replace(
            day=around.day or day if top else day or around.day,  # at the top it may be today
            provider=name_of(value.get("provider")) or around.provider,
            booking_url=link or around.booking_url,
        )
        outer = around
        for words in (_PLACES, _PEOPLE):
            found = next((found for word in words if (found := _named(value, members, word))), None)
            around = within(around, *found) if found else around
        if around is not outer or top:
            return around
        holds = not day and any(_holds_slots(low, value[key]) for low, key in members.items())
        if not holds and (not name.removesuffix("s").endswith(_ENTITIES) or self._time(value, members, around)):
            return around  # a slot's own id names no venue
        own = _own(value, members)
        return within(around, *own) if own else around


def _like_start(members: Iterable[str]) -> list[str]:
    """Members whose names speak of a start in some other way."""
    return sorted(low for low in members if ("start" in low or "begin" in low) and not _is_aside(low))


@lru_cache(maxsize=4096)
def _is_slots(low: str) -> bool:
    return _SLOTS.search(low) is not None and not _is_aside(low)


@lru_cache(maxsize=4096)
def _is_list(low: str) -> bool:
    return _LISTS.search(low) is not None and not _is_aside(low)


@lru_cache(maxsize=4096)
def _is_aside(low: str) -> bool:
    return _ASIDE.search(low) is not None


def _holds_slots(low: str, child: Any) -> bool:
    """Whether a member is a list of slots, or a map of days or hours to them."""
    if not _is_slots(low):
        return False
    if isinstance(child, list):
        return True
    return isinstance(child, dict) and any(_DATES.fullmatch(key) or _CLOCKS.fullmatch(key) for key in child)


def _named(value: dict[str, Any], members: Mapping[str, str], word: str) -> tuple[str, str] | None:
    """The id and name of a venue: `venue_id` and `venue_name`, or an object `venue`, or plainly its name."""
    said = value.get(members.get(word, ""))
    if isinstance(said, dict):
        inner = {plain(key): key for key in said}
        return _own(said, inner) if _SURELY.isdisjoint(inner) else None  # FHIR calls a slot a resource
    venue_id = next((found for end in ("id", "uuid", "slug", "code") if (found := _member(value, members, word + end))), None)
    plainly = name_of(said) if isinstance(said, str) and word != "provider" else None
    venue_name = _member(value, members, word + "name") or plainly
    if not venue_id and not venue_name:
        return None
    return venue_id or venue_name or "", venue_name or ""


def _own(value: dict[str, Any], members: Mapping[str, str]) -> tuple[str, str] | None:
    """What an object calls itself."""
    name = next((found for low in _NAMES if (found := _member(value, members, low))), None)
    own_id = next((found for low in _IDS if (found := _member(value, members, low))), None)
    if own_id and len(own_id) > 40 and name:  # a token: good for one answer
        own_id = name
    return (own_id or name or "", name or "") if own_id or name else None


def _member(value: dict[str, Any], members: Mapping[str, str], low: str) -> str | None:
    said = value.get(members[low]) if low in members else None
    if isinstance(said, dict):  # {"id": {"resy": 834}}
        said = next(iter(said.values()), None)
    return name_of(said)


def within(around: Around, own_id: str, own_name: str) -> Around:
    """What is around a slot with a place, or with a person or court at a place."""
    if around.venue_id in (None, own_id):
        return around._replace(venue_id=own_id, venue_name=own_name or around.venue_name)
    names = ", ".join(filter(None, (around.venue_name, own_name)))
    return around._replace(venue_id=f"{around.venue_id}/{own_id}", venue_name=names)
